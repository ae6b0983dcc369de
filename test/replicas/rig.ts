// Several real processes of one service on a real Redis, with load: feeds, desks that move, a reader of REST, and the history
// of what they have seen.

import { setTimeout as pause } from 'node:timers/promises'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Violations } from '../faults/fault.ts'
import { type Keys, keysOf, storeOf } from '../faults/rig.ts'
import { Server } from '../faults/server.ts'
import { until } from '../feeds/waiting.ts'
import { Random } from '../random.ts'
import { Feeder } from './feeder.ts'
import { History } from './history.ts'
import { RestWatch } from './rest-watch.ts'
import { RoamingDesk } from './roaming-desk.ts'

export interface RigOptions {
  readonly redisUrl: string
  /** For a process, by its place; default: the same for all. */
  readonly urlFor?: (place: number) => string
  readonly seed: number
  readonly processes?: number
  readonly args?: readonly string[]
  readonly feeds?: number
  readonly events?: number
  readonly window?: number
  /** See FeederOptions. */
  readonly lines?: number
  readonly rate?: number
  readonly desks?: number
  readonly restPauseMs?: number
  /** Who reads REST; default: `reader`, whose requests are counted. */
  readonly restAs?: 'reader' | 'desk'
  /** Each process has run alone before, with a log of its own. */
  readonly wereAlone?: boolean
}

const nameOf = (place: number): string => String.fromCodePoint(65 + place)

/** Of one process: its place among them is its name. */
export interface Member {
  readonly name: string
  readonly place: number
  readonly dataDir: string
  server: Server
  isUp: boolean
}

const COUNTING_LOOKS = 200

export class Rig {
  readonly folder = mkdtempSync(join(tmpdir(), 'oddswire-replicas-'))
  readonly violations = new Violations()
  readonly random: Random
  readonly history: History
  readonly members: Member[] = []
  readonly feeders: readonly Feeder[]
  readonly desks: readonly RoamingDesk[]
  readonly rest: RestWatch
  readonly keys: Keys
  private readonly options: RigOptions
  private turn = 0

  constructor(options: RigOptions) {
    this.options = options
    const { seed, feeds = 3, events = 20, window = 8, lines = 0, rate = 0, desks = 3 } = options
    this.random = new Random(seed)
    this.keys = keysOf(storeOf())
    const bookmakers = Array.from({ length: feeds }, (_, n) => `book_${n}`)
    const { violations, keys } = this
    const history = new History(bookmakers, events, violations)
    this.history = history
    this.feeders = history.books.map(
      (books, n) => new Feeder({ books, key: keys.feed, history, window, lines, rate, where: () => this.serverFor(n) }),
    )
    this.desks = Array.from({ length: desks }, (_, n) => {
      // The last of several.
      const isNumbered = n > 0 && n === desks - 1
      const name = `desk ${n}${isNumbered ? ', numbered' : ''}`
      return new RoamingDesk({ name, key: keys.desk, isNumbered, history, violations, where: () => this.next() })
    })
    this.rest = new RestWatch(keys[options.restAs ?? 'reader'], history, violations)
  }

  // --- processes

  get up(): readonly Member[] {
    return this.members.filter(({ isUp }) => isUp)
  }

  /** Each feed prefers a process of its own. */
  private serverFor(n: number): Server | undefined {
    const { up } = this
    return up.length === 0 ? undefined : up[(n + (up.length > 1 ? this.random.int(0, 1) : 0)) % up.length]!.server
  }

  /** One after the other. */
  private next(): Server | undefined {
    const { up } = this
    return up[this.turn++ % Math.max(1, up.length)]?.server
  }

  member(name: string): Member {
    return this.members.find((each) => each.name === name)!
  }

  /** Adds a process, and does not wait for it. */
  add(): Member {
    const name = nameOf(this.members.length)
    const dataDir = join(this.folder, name)
    if (!existsSync(dataDir)) cpSync(join(storeOf(), 'data'), dataDir, { recursive: true })
    const place = this.members.length
    const member: Member = { name, place, dataDir, server: this.spawn(dataDir, place, '--accept-store'), isUp: false }
    this.members.push(member)
    return member
  }

  private spawn(dataDir: string, place: number, ...more: readonly string[]): Server {
    const { redisUrl, urlFor = () => redisUrl } = this.options
    const url = urlFor(place)
    const args = [...(url === '' ? [] : ['--redis-url', url]), ...(this.options.args ?? []), ...more]
    return new Server({ dataDir, args })
  }

  async ready(member: Member): Promise<void> {
    await member.server.ready()
    member.isUp = true
  }

  /** SIGKILL. */
  async kill(member: Member): Promise<void> {
    member.isUp = false
    await member.server.end('SIGKILL')
  }

  /** SIGTERM: it must end in order. */
  async stop(member: Member): Promise<void> {
    member.isUp = false
    const code = await member.server.end('SIGTERM')
    this.violations.check(code === 0, () => `${member.name}: exit code ${code}: ${member.server.stderr}`)
  }

  /** Starts a process that was ended. */
  async restart(member: Member): Promise<void> {
    member.server = this.spawn(member.dataDir, member.place)
    await this.ready(member)
  }

  private async runAlone(processes: number): Promise<void> {
    const servers = Array.from({ length: processes }, (_, n) => {
      const dataDir = join(this.folder, nameOf(n))
      cpSync(join(storeOf(), 'data'), dataDir, { recursive: true })
      return new Server({ dataDir, args: ['--accept-store'] })
    })
    for (const server of servers) {
      await server.ready()
      await server.end('SIGTERM')
    }
  }

  // --- load

  /** Starts the processes and the load, until each event has an id and each desk a state. */
  async begin(): Promise<void> {
    const { processes = 2, restPauseMs = 10 } = this.options
    if (this.options.wereAlone === true) await this.runAlone(processes)
    for (let n = 0; n < processes; n++) this.add()
    await Promise.all(this.members.map((member) => this.ready(member)))
    for (const desk of this.desks) desk.start()
    for (const feeder of this.feeders) feeder.start()
    await this.until('all events have an id', () =>
      Array.from({ length: this.history.events }, (_, event) => this.history.idOf(event)).every(
        (id) => id !== undefined,
      ),
    )
    this.rest.start(() => this.up.map(({ name, server }) => [name, server] as const), restPauseMs)
  }

  /** Waits until so many more SENDs are confirmed. */
  async receipts(count: number, msMax?: number): Promise<void> {
    const target = this.history.receipts + count
    await this.until(`${count} more are confirmed`, () => this.history.receipts >= target, msMax)
  }

  /** Stops new observations. */
  hold(): void {
    for (const feeder of this.feeders) feeder.isFlowing = false
  }

  flow(): void {
    for (const feeder of this.feeders) {
      feeder.isFlowing = true
      feeder.flow()
    }
  }

  /** Waits until all are confirmed, the desks have everything, and the processes are at the same seq. */
  async settled(): Promise<void> {
    this.hold()
    await this.until('all are confirmed', () => this.feeders.every(({ waiting }) => waiting === 0))
    let seqs: readonly string[] = []
    await this.until(
      'all are at the same seq',
      async () => {
        seqs = await Promise.all(
          this.up.map(({ server }) => this.rest.bytes(server, '/sports').then(({ seq }) => seq, String)),
        )
        const { epoch, lastSeq, isSeen } = this.history
        return (
          seqs[0]?.startsWith(`200 ${epoch}-`) === true &&
          new Set(seqs).size === 1 &&
          this.desks.every(({ desk, isWhole }) => isWhole && desk.epoch === epoch && desk.seq! >= lastSeq) &&
          isSeen
        )
      },
      undefined,
      () => seqs.join('\n'),
    )
  }

  /** Stops the load, and compares all that there is at the end. */
  async check(): Promise<void> {
    await this.settled()
    const { history, violations, rest } = this
    for (const { name, server } of this.up) {
      for (let event = 0; event < history.events; event++) {
        let status = 0
        // After a restart of Redis limited plans wait until all processes have said what was used: 2 s.
        for (let left = COUNTING_LOOKS; status !== 200 && left > 0; left--) {
          status = await rest.read(name, server, event, true)
          if (status !== 200) await pause(50)
        }
        violations.check(status === 200, () => `${name}: event ${event} answers ${status}`)
      }
    }
    history.compare()
    history.checkReceipts()
    const [plain, ...desks] = this.desks.map(({ desk }) => JSON.stringify([...desk.quotes].sort()))
    for (const known of desks) violations.check(known === plain, () => `a desk knows ${plain}, another one ${known}`)
    const paths = ['/events?limit=200', '/bookmakers?sport=football', '/sports']
    for (let event = 0; event < history.events; event++)
      paths.push(`/events/${history.idOf(event)}/odds?transport=live`)
    const [first, ...others] = this.up
    for (const path of paths) {
      const expected = await this.counted(first!, path)
      for (const other of others) {
        const { name } = other
        const got = await this.counted(other, path)
        violations.check(
          got.seq === expected.seq && got.text === expected.text,
          () => `${path}: ${first!.name} ${expected.seq} ${expected.text} and ${name} ${got.seq} ${got.text}`,
        )
      }
    }
  }

  /** What a process answers once the request can be counted: where Redis takes over 50 ms to grant a block, it is refused. */
  private async counted({ server }: Member, path: string): ReturnType<RestWatch['bytes']> {
    let got = await this.rest.bytes(server, path)
    for (let left = COUNTING_LOOKS; got.seq.startsWith('503') && left > 0; left--) {
      await pause(50)
      got = await this.rest.bytes(server, path)
    }
    return got
  }

  /** Resets that desks got, by reason. */
  get resets(): readonly string[] {
    return this.desks.flatMap(({ desk }) => desk.resets)
  }

  /** Epochs that were seen. */
  get epochs(): readonly string[] {
    return [...this.history.epochs.keys()]
  }

  async until(
    what: string,
    look: () => boolean | Promise<boolean>,
    msMax = 40_000,
    more: () => string = () => '',
  ): Promise<void> {
    const told = (): string =>
      [
        more(),
        ...this.violations.lines,
        ...this.members.map(({ name, server }) => `--- ${name}\n${server.stderr.slice(-6_000)}`),
        ...this.desks.map(
          ({ desk, ends, connects }) =>
            `desk ${desk.phase} ${desk.epoch}-${desk.seq} ${JSON.stringify(desk.counts)} ${connects} ${[...ends].join(' ')}`,
        ),
        ...this.history.books
          .flat()
          .flatMap(({ name, unseen }) => (unseen.size > 0 ? [`${name} ${[...unseen].join()}`] : [])),
        [...this.rest.statuses].join(' '),
      ].join('\n')
    await until(what, look, told, msMax)
  }

  /** Ends everything. */
  async end(): Promise<void> {
    await Promise.all([
      this.rest.stop(),
      ...this.feeders.map((each) => each.stop()),
      ...this.desks.map((each) => each.stop()),
    ])
    await Promise.all(
      this.members
        .filter(({ server }) => !server.hasExited)
        .map(({ server }) => {
          server.signal('SIGCONT')
          return server.end('SIGKILL')
        }),
    )
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 })
  }
}
