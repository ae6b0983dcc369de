// One subscription that keeps state: what to ask for at a SUBSCRIBE, and what its messages mean (docs/live-protocol.md 3
// and 4). The point to resume from is the last message-id without a dot.

export interface MessageHeaders {
  readonly kind?: string
  readonly 'message-id'?: string
  readonly prev?: string
}

/** What keeps the state. */
export interface TopicSink {
  /** What it holds is void: a snapshot follows. */
  void(): void
  take(body: unknown, isSnapshot: boolean): void
  /** The snapshot is whole. */
  whole(): void
}

const parse = (point: string): { readonly epoch: string; readonly seq: number } => {
  const dash = point.indexOf('-')
  // `EPOCH-SEQ.N`: the part behind the dot is none of the seq.
  return { epoch: point.slice(0, dash), seq: Number.parseInt(point.slice(dash + 1), 10) }
}

export class TopicReader {
  /** Snapshot complete, or resumed. */
  isWhole = false
  /** The server merges prices because this page does not keep up. */
  isDegraded = false
  resumes = 0
  resets = 0
  gaps = 0
  private point: string | undefined
  private seen = { epoch: '', seq: -1 }
  private readonly sink: TopicSink

  constructor(sink: TopicSink) {
    this.sink = sink
  }

  /** Headers of the SUBSCRIBE: goes on from the last point, or begins anew. */
  begin(): Readonly<Record<string, string>> {
    if (this.point !== undefined) {
      this.resumes++
      return { 'from-seq': this.point }
    }
    this.isWhole = false
    this.seen = { epoch: '', seq: -1 }
    this.sink.void()
    return { snapshot: 'true' }
  }

  /** @returns false where messages are missing: the subscription must begin anew */
  receive(headers: MessageHeaders, body: string): boolean {
    const { kind = 'update', 'message-id': id = '', prev } = headers
    if (kind === 'update' && prev !== undefined && this.isAhead(prev)) {
      this.gaps++
      this.point = undefined
      return false
    }
    switch (kind) {
      case 'reset':
        this.resets++
        this.isWhole = false
        this.point = undefined
        this.seen = { epoch: '', seq: -1 }
        this.sink.void()
        return true
      case 'snapshot':
        this.sink.take(JSON.parse(body), true)
        return true
      case 'snapshot-end':
        this.isWhole = true
        this.sink.whole()
        break
      case 'update':
        this.isWhole = true
        this.sink.take(JSON.parse(body), false)
        break
      case 'degraded':
        this.isDegraded = true
        break
      case 'restored':
        this.isDegraded = false
        break
      // Kinds that come later are no error.
    }
    this.pass(id)
    return true
  }

  private pass(id: string): void {
    const { epoch, seq } = parse(id)
    if (epoch !== this.seen.epoch || seq > this.seen.seq) this.seen = { epoch, seq }
    if (!id.includes('.') && id !== '') this.point = id
  }

  private isAhead(prev: string): boolean {
    const { epoch, seq } = parse(prev)
    return epoch === this.seen.epoch && seq > this.seen.seq
  }
}
