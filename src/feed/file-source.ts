// A recording as a source: played in its own time or as fast as its budget allows, once or repeatedly.

import Type, { type Static } from 'typebox'
import type { Observation } from '../domain/observation.ts'
import { parseDateTime } from '../domain/time.ts'
import type { FedTransport } from '../domain/transport.ts'
import { FORMAT_NAMES, FORMATS, type FormatName } from '../source/formats.ts'
import { NEVER_BEHIND } from '../source/kit/cadence.ts'
import type { Connector, ConnectorContext, Producer } from '../source/kit/connector.ts'
import { unnamedText } from '../source/kit/format.ts'
import type { RecordingLimits, SourceFacts } from '../source/kit/normaliser.ts'
import { ms, type Planner } from '../source/kit/planner.ts'
import { BOOKMAKER, COMMON, flag, object, oneOf, payloadFields, seconds, text } from '../source/kit/settings.ts'
import type { Source, Start } from '../source/kit/source.ts'
import { Player } from './player.ts'
import type { RecordingsOptions } from './recordings.ts'
import { newestOf, readAll, rebaseShiftMs, shifted } from './replay.ts'

export interface FileSourceOptions {
  readonly path: string
  readonly format: FormatName
  readonly transport: FedTransport | null
  /** Speed, in multiples of the recording's own; null: as fast as possible. */
  readonly speed: number | null
  /** Whether its times are shifted to now; see `oddswire feed send --help`. */
  readonly rebase: boolean
  /** Pause between its end and the next play, ms; null: it is played once. */
  readonly repeatMs: number | null
  readonly facts: Partial<SourceFacts>
  readonly limits: RecordingLimits
}

/** A file that can be read gives a sign of life this often. */
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
  /** It was logged that the recording names no teams. */
  private isUnnamedLogged = false
  private plays = 0
  /** An observation of it is on the board. */
  private hasRecorded = false

  constructor(options: FileSourceOptions, context: ConnectorContext) {
    this.options = options
    this.context = context
    this.producer = context.producer(options.path)
    this.beat = setInterval(() => {
      if (!this.isFaulty) context.alive()
    }, BEAT_MS)
    this.running = this.play(options.speed)
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    clearInterval(this.beat)
    clearTimeout(this.again)
    await this.running
  }

  /** Reads the file once more, as fast as possible. */
  async refresh(): Promise<string | undefined> {
    if (this.options.speed !== null) return 'it is being played in its own time: there is nothing to fetch'
    clearTimeout(this.again)
    // After the current play and earlier refreshes.
    this.running = this.running.then(() => {
      clearTimeout(this.again)
      return this.play(null)
    })
    return this.running
  }

  /** In its own time it may play for hours: then the first observation counts. */
  hasDelivered(): boolean {
    return this.plays > 0 || (this.options.speed !== null && this.hasRecorded)
  }

  /** The names that the recording lacks, until it has them. */
  trouble(): string | null {
    const { path, format } = this.options
    const unnamed = unnamedText(FORMATS[format], this.context.account)
    return unnamed === undefined ? null : `${path} ${unnamed}`
  }

  facts(): Readonly<Record<string, string | number | boolean | null>> {
    return { file: this.options.path, format: this.options.format, plays: this.plays }
  }

  private async play(speed: number | null): Promise<string | undefined> {
    const { context, options, stopping } = this
    const { now, account } = context
    let unreadable: string | undefined
    const onMalformed: RecordingsOptions['onMalformed'] = (place, reason) => {
      unreadable ??= `${place}: ${reason}`
      context.onMalformed(place, reason)
    }
    const reading: RecordingsOptions = {
      ...options,
      paths: [options.path],
      account,
      onMalformed,
      signal: stopping.signal,
    }
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
      if (await this.producer.observe([due])) this.hasRecorded = true
    })
    if ('fault' in end) return this.fail(end.fault)
    const unnamed = this.isUnnamedLogged ? null : this.trouble()
    if (unnamed !== null) {
      this.isUnnamedLogged = true
      context.log('warn', unnamed)
    }
    // An empty file has no observations; a file of which nothing could be read is a fault.
    if (!hasSaid && unreadable !== undefined && account.totals().read === readBefore) {
      return this.fail(`${options.path}: nothing in it could be read (${unreadable})`)
    }
    this.isFaulty = false
    this.plays++
    context.alive()
    this.playAgain()
    return undefined
  }

  private fail(fault: string): string {
    this.isFaulty = true
    this.context.log('warn', fault)
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

const Settings = object({
  ...COMMON,
  ...BOOKMAKER,
  kind: Type.Literal('file'),
  path: text('the recording, relative to this file'),
  format: oneOf(FORMAT_NAMES, 'its format'),
  speed: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: 'times as fast as recorded; left out: as fast as possible',
    }),
  ),
  rebase: flag('whether its times are shifted to now', false),
  repeatSeconds: Type.Optional(seconds('how long after its end it starts again', undefined, 0)),
  ...payloadFields(FORMATS),
  receivedAt: Type.Optional(text('when it was received, RFC 3339')),
})

const start = (planner: Planner, settings: Static<typeof Settings>): Start => {
  const { format, rebase, speed = null, repeatSeconds, receivedAt, bookmaker, transport = null } = settings
  const received = receivedAt === undefined ? undefined : parseDateTime(receivedAt)?.epochMs
  if (receivedAt !== undefined && received === undefined) planner.wrong('receivedAt', 'must be an RFC 3339 date-time')
  const options = {
    path: planner.path(settings.path),
    format,
    transport,
    speed,
    rebase,
    repeatMs: repeatSeconds === undefined ? null : ms(repeatSeconds),
    facts: {
      ...(bookmaker === undefined ? {} : { bookmaker }),
      ...planner.payloads(settings),
      ...(received === undefined ? {} : { receivedAt: () => received }),
    },
    limits: planner.parts.limits,
  }
  const cadence = { beatMs: 0, lateMs: 10_000, downMs: 30_000, suspendMs: null, behindMsMax: NEVER_BEHIND }
  return { cadence, connect: (context) => new FileSource(options, context) }
}

export const fileSource = {
  kinds: { file: { settings: () => Settings, start } },
} satisfies Source
