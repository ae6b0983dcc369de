// Texts of the other side: which may be part of an observation, and how they are logged.

// Control characters, line and paragraph separators, unpaired surrogates: none of them survives a header, a terminal
// and UTF-8 unchanged.
const UNCLEAN = /[\p{Cc}\p{Cs}\u2028\u2029]/u

/** Whether a text has at most `lengthMax` characters and none that breaks a line, a header or UTF-8. May be empty. */
export const isCleanText = (text: string, lengthMax: number): boolean => text.length <= lengthMax && !UNCLEAN.test(text)

const SHOWN_MAX = 60

/** A value of a payload for a message: quoted, truncated, on one line. */
export const shown = (text: string): string =>
  JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text).replace(
    new RegExp(UNCLEAN, 'gu'),
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const BREAKING = new RegExp(`${UNCLEAN.source}+`, 'gu')
const LINE_MAX = 300

/** A text of the other side for the log: without secrets, on one line, truncated. @param instead what is shown of a secret */
export const logLine = (text: string, secrets: readonly string[], instead: string): string => {
  let line = text
  for (const secret of secrets) if (secret !== '') line = line.replaceAll(secret, instead)
  line = line.replaceAll(BREAKING, ' ').trim()
  return line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…` : line
}

const DECIMAL = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** The finite number that a text is, in decimals; null where it is empty, undefined when it is none. */
export const decimalOf = (text: string): number | null | undefined => {
  if (text === '') return null
  const value = Number(text)
  return DECIMAL.test(text) && Number.isFinite(value) ? value : undefined
}
