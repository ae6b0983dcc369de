// Names come from outside, and may hold characters that nobody sees: ones that turn the direction of what follows, and
// ones without a width. Each is shown as a mark, so that a name cannot pass for another one.

/** A stretch of a text: shown as it is, or as a mark. */
export interface TextPiece {
  readonly text: string
  readonly isMark: boolean
}

// Directional embeddings, overrides, isolates and marks; zero-width characters and joiners; other format characters
// without a form of their own; controls.
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu

const markOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`

/** The text in pieces: hidden characters are marks such as `U+202E`. Nothing is left out. */
export const textPieces = (text: string): readonly TextPiece[] => {
  const pieces: TextPiece[] = []
  let place = 0
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > place) pieces.push({ text: text.slice(place, match.index), isMark: false })
    pieces.push({ text: markOf(match[0]), isMark: true })
    place = match.index + match[0].length
  }
  if (place < text.length) pieces.push({ text: text.slice(place), isMark: false })
  return pieces
}

/** The text with marks in brackets, for places that hold text alone: titles, labels for screen readers. */
export const visibleText = (text: string): string =>
  textPieces(text)
    .map((piece) => (piece.isMark ? `[${piece.text}]` : piece.text))
    .join('')
