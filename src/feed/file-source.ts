// A recording as a source: played in its own time, as fast as its budget allows, or over and over again.

import type { Observation } from '../domain/observation.ts'
import type { FedTransport } from '../domain/transport.ts'
import { type FormatName, unnamedText } from '../source/formats.ts'
import type { SourceFacts } from '../source/kit/normaliser.ts'
import type { Connector, ConnectorContext, Producer } from '../source/kit/connector.ts'
import { Player } from './player.ts'
import { type RecordingLimits, type RecordingOptions } from './recording.ts'
import { newestOf, readAll, rebaseShiftMs, shifted } from './replay.ts'

export interface FileSourceOptions {
  readonly path: string
  readonly format: FormatName
  readonly transport: FedTransport | null
  /** How many times as fast as it was recorded; null: as fast as it can be taken. */
  readonly speed: number | null
  /** Whether its times are made those of now; see `oddswire feed send --help`. */
  readonly rebase: boolean
  /** Begin again this long after its end, ms; null: once is enough. */
  readonly repeatMs: number | null
  readonly facts: Partial<SourceFacts>
  readonly limits: RecordingLimits
}

/** A file is there as long as it can be read: it gives a sign of life this often. */
const BEAT_MS = 1_000

export class FileSource implements Connector {
  private readonly options: FileSourceOptions
  private readonly context: ConnectorContext
  private readonly producer: Producer
  private readonly stopping = new AbortController()
  private running: Promise<string | undefined>
  private readonly beat: NodeJS.Timeout
  private again: NodeJS.Timeout | undefined
  private isFaulty = false
  /** It was told that the recording names no teams. */
  private isUnnamedTold = false
  private plays = 0
  /** An observation of it has come to the board. */
  private hasGiven = false

  constructor(options: FileSourceOptions, context: ConnectorContext) {
    this.options = options
    this.context = context
    this.producer = context.producer(options.path)
    this.beat = setInterval(() => {
      if (!this.isFaulty) context.hear()
    }, BEAT_MS)
    this.running = this.play(options.speed)
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    clearInterval(this.beat)
    clearTimeout(this.again)
    await this.running
  }

  /** Reads the file once more, as fast as it can be taken. */
  async refresh(): Promise<string | undefined> {
    if (this.options.speed !== null) return 'it is being played in its own time, and has only what it gives just now'
    clearTimeout(this.again)
    // After whatever is being played, and whoever asked before.
    this.running = this.running.then(() => {
      clearTimeout(this.again)
      return this.play(null)
    })
    return this.running
  }

  /** In its own time it may go on for hours: then its first observation counts. */
  hasDelivered(): boolean {
    return this.plays > 0 || (this.options.speed !== null && this.hasGiven)
  }

  /** What the recording does not name, for as long as it is not named. */
  trouble(): string | null {
    const { path, format } = this.options
    const unnamed = unnamedText(format, this.context.account)
    return unnamed === undefined ? null : `${path} ${unnamed}`
  }

  facts(): Readonly<Record<string, string | number | boolean | null>> {
    return { file: this.options.path, format: this.options.format, plays: this.plays }
  }

  private async play(speed: number | null): Promise<string | undefined> {
    const { context, options, stopping } = this
    const { now, account } = context
    let unreadable: string | undefined
    const onMalformed: RecordingOptions['onMalformed'] = (place, reason) => {
      unreadable ??= `${place}: ${reason}`
      context.onMalformed(place, reason)
    }
    const reading: RecordingOptions = { ...options, account, onMalformed, signal: stopping.signal }
    const readBefore = account.totals().read
    let hasSaid = false
    let shiftMs = 0
    if (options.rebase && speed === null) {
      const newestAt = await newestOf(reading)
      if (newestAt === undefined) return undefined
      if (typeof newestAt !== 'number') return this.fail(newestAt.fault)
      if (newestAt !== Number.NEGATIVE_INFINITY) shiftMs = rebaseShiftMs(newestAt, now())
    }
    const player = speed === null ? undefined : new Player(speed, { now, rebase: options.rebase }, stopping.signal)
    const end = await readAll(reading, async (observation: Observation) => {
      if (stopping.signal.aborted) return
      const due = player === undefined ? shifted(observation, shiftMs) : await player.play(observation)
      hasSaid = true
      if (due === undefined) return
      await this.producer.take([due])
      this.hasGiven = true
    })
    if ('fault' in end) return this.fail(end.fault)
    const unnamed = this.isUnnamedTold ? null : this.trouble()
    if (unnamed !== null) {
      this.isUnnamedTold = true
      context.tell('warn', unnamed)
    }
    // An empty file says that there is nothing; one of which nothing could be read says nothing at all.
    if (!hasSaid && unreadable !== undefined && account.totals().read === readBefore) {
      return this.fail(`${options.path}: nothing in it could be read (${unreadable})`)
    }
    this.isFaulty = false
    this.plays++
    context.hear()
    this.playAgain()
    return undefined
  }

  private fail(fault: string): string {
    this.isFaulty = true
    this.context.tell('warn', fault)
    this.playAgain()
    return fault
  }

  private playAgain(): void {
    const { repeatMs, speed } = this.options
    if (repeatMs === null || this.stopping.signal.aborted) return
    this.again = setTimeout(() => {
      this.running = this.play(speed)
    }, repeatMs)
  }
}
