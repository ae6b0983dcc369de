// A server with load: publishers, a desk, a reader of REST, and the record of what they have seen.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../feeds/waiting.ts'
import { Random } from '../random.ts'
import { shownFrame } from '../stomp/strict-frames.ts'
import { Violations } from './fault.ts'
import { Publisher } from './publisher.ts'
import { Reader } from './reader.ts'
import { Record } from './record.ts'
import { command, Server, type ServerOptions } from './server.ts'
import { readAgain, Subscriber } from './subscriber.ts'

export interface RigOptions {
  /** An empty folder. */
  readonly folder: string
  /** What {@link makeStore} has made. */
  readonly store: string
  readonly seed: number
  readonly args?: readonly string[]
  readonly publishers?: number
  readonly events?: number
  readonly window?: number
  /** Where the data is; by default below the folder. */
  readonly dataDir?: string
}

/** Requests of a month that the reader's plan has: so many that the figure is only counted down. */
const MONTHLY = 1_000_000_000

/** A replay is compared from at most so many messages back. */
const AGAIN_MAX = 2_000

export interface Keys {
  readonly feed: string
  readonly desk: string
  readonly reader: string
}

const BOOKMAKERS_MAX = 6

const bookmakerOf = (n: number): string => `book_${n}`

/** Makes a data folder by the command line: coverage, organizations and keys. */
export const makeStore = (folder: string): void => {
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { recursive: true })
  const slugs = Array.from({ length: BOOKMAKERS_MAX }, (_, n) => bookmakerOf(n))
  const coverage = join(folder, 'coverage.json')
  const bookmakers = slugs.map((slug) => ({
    slug,
    displayName: slug,
    region: 'Europe',
    countries: ['SE'],
    sourceMode: 'direct',
    customerNote: '',
    coverage: [
      { sports: ['*'], status: 'verified_rest_live', restAvailable: true, liveAvailable: true, lastVerifiedAt: null },
    ],
  }))
  writeFileSync(coverage, JSON.stringify({ bookmakers }))
  command(dataDir, 'coverage', 'import', coverage)
  command(dataDir, 'plan', 'set', 'counted', '--hourly', '0', '--monthly', String(MONTHLY))
  command(dataDir, 'org', 'create', 'desks', '--plan', 'desk', '--bookmakers', '*')
  command(dataDir, 'org', 'create', 'readers', '--plan', 'counted', '--bookmakers', '*')
  const keys: Keys = {
    feed: command(dataDir, 'key', 'create', '--org', 'desks', '--feed', slugs.join(',')),
    desk: command(dataDir, 'key', 'create', '--org', 'desks'),
    reader: command(dataDir, 'key', 'create', '--org', 'readers'),
  }
  writeFileSync(join(folder, 'keys.json'), JSON.stringify(keys))
}

let madeStore: string | undefined

/** What {@link makeStore} has made, once for all of this process: seven commands take 3 s of a processor. To be copied. */
export const storeOf = (): string => {
  if (madeStore === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'oddswire-store-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    makeStore(folder)
    madeStore = folder
  }
  return madeStore
}

export const keysOf = (store: string): Keys => JSON.parse(readFileSync(join(store, 'keys.json'), 'utf8')) as Keys

/** Copies what {@link makeStore} has made. */
const copyStore = (store: string, dataDir: string): Keys => {
  cpSync(join(store, 'data'), dataDir, { recursive: true })
  return keysOf(store)
}

export class Rig {
  readonly violations = new Violations()
  readonly dataDir: string
  readonly keys: Keys
  readonly record: Record
  readonly publishers: readonly Publisher[]
  readonly subscriber: Subscriber
  readonly reader: Reader
  readonly random: Random
  server!: Server
  private readonly options: RigOptions

  constructor(options: RigOptions) {
    this.options = options
    const { folder, store, seed, publishers = 3, events = 20, window = 16 } = options
    this.random = new Random(seed)
    this.dataDir = options.dataDir ?? join(folder, 'data')
    const bookmakers = Array.from({ length: publishers }, (_, n) => bookmakerOf(n))
    this.keys = copyStore(store, this.dataDir)
    const { violations } = this
    this.record = new Record(bookmakers, events, violations)
    this.publishers = this.record.books.map(
      (books, n) =>
        new Publisher({ bookmaker: bookmakers[n]!, books, key: this.keys.feed, record: this.record, window }),
    )
    this.subscriber = new Subscriber(this.keys.desk, this.record, violations)
    this.reader = new Reader(this.keys.reader, this.record, violations)
  }

  spawn(options: Partial<ServerOptions> = {}): Server {
    return new Server({ dataDir: this.dataDir, args: this.options.args ?? [], ...options })
  }

  /** Starts the server, and waits until it is ready. */
  async start(options: Partial<ServerOptions> = {}): Promise<Server> {
    this.server = this.spawn(options)
    return this.server.ready()
  }

  async connectPublishers(): Promise<void> {
    for (const publisher of this.publishers) publisher.isFlowing = true
    await Promise.all(this.publishers.map((publisher) => publisher.connect(this.server.ports.stomp)))
  }

  connectDesk(resumeSeq?: number): Promise<void> {
    return this.subscriber.connect(this.server.ports.stomp, resumeSeq ?? this.subscriber.desk.seq)
  }

  readRest(connections = 2): void {
    this.reader.start(this.server.ports.http, connections)
  }

  /** The first start: desk, reader and publishers, until each event has a price. */
  async begin(options: Partial<ServerOptions> = {}): Promise<void> {
    await this.start(options)
    await this.connectDesk()
    await this.connectPublishers()
    await this.until('all events have an id', () => this.record.eventIds.every((id) => id !== undefined))
    this.readRest()
  }

  /** Waits until so many more observations are confirmed. */
  async receipts(count: number, msMax?: number): Promise<void> {
    const target = this.record.receipts + count
    await this.until(`${count} more are confirmed`, () => this.record.receipts >= target, msMax)
  }

  /** Stops new observations, and waits until all are confirmed. */
  async quiet(): Promise<void> {
    for (const publisher of this.publishers) publisher.isFlowing = false
    await this.until('all are confirmed', () => this.publishers.every(({ waiting }) => waiting === 0))
  }

  flow(): void {
    for (const publisher of this.publishers) {
      publisher.isFlowing = true
      publisher.flow()
    }
  }

  /** Waits until the desk has everything that was confirmed. Publishers must be quiet. */
  async settled(): Promise<void> {
    const has = () =>
      this.record.books
        .flat()
        .every((book) => book.receipted === 0 || (book.points.at(-1)?.number ?? 0) >= book.receipted)
    while (!has()) {
      await this.until('the desk has everything', () => has() || this.subscriber.end !== undefined)
      if (has()) break
      // It shares the processor of the feeds here, and may be too slow for them.
      const reason = this.subscriber.end?.error?.headers.get('message')
      if (reason !== 'slow_consumer') throw new Error(`the desk was disconnected: ${reason}`)
      await this.connectDesk()
    }
    this.record.compare(this.subscriber.seq)
  }

  /** After the process is gone: its clients notice. */
  async gone(): Promise<void> {
    await this.until('all connections have ended', () =>
      [...this.publishers, this.subscriber].every(({ link }) => link === undefined || link.hasEnded),
    )
    await this.reader.stop()
    this.checkEnds()
  }

  /** What clients were sent must have been STOMP. */
  private checkEnds(): void {
    for (const { end } of [...this.publishers, this.subscriber]) {
      if (end?.fault !== undefined) this.violations.add(`ill-formed: ${end.fault.message}`)
    }
  }

  /** A replay from a random earlier point equals what was seen. @returns to be called when the load goes on */
  async again(): Promise<() => Promise<void>> {
    const { seqs } = this.record
    const back = this.random.int(1, Math.min(AGAIN_MAX, Math.max(1, seqs.length)))
    const afterSeq = seqs[seqs.length - back]
    if (afterSeq === undefined) return async () => {}
    const reading = await readAgain(this.server.ports.stomp, this.keys.desk, this.record, afterSeq, this.violations)
    return async () => {
      await this.until('the replay is read', () => reading.isDone() || reading.link.hasEnded)
      reading.link.destroy()
      reading.check()
    }
  }

  /**
   * After a start on data that is not what it was: either nothing is missing and the epoch goes on, or another one has
   * begun, only former prices are shown, and the desk gets a reset. Ends with load.
   * @returns whether a new epoch has begun
   */
  async goOnWithEither(what: string): Promise<boolean> {
    const { record, reader, subscriber, violations, server } = this
    const formerEpoch = record.epoch
    const { epoch } = await reader.auditSent(server.ports.http)
    const isNew = epoch !== formerEpoch
    const resets = subscriber.desk.resets.length
    if (isNew) record.beginEpoch()
    else await reader.audit(server.ports.http)
    await this.connectDesk()
    await this.connectPublishers()
    await this.receipts(1)
    await this.until('the desk has a point', () => subscriber.desk.phase === 'state')
    const reasons = subscriber.desk.resets.slice(resets)
    const isTold = isNew ? reasons.length === 1 && reasons[0] === 'epoch' : reasons.length === 0
    violations.check(
      isTold,
      () => `${what}: ${isNew ? 'new' : 'same'} epoch, resets of the desk: ${reasons.join(', ') || 'none'}`,
    )
    await this.until('all events have an id', () => record.eventIds.every((id) => id !== undefined))
    record.compare(subscriber.seq)
    return isNew
  }

  /** Requests given twice, or counted although nobody got an answer. Call after an audit. */
  checkQuota(crashes: number): string {
    const { used, answered, broken } = this.reader
    if (used === undefined) return 'quota unknown'
    this.violations.check(used >= answered, () => `${answered} requests were answered, and only ${used} counted`)
    const made = answered + broken
    // Two blocks are lost with each crash: of 50 requests, or where blocks have grown, of no more than that life had used.
    const most = made + 100 * crashes + 2 * made
    this.violations.check(used <= most, () => `${used} requests were counted, at most ${most} were made or reserved`)
    return `${answered} requests answered, ${used} counted`
  }

  async until(what: string, look: () => boolean, msMax = 120_000): Promise<void> {
    const ends = () =>
      [...this.publishers, this.subscriber].flatMap(({ end }) =>
        end?.error === undefined ? [] : [shownFrame(end.error)],
      )
    await until(what, look, () => [this.server.stderr, ...this.violations.lines, ...ends()].join('\n'), msMax)
  }

  /** Ends the server in order, and its clients. */
  async end(): Promise<void> {
    if (!this.server.hasExited) {
      const code = await this.server.end('SIGTERM')
      this.violations.check(code === 0, () => `exit code ${code} at SIGTERM: ${this.server.stderr}`)
    }
    await this.gone()
  }
}
