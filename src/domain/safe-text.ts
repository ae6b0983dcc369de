// Names come from outside, and may hold characters that nobody sees: ones that turn the direction of what follows, and
// ones without a width. Each is shown as a mark, so that a name cannot pass for another one.

/** A stretch of a text: shown as it is, or as a mark. */
export interface TextPiece {
  readonly text: string
  readonly isMark: boolean
}

// From and to, both included: controls; characters without a form; directional marks, embeddings, overrides and isolates;
// zero-width characters and joiners; variation selectors; tags.
const HIDDEN: readonly (readonly [from: number, to: number])[] = [
  [0x0000, 0x001f],
  [0x007f, 0x009f],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe0fff],
]

const isHidden = (code: number): boolean => HIDDEN.some(([from, to]) => code >= from && code <= to)

const markOf = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`

/** The text in pieces: hidden characters are marks such as `U+202E`. Nothing is left out. */
export const textPieces = (text: string): readonly TextPiece[] => {
  const pieces: TextPiece[] = []
  let shown = ''
  const endShown = (): void => {
    if (shown !== '') pieces.push({ text: shown, isMark: false })
    shown = ''
  }
  for (const character of text) {
    const code = character.codePointAt(0)!
    if (!isHidden(code)) {
      shown += character
      continue
    }
    endShown()
    pieces.push({ text: markOf(code), isMark: true })
  }
  endShown()
  return pieces
}

/** Whether a text has characters that nobody sees, or nothing that anybody does. */
export const hasHidden = (text: string): boolean =>
  textPieces(text).some(({ isMark }) => isMark) || !/[^\s\u2800]/u.test(text)

/** The text with marks in brackets, for places that hold text alone: titles, labels for screen readers. */
export const visibleText = (text: string): string =>
  textPieces(text)
    .map((piece) => (piece.isMark ? `[${piece.text}]` : piece.text))
    .join('')
