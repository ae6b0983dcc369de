// Headers that a request may have only once.

import type { HttpRequest } from 'uWebSockets.js'

export const repeatedText = (header: string): string => `The header ${header} is given more than once.`

/** Headers that must not be repeated: it would be unclear which one is valid. By the name that arrives. */
export const NAMED_ONCE: ReadonlyMap<string, string> = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
  ['x-api-key', 'X-Api-Key'],
  ['origin', 'Origin'],
])

/** The header of an upgrade that is repeated and must not be, as REST refuses it. */
export const repeatedIn = (req: HttpRequest): string | undefined => {
  const seen = new Set<string>()
  let twice: string | undefined
  req.forEach((name) => {
    if (seen.has(name)) twice ??= NAMED_ONCE.get(name)
    seen.add(name)
  })
  return twice
}
