// The TLS of all listeners: 1.2 and 1.3, with forward secrecy only.

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions } from 'node:tls'

/** Certificate and key files (PEM). */
export interface Tls {
  readonly certFile: string
  readonly keyFile: string
}

/** Suites of TLS 1.2 with ephemeral keys: a stolen private key does not decrypt recorded traffic. */
export const TLS12_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** All of TLS 1.3 are of this kind; Node needs them listed. */
const TLS13_CIPHERS = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256'

/** Reads certificate and key; returns the reason if they cannot be read or do not match. */
export const readTls = ({ certFile, keyFile }: Tls): SecureContextOptions | string => {
  try {
    const options: SecureContextOptions = {
      cert: readFileSync(certFile),
      key: readFileSync(keyFile),
      minVersion: 'TLSv1.2',
      ciphers: `${TLS13_CIPHERS}:${TLS12_CIPHERS}`,
      honorCipherOrder: true,
    }
    createSecureContext(options)
    return options
  } catch (error) {
    return `certificate ${certFile} and key ${keyFile} cannot be used: ${(error as Error).message}`
  }
}

/** When the certificate expires, epoch ms; of a chain, its first one. Undefined: it cannot be read. */
export const expiryOf = ({ certFile }: Tls): number | undefined => {
  try {
    return Date.parse(new X509Certificate(readFileSync(certFile)).validTo)
  } catch {
    return undefined
  }
}
