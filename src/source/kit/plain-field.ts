// Which settings would send a secret over a plain connection to another machine.

import { isLoopback } from '../../domain/loopback.ts'
import type { Proxies } from './planner.ts'
import type { HttpSettings } from './settings.ts'

/** A field that is not encrypted, and the secret that is sent there. */
export type PlainField = readonly [field: string, secret: string]

export interface PlainParts {
  readonly proxies: Proxies
  /** The value of a `$NAME`, empty if it is not set; any other text is itself. */
  readonly valueOf: (text: string) => string
}

/** Schemes without encryption. */
const PLAIN = /^(http|amqp):$/

/** Whether what is sent to a URL can be read on the way. */
export const isPlain = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return PLAIN.test(protocol) && !isLoopback(hostname)
}

const hasPassword = (url: string): boolean => URL.canParse(url) && new URL(url).password !== ''

/** Those of a polled source. @param secret what it sends to its base URL; undefined: nothing secret */
export const plainHttpFields = (
  settings: HttpSettings & { readonly baseUrl: string },
  { proxies, valueOf }: PlainParts,
  secret: string | undefined = settings.credential && 'credential',
): PlainField[] => {
  const { baseUrl, proxy, sourceMode } = settings
  const fields: PlainField[] = []
  if (secret !== undefined && isPlain(baseUrl)) fields.push(['baseUrl', secret])
  const url = valueOf(proxy ?? (sourceMode && proxies[sourceMode]) ?? '')
  if (isPlain(url) && hasPassword(url)) fields.push(['proxy', 'its password'])
  return fields
}
