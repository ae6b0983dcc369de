// Headers that a request may name once only.

import type { HttpRequest } from 'uWebSockets.js'

export const repeatedText = (header: string): string => `The header ${header} is given more than once.`

/** What a request may name once: of several it would be unclear which one holds. By the name that arrives. */
export const NAMED_ONCE: ReadonlyMap<string, string> = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
  ['x-api-key', 'X-Api-Key'],
])

/** A header of an upgrade that is given more than once and may not be, as REST refuses it. */
export const repeatedIn = (req: HttpRequest): string | undefined => {
  const met = new Set<string>()
  let twice: string | undefined
  req.forEach((name) => {
    if (met.has(name)) twice ??= NAMED_ONCE.get(name)
    met.add(name)
  })
  return twice
}
