// Compresses finished replies beside the event loop, each at most once, within a share of a core.

import { gzip } from 'node:zlib'
import { type Reply, withGzip } from './reply.ts'

/** Compresses in another thread; called back with undefined where that fails. */
export type Compress = (body: Buffer, done: (compressed: Buffer | undefined) => void) => void

export interface CompressorOptions {
  readonly bytesMin: number
  readonly bytesMax: number
  /** After one, so many times as long as it took. */
  readonly rest: number
  readonly elapsedMs: () => number
  /** For tests. */
  readonly compress?: Compress
}

// The level for speed: a quarter of the time of the usual one, for a few percent more octets.
const LEVEL = 1

const inPool: Compress = (body, done) => {
  // JSON becomes a tenth to a fifth: one chunk, nearly always.
  gzip(body, { level: LEVEL, chunkSize: Math.max(1024, body.length >>> 1) }, (error, compressed) => {
    // A copy, so that the rest of the chunk does not stay in memory.
    done(error === null ? Buffer.from(compressed) : undefined)
  })
}

export class Compressor {
  /** Replies that were compressed. */
  count = 0
  private readonly options: CompressorOptions
  private readonly compress: Compress
  private isBusy = false
  private nextMs = Number.NEGATIVE_INFINITY

  constructor(options: CompressorOptions) {
    this.options = options
    this.compress = options.compress ?? inPool
  }

  /** Whether replies like this one have a gzip form. */
  covers({ body, etag }: Reply): boolean {
    return etag !== '' && body.length >= this.options.bytesMin && body.length <= this.options.bytesMax
  }

  /**
   * A client that takes gzip gets this reply uncompressed. The first time is only noted: of a reply that changes before
   * anybody asks again, nothing is gained. From then on it is compressed as soon as there is time.
   * @param compressed called with the reply, which has its gzip form
   */
  note(reply: Reply, compressed: (reply: Reply) => void): void {
    if (!reply.isAskedFor) {
      reply.isAskedFor = true
      return
    }
    const { rest, elapsedMs } = this.options
    const startedMs = elapsedMs()
    if (this.isBusy || startedMs < this.nextMs) return
    this.isBusy = true
    reply.isHeld = true
    this.compress(reply.body, (bytes) => {
      this.isBusy = false
      const endedMs = elapsedMs()
      this.nextMs = endedMs + rest * (endedMs - startedMs)
      if (bytes === undefined || bytes.length >= reply.body.length) return
      this.count++
      reply.gzip = withGzip(reply, bytes)
      compressed(reply)
    })
  }
}
