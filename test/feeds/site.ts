// An HTTP source that gives out the same answers until it is told to fail: with tags, so that a poll of what has not
// changed is answered as real sites answer it.

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** How a site behaves: well, with an error, asking for patience, with bytes that are no answer, or not at all. */
export type Mood = 'well' | 'error' | 'patience' | 'garbage' | 'silence'

interface Page {
  readonly bytes: Buffer
  readonly tag: string
}

const pageOf = (body: string): Page => ({
  bytes: gzipSync(body, { level: 1 }),
  tag: `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`,
})

export class Site {
  /** Requests by mood. */
  readonly asked: Record<Mood, number> = { well: 0, error: 0, patience: 0, garbage: 0, silence: 0 }
  /** Called with the target of each request, as it comes. */
  onAsked: ((url: string) => void) | undefined
  /** Answers that nothing is new. */
  unchanged = 0
  private mood: Mood = 'well'
  private readonly pages = new Map<string, Page>()
  private readonly silent = new Set<ServerResponse>()
  private readonly headers: Readonly<Record<string, string>>
  private readonly server = createServer((request, response) => {
    this.answer(request.url!, request.headers['if-none-match'], response)
  })

  /** @param headers of every answer that is well */
  constructor(headers: Readonly<Record<string, string>> = {}) {
    this.headers = headers
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return this
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Puts a body at a path; with a query, it is for that query alone. */
  put(path: string, body: string): void {
    this.pages.set(path, pageOf(body))
  }

  be(mood: Mood): void {
    this.mood = mood
    // Whoever waits for an answer is cut off: it will not come any more.
    for (const response of this.silent) response.destroy()
    this.silent.clear()
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  private answer(url: string, known: string | undefined, response: ServerResponse): void {
    this.asked[this.mood]++
    this.onAsked?.(url)
    switch (this.mood) {
      case 'silence':
        this.silent.add(response)
        return
      case 'error':
        response.writeHead(500).end('{"message":"out of order"}')
        return
      case 'patience':
        response.writeHead(429, { 'retry-after': '1' }).end()
        return
      case 'garbage':
        response.writeHead(200, { 'content-type': 'application/json' }).end('<html>we will be back')
        return
      case 'well':
        break
    }
    const page = this.pages.get(url) ?? this.pages.get(url.split('?')[0]!)
    if (page === undefined) {
      response.writeHead(404).end()
      return
    }
    const headers = { ...this.headers, etag: page.tag }
    if (known === page.tag) {
      this.unchanged++
      response.writeHead(304, headers).end()
      return
    }
    response.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(page.bytes)
  }
}
