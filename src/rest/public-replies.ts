// Replies of public pages and documents: of the same content there is one, with its ETag and its gzip form.

import { publicReply, type Reply } from './reply.ts'

const PAGE_HEADERS = [
  'Cache-Control: no-cache',
  "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
]

const DOCUMENT_HEADERS = [
  'Access-Control-Allow-Origin: *',
  'Access-Control-Expose-Headers: ETag',
  'Cache-Control: public, max-age=300',
]

export const documentReply = (document: object): Reply =>
  publicReply(JSON.stringify(document), 'application/json', DOCUMENT_HEADERS, true)

const pageReply = (render: () => string): (() => Reply) => {
  let content: string | undefined
  let reply: Reply | undefined
  return () => {
    const rendered = render()
    if (reply === undefined || rendered !== content) {
      reply = publicReply(rendered, 'text/html; charset=utf-8', PAGE_HEADERS, false)
      content = rendered
    }
    return reply
  }
}

/** By path. @param pages rendered on request */
export const publicReplies = (
  pages: Readonly<Record<string, () => string>>,
  documents: Readonly<Record<string, object>>,
): ReadonlyMap<string, () => Reply> =>
  new Map([
    ...Object.entries(pages).map(([path, render]) => [path, pageReply(render)] as const),
    ...Object.entries(documents).map(([path, document]) => {
      const reply = documentReply(document)
      return [path, () => reply] as const
    }),
  ])
