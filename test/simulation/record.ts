// What has happened, as a reference: the turns of the log, the state that follows from them in a process that never ends, the
// naive twin of it, and each change by its seq.

import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { NO_LINE } from '../../src/board/columns.ts'
import { type Changes, isEventNotice } from '../../src/board/changes.ts'
import { QuoteStates } from '../../src/board/quote-states.ts'
import { State } from '../../src/command/state.ts'
import type { ImageWriter } from '../../src/domain/image.ts'
import type { Turn } from '../../src/domain/input.ts'
import { MARKET_TYPES } from '../../src/domain/market.ts'
import { CAUSES, CHANGES, QUOTE_STATUSES } from '../../src/domain/quote.ts'
import { TRANSPORT_NUMBER, TRANSPORTS } from '../../src/domain/transport.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { LIMITS } from '../../src/limits.ts'
import { ChecksumWriter } from '../../src/log/checksum.ts'
import { changeText } from '../naive-engine.ts'
import { quoteName } from '../stomp/desk.ts'
import { TIME } from './time.ts'
import { pictureKey, Twin } from './twin.ts'

/** A change of a quote, or what was noted at a seq. */
export interface Entry {
  readonly seq: number
  /** As {@link changeText} writes it; of a notice, what it is about. */
  readonly text: string
  /** Undefined: a notice. */
  readonly change: string | undefined
  readonly eventId: string
  readonly sport: string
  readonly league: string
  readonly bookmaker: string
  readonly transport: string
  readonly type: string
  readonly odds: number
  readonly status: string
  /** {@link pictureKey} */
  readonly key: string
  /** As a desk names it. */
  readonly name: string
}

const outcomeText = (bytes: Uint8Array): string => JSON.parse(Buffer.from(bytes).toString()) as string

/** The changes of a turn, one for each seq. */
export const entriesOf = (engine: Engine, changes: Changes): Entry[] => {
  const entries: Entry[] = []
  let seq = changes.seqBefore
  for (let group = 0; group < changes.groups; group++) {
    const notice = changes.notice[group]
    if (notice !== undefined) {
      seq++
      const isEvent = isEventNotice(notice)
      const event = isEvent ? notice.event : undefined
      const text = isEvent
        ? `event ${notice.event.id} ${notice.before.join()} ${notice.after.join()} ${notice.mergedInto ?? ''}`
        : `health ${JSON.stringify(notice)}`
      entries.push({
        seq,
        text,
        change: undefined,
        eventId: event?.id ?? '',
        sport: event?.sport ?? '',
        league: event?.leagueKey ?? '',
        bookmaker: '',
        transport: '',
        type: '',
        odds: 0,
        status: '',
        key: '',
        name: '',
      })
      continue
    }
    const event = changes.event[group]!
    const transport = TRANSPORTS[changes.transport[group]!]!
    const bookmaker = engine.reader.bookmakerSlug(changes.bookmaker[group]!)
    for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) {
      seq++
      const change = CHANGES[changes.change[n]! - 1]!
      const type = MARKET_TYPES[changes.type[n]!]!
      const line = changes.line[n] === NO_LINE ? null : changes.line[n]! + 0
      const outcome = outcomeText(changes.outcome[n]!)
      const odds = changes.odds[n]!
      const status = QUOTE_STATUSES[changes.status[n]! - 1]!
      const cause = ['', ...CAUSES][changes.cause[n]!]!
      const seen = changes.observedAt[n]!
      entries.push({
        seq,
        text: changeText(change, event.id, bookmaker, transport, type, line, outcome, odds, status, seen, cause),
        change,
        eventId: event.id,
        sport: event.sport,
        league: event.leagueKey,
        bookmaker,
        transport,
        type,
        odds,
        status,
        key: pictureKey(event.id, bookmaker, transport, { type, line, outcome }),
        name: quoteName(event.id, bookmaker, type, line, outcome),
      })
    }
  }
  return entries
}

/** Passes all of a state on but for the limits of its process. */
const without = (writer: ImageWriter): ImageWriter => ({
  value: (name, value) => writer.value(name, name.startsWith('held ') ? (value as unknown[]).slice(0, -1) : value),
  column: (name, values) => writer.column(name, values),
  derived: (name, values) => writer.derived(name, values),
})

const saveTo = ({ engine, history }: State, writer: ImageWriter): void => {
  engine.save(without(writer))
  history.save(without(writer))
}

const checksumOf = (state: State): string => {
  const writer = new ChecksumWriter()
  saveTo(state, writer)
  return writer.digest()
}

/** The parts of a state, as text. */
const partsOf = (state: State): Map<string, string> => {
  const parts = new Map<string, string>()
  const writer: ImageWriter = {
    value: (name, value) => void parts.set(name, inspect(value, { depth: 9, maxArrayLength: null, breakLength: 1e9 })),
    column: (name, values) => void parts.set(name, values.join()),
    derived: () => {},
  }
  saveTo(state, writer)
  return parts
}

/** That two states are the same to the last octet. @returns their checksum */
export const assertSameState = (actual: State, expected: State, where: string): string => {
  const sum = checksumOf(actual)
  if (sum === checksumOf(expected)) return sum
  const [parts, others] = [partsOf(actual), partsOf(expected)]
  const lines: string[] = []
  for (const [name, text] of others) {
    const other = parts.get(name)
    if (other === text) continue
    let at = 0
    while (at < text.length && text[at] === other?.[at]) at++
    const around = (whole: string | undefined): string | undefined => whole?.slice(Math.max(0, at - 60), at + 60)
    lines.push(`"${name}" at ${at}: ${around(other)} instead of ${around(text)}`)
  }
  assert.fail(`the state ${where} is another one: ${lines.join('\n')}`)
}

export interface RecordOptions {
  readonly newState: () => State
  readonly limits: typeof LIMITS
  /** Whether the twin knows all that happens: it does not know merges, splits and names that are alike. */
  readonly hasTwin: boolean
}

export class Record {
  /** The turns of the log, by number from 1 on. */
  readonly turns: Turn[] = []
  /** Turns that were applied here. */
  position = 0
  state: State
  twin: Twin
  /** Changes by seq. */
  readonly entries: (Entry | undefined)[] = []
  /** Each quote that is open or suspended, by the changes alone. */
  readonly picture = new Map<string, string>()
  /** The last change of each. */
  readonly shown = new Map<string, Entry>()
  /** When there was a change last. */
  changedMs = 0
  /** What a process has published, by seq: of the current epoch. */
  readonly published = new Map<number, string>()
  private readonly options: RecordOptions

  constructor(options: RecordOptions) {
    this.options = options
    this.state = this.newState()
    this.twin = new Twin(options.limits.skewMsMax)
  }

  get seq(): number {
    return this.state.engine.seq
  }

  /** A process publishes a turn. */
  publish(engine: Engine, changes: Changes): void {
    for (const { seq, text } of entriesOf(engine, changes)) {
      const known = this.published.get(seq)
      assert(known === undefined || known === text, `seq ${seq} was published twice: ${known}, then ${text}`)
      this.published.set(seq, text)
    }
  }

  /** Applies turns up to a number. */
  applyTo(position: number): void {
    while (this.position < position) {
      const turn = this.turns[this.position]!
      this.position++
      this.state.apply(turn)
      if (this.options.hasTwin) this.twin.apply(turn)
    }
  }

  /**
   * Turns after a number are lost.
   * @param isNewEpoch seqs begin to be used for other changes
   */
  endAt(position: number, isNewEpoch: boolean): void {
    this.turns.length = position
    if (isNewEpoch) this.published.clear()
    if (this.position > position) this.begin(position)
  }

  /** Other turns are there instead. */
  replace(turns: readonly Turn[]): void {
    this.turns.length = 0
    this.turns.push(...turns)
    this.begin(0)
  }

  private begin(position: number): void {
    this.position = 0
    this.state = this.newState()
    this.twin = new Twin(this.options.limits.skewMsMax)
    this.entries.length = 0
    this.picture.clear()
    this.shown.clear()
    this.applyTo(position)
  }

  /** When the 24 hours of a live quote that is shown are over, epoch ms. Observing it again is no change: the board knows. */
  staleAtOf({ eventId, bookmaker, name }: Entry): number {
    const { board, reader } = this.state.engine
    const quotes = new QuoteStates(board).find(
      reader.eventOf(eventId)!,
      reader.bookmakerNumber(bookmaker),
      TRANSPORT_NUMBER.live,
      {},
    )
    return quotes.find(
      ({ type, line, outcome }) => quoteName(eventId, bookmaker, MARKET_TYPES[type]!, line, outcome) === name,
    )!.staleAt
  }

  /** What the naive twin and the changes say must be the same. */
  check(): void {
    if (!this.options.hasTwin) return
    const expected = this.twin.picture()
    for (const [key, shown] of expected) {
      assert.equal(this.picture.get(key), shown, `${key}: by the changes, and by the twin`)
    }
    if (this.picture.size > expected.size) {
      const more = [...this.picture.keys()].find((key) => !expected.has(key))
      assert.fail(`${more} is ${this.picture.get(more!)} by the changes, and not there by the twin`)
    }
  }

  private newState(): State {
    const state = this.options.newState()
    state.engine.onTurn((changes) => this.append(entriesOf(state.engine, changes)))
    return state
  }

  private append(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const { seq, text, change, key, odds, status } = entry
      assert.equal(this.entries[seq], undefined, `seq ${seq} is given twice`)
      this.entries[seq] = entry
      const published = this.published.get(seq)
      assert(published === undefined || published === text, `seq ${seq} was published as ${published}, and is ${text}`)
      if (change === undefined) continue
      this.checkChange(entry)
      this.changedMs = TIME.nowMs
      if (change === 'closed' || change === 'aged_out') {
        this.picture.delete(key)
        this.shown.delete(key)
      } else {
        this.picture.set(key, `${odds} ${status}`)
        this.shown.set(key, entry)
      }
    }
  }

  private checkChange({ seq, change, key, odds, status }: Entry): void {
    const before = this.picture.get(key)
    const where = `seq ${seq}: ${change} of ${key}, before ${before}, now ${odds} ${status}`
    const [oddsBefore, statusBefore] = before?.split(' ') ?? []
    const needed = { added: [undefined], suspended: ['open'], reopened: ['suspended'] }[change!]
    if (needed === undefined) assert(before !== undefined, where)
    else assert(needed.includes(statusBefore as never), where)
    if (change === 'repriced') assert(statusBefore === status && oddsBefore !== String(odds), where)
  }
}
