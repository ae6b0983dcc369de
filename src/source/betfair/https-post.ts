// One POST over HTTPS, with a bound on its time and on the bytes of its answer. Parts of the request are secret: plain
// HTTP is refused, redirects are not followed.

import { type RequestOptions, request } from 'node:https'
import { reasonOf } from '../kit/socket-reasons.ts'

export interface PostOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Certificates (PEM) to trust instead of the public authorities. */
  readonly ca: string | undefined
  /** Client certificate and its key (PEM). */
  readonly certificate: { readonly cert: string; readonly key: string } | null
  /** Time limit of the whole request. */
  readonly openMsMax: number
  readonly answerBytesMax: number
  readonly signal: AbortSignal
}

export interface PostAnswer {
  readonly statusCode: number
  readonly body: string
}

/** There is no answer; words to follow a colon. */
export interface PostFault {
  readonly fault: string
}

export const post = (options: PostOptions): Promise<PostAnswer | PostFault> =>
  new Promise((resolve) => {
    const { url, headers, body, ca, certificate, openMsMax, answerBytesMax, signal } = options
    if (!URL.canParse(url) || new URL(url).protocol !== 'https:') {
      return resolve({ fault: 'its URL must begin with https://' })
    }
    const patience = AbortSignal.timeout(openMsMax)
    const send: RequestOptions = {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Length': Buffer.byteLength(body), ...headers },
      agent: false,
      signal: AbortSignal.any([signal, patience]),
      ...(ca === undefined ? {} : { ca }),
      ...certificate,
    }
    const failed = (error: Error): void =>
      resolve({ fault: patience.aborted ? `no answer within ${openMsMax / 1000} s` : reasonOf(error) })
    const sent = request(url, send, (response) => {
      const parts: Buffer[] = []
      let length = 0
      response.on('error', failed)
      response.on('data', (part: Buffer) => {
        length += part.length
        if (length > answerBytesMax) response.destroy(new Error(`the answer is longer than ${answerBytesMax} bytes`))
        else parts.push(part)
      })
      response.on('end', () => resolve({ statusCode: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }))
    })
    sent.on('error', failed)
    sent.end(body)
  })

/** Whether a status is temporary: a fault of the far side is, a refusal of us is not. */
export const isPassing = (statusCode: number): boolean => statusCode >= 500 || statusCode === 429
