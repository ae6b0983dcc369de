// Secrets of a configuration that would cross a network in the clear.

import { isLoopback } from '../domain/loopback.ts'
import { endpointOf } from '../source/kit/stomp-connection.ts'
import type { FeedsFile, SourceSettings } from './feeds-file.ts'

/** Schemes that encrypt nothing. */
const PLAIN = /^(http|amqp):$/

/** Whether what is sent to a URL can be read on the way. */
const isPlain = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return PLAIN.test(protocol) && !isLoopback(hostname)
}

const hasPassword = (url: string): boolean => URL.canParse(url) && new URL(url).password !== ''

/** Fields of a source that send a secret in the clear, and what the secret is. */
const plainFields = (
  source: SourceSettings,
  proxies: FeedsFile['proxies'],
  valueOf: (text: string) => string,
): [field: string, secret: string][] => {
  switch (source.kind) {
    case 'kambi':
    case 'pinnacle':
    case 'the-odds-api': {
      const sends = source.kind === 'the-odds-api' ? 'apiKey' : source.credential && 'credential'
      const { sourceMode } = source
      const proxy = source.proxy ?? proxies[sourceMode as keyof typeof proxies] ?? ''
      const url = valueOf(proxy)
      return [
        ...(sends !== undefined && isPlain(source.baseUrl) ? ([['baseUrl', sends]] as [string, string][]) : []),
        ...(isPlain(url) && hasPassword(url) ? ([['proxy', 'its password']] as [string, string][]) : []),
      ]
    }
    case 'betfair':
      return isPlain(source.catalogueUrl ?? '') ? [['catalogueUrl', 'appKey and session']] : []
    case 'uof':
      return [
        ...(isPlain(valueOf(source.amqpUrl)) ? ([['amqpUrl', 'its token']] as [string, string][]) : []),
        ...(isPlain(source.apiUrl) ? ([['apiUrl', 'apiToken']] as [string, string][]) : []),
      ]
    case 'stomp':
      return source.passcode === undefined
        ? []
        : source.addresses.flatMap((address, index) => {
            const endpoint = endpointOf(address)
            const isSafe = endpoint === undefined || endpoint.tls || isLoopback(endpoint.host)
            return isSafe ? [] : [[`addresses[${index}]`, 'passcode'] as [string, string]]
          })
    default:
      return []
  }
}

/** One sentence for each field by which a secret would be sent over a plain connection to another machine. */
export const plainSecrets = (
  { sources, proxies }: FeedsFile,
  secretOf: (name: string) => string | undefined,
): readonly string[] => {
  const valueOf = (text: string): string => (text.startsWith('$') ? (secretOf(text.slice(1)) ?? '') : text)
  return sources.flatMap((source) =>
    plainFields(source, proxies, valueOf).map(
      ([field, secret]) =>
        `source ${source.name}: ${field} is not encrypted, so that ${secret} can be read on the way; use TLS`,
    ),
  )
}
