// Replies of public pages, files and documents: of the same content there is one, with its ETag and its gzip form.

import { publicReply, type Reply, withGzip } from './reply.ts'

// Nothing inline runs or styles; nothing is loaded from elsewhere; no other page may show these in a frame. `self` covers
// WebSockets of the same host (CSP 3, 6.7.2.8).
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = [
  'Cache-Control: no-cache',
  `Content-Security-Policy: ${POLICY}`,
  'Referrer-Policy: no-referrer',
  'X-Frame-Options: DENY',
]

/** A file of a page. */
export interface PublicFile {
  readonly body: Buffer
  /** The same in gzip, where that is smaller. */
  readonly gzip: Buffer | undefined
  readonly contentType: string
  /** Its path changes with its content. */
  readonly isImmutable: boolean
}

const fileReply = ({ body, gzip, contentType, isImmutable }: PublicFile): Reply => {
  const lifetime = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'
  const headers = [`Cache-Control: ${lifetime}`, 'Cross-Origin-Resource-Policy: same-origin']
  const reply = publicReply(body, contentType, headers, false)
  if (gzip !== undefined) reply.gzip = withGzip(reply, gzip)
  return reply
}

const DOCUMENT_HEADERS = [
  'Access-Control-Allow-Origin: *',
  'Access-Control-Expose-Headers: ETag',
  'Cache-Control: public, max-age=300',
]

/** Any origin may read it, as the documents. */
const TEXT_HEADERS = [...DOCUMENT_HEADERS.slice(0, 2), 'Cache-Control: no-cache']

export const documentReply = (document: object): Reply =>
  publicReply(JSON.stringify(document), 'application/json', DOCUMENT_HEADERS, true)

/** Of the same content there is one reply. */
const textReply = (render: () => string, contentType: string, headers: readonly string[]): (() => Reply) => {
  let content: string | undefined
  let reply: Reply | undefined
  return () => {
    const rendered = render()
    if (reply === undefined || rendered !== content) {
      reply = publicReply(rendered, contentType, headers, headers === TEXT_HEADERS)
      content = rendered
    }
    return reply
  }
}

export interface PublicContent {
  /** HTML, rendered on request. */
  readonly pages: Readonly<Record<string, () => string>>
  /** Plain text, rendered on request. */
  readonly texts?: Readonly<Record<string, () => string>> | undefined
  readonly documents?: Readonly<Record<string, object>> | undefined
  readonly files?: ReadonlyMap<string, PublicFile> | undefined
}

/** By path. */
export const publicReplies = ({
  pages,
  texts = {},
  documents = {},
  files,
}: PublicContent): ReadonlyMap<string, () => Reply> =>
  new Map([
    ...[...(files ?? [])].map(([path, file]) => {
      const reply = fileReply(file)
      return [path, () => reply] as const
    }),
    ...Object.entries(pages).map(
      ([path, render]) => [path, textReply(render, 'text/html; charset=utf-8', PAGE_HEADERS)] as const,
    ),
    ...Object.entries(texts).map(
      ([path, render]) => [path, textReply(render, 'text/plain; charset=utf-8', TEXT_HEADERS)] as const,
    ),
    ...Object.entries(documents).map(([path, document]) => {
      const reply = documentReply(document)
      return [path, () => reply] as const
    }),
  ])
