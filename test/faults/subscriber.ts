// A desk that follows all prices, and resumes where it was.

import { Desk, readPoint } from '../stomp/desk.ts'
import type { ServerFrame } from '../stomp/strict-frames.ts'
import type { Violations } from './fault.ts'
import { Link, type LinkEnd } from './link.ts'
import type { Record } from './record.ts'

export const TOPIC = '/topic/odds.#'

export class Subscriber {
  readonly desk = new Desk({ destination: TOPIC, name: 'desk' })
  link: Link | undefined
  end: LinkEnd | undefined
  /** Messages so far. */
  messages = 0
  private readonly key: string
  private readonly record: Record
  private readonly violations: Violations

  constructor(key: string, record: Record, violations: Violations) {
    this.key = key
    this.record = record
    this.violations = violations
  }

  get seq(): number {
    return this.desk.seq ?? 0
  }

  /** @param resumeSeq resumes after it; by default after the last message */
  async connect(port: number, resumeSeq = this.desk.seq): Promise<void> {
    const { desk } = this
    this.end = undefined
    const link = await Link.open(port, this.key, (frame) => {
      if (frame.command === 'MESSAGE' && this.link === link) this.read(frame)
    })
    this.link = link
    void link.ended.then((end) => {
      if (this.link === link) this.end = end
    })
    if (resumeSeq === undefined) desk.awaitSnapshot()
    else desk.goOn(resumeSeq)
    link.send('SUBSCRIBE', { id: 'desk', destination: TOPIC, ...desk.resumeHeaders })
  }

  private read(frame: ServerFrame): void {
    this.messages++
    try {
      this.desk.apply(frame)
    } catch (error) {
      this.violations.add((error as Error).message)
    }
    this.desk.takeTold()
    const { epoch, seq } = readPoint(frame.headers.get('message-id')!)
    if (frame.headers.get('kind') === 'reset') return
    if (this.record.sawEpoch(epoch, 'the stream') && frame.headers.get('kind') === 'update') {
      this.record.sawMessage(seq, frame, false)
    }
  }
}

/** Reads the stream again from a point, and compares it with what was seen. */
export const readAgain = async (
  port: number,
  key: string,
  record: Record,
  afterSeq: number,
  violations: Violations,
): Promise<{ readonly isDone: () => boolean; readonly link: Link; readonly check: () => void }> => {
  const untilSeq = record.seqs.at(-1) ?? afterSeq
  const expected = record.seqs.filter((seq) => seq > afterSeq)
  const got: number[] = []
  let isDone = false
  const link = await Link.open(port, key, (frame) => {
    if (frame.command !== 'MESSAGE' || isDone) return
    const kind = frame.headers.get('kind')
    if (kind !== 'update') {
      violations.add(`a replay from ${afterSeq} got ${kind} ${frame.body.toString()}`)
      isDone = true
      return
    }
    const { seq } = readPoint(frame.headers.get('message-id')!)
    if (seq > untilSeq) {
      isDone = true
      return
    }
    got.push(seq)
    record.sawMessage(seq, frame, true)
  })
  link.send('SUBSCRIBE', { id: 'again', destination: TOPIC, 'from-seq': `${record.epoch}-${afterSeq}` })
  return {
    isDone: () => isDone,
    link,
    check() {
      const missing = expected.filter((seq) => !got.includes(seq))
      violations.check(
        missing.length === 0,
        () => `a replay from ${afterSeq} lacks ${missing.length} of ${expected.length}: ${missing[0]}…`,
      )
    },
  }
}
