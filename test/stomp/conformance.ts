// Cases: words of the contract (LIVE.md), and what must be true where they hold; over both carriers and all versions.
// A test file runs the cases of its sections against one service; the conformance table lists them all.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Sport } from '../../src/domain/sport.ts'
import { type Carrier, CARRIERS, type OpenOptions, RawClient } from './raw-client.ts'
import { type Fields, type ServerFrame, type Version, VERSIONS } from './strict-frames.ts'
import { type Fixture, World, type WorldOptions } from './world.ts'

/** What a case may differ in. */
export interface CaseOptions {
  /** Which of the things that the words say. */
  readonly what?: string
  readonly carriers?: readonly Carrier[]
  readonly versions?: readonly Version[]
  /** Why it does not run by default; it runs where ODDSWIRE_TEST_LONG is set. */
  readonly isLong?: string
}

export interface Case {
  /** Words of LIVE.md, exactly. */
  readonly line: string
  readonly what: string
  readonly carriers: readonly Carrier[]
  readonly versions: readonly Version[]
  readonly isLong: string | undefined
  readonly run: (at: At) => Promise<void>
}

/** One case. Runs over both carriers in all versions, unless it names others. */
export const holds = (line: string, run: (at: At) => Promise<void>, options: CaseOptions = {}): Case => ({
  line,
  what: options.what ?? '',
  carriers: options.carriers ?? CARRIERS,
  versions: options.versions ?? VERSIONS,
  isLong: options.isLong,
  run,
})

/** What does not depend on version or carrier is shown once, in the newest version over TCP. */
export const ONCE: CaseOptions = { carriers: ['tcp'], versions: ['1.2'] }
/** What does not depend on the version. */
export const NEWEST: CaseOptions = { versions: ['1.2'] }
/** What does not depend on the carrier. */
export const OVER_TCP: CaseOptions = { carriers: ['tcp'] }
export const OVER_WEBSOCKET: CaseOptions = { carriers: ['websocket'], versions: ['1.2'] }

/** Where a case runs: a carrier, a version, a bookmaker of its own. */
export class At {
  readonly world: World
  readonly carrier: Carrier
  readonly version: Version
  /** Says that this machine cannot show it, and why. */
  readonly skip: (why: string) => void
  private readonly clients: RawClient[] = []
  private ownBook: string | undefined

  constructor(world: World, carrier: Carrier, version: Version, skip: (why: string) => void) {
    this.world = world
    this.carrier = carrier
    this.version = version
    this.skip = skip
  }

  /** A bookmaker that only this case has. */
  get book(): string {
    this.ownBook ??= this.world.book()
    return this.ownBook
  }

  /** A client whose carrier is connected, and which has sent nothing. */
  async open(options: OpenOptions = {}): Promise<RawClient> {
    const client = await RawClient.open(this.world.endpoint, this.carrier, this.version, options)
    this.clients.push(client)
    return client
  }

  /** A connected customer. */
  async desk(headers: Fields = {}, key = this.world.deskKey): Promise<RawClient> {
    const client = await this.open()
    await client.connect({ passcode: key, ...headers })
    return client
  }

  /** A connected feed. */
  feeder(headers: Fields = {}): Promise<RawClient> {
    return this.desk(headers, this.world.feedKey)
  }

  /** An event of this case's bookmaker. */
  event(sport?: Sport): Promise<Fixture> {
    return this.world.event(this.book, sport)
  }

  /** Breaks all open connections. */
  end(): void {
    for (const client of this.clients) client.destroy()
  }

  /** What all clients sent and got. */
  transcript(): string {
    return this.clients
      .flatMap((client, place) => [`client ${place + 1} (${client.carrier} ${client.version})`, ...client.transcript()])
      .join('\n  ')
  }
}

/** The quotes of a MESSAGE, each as `outcome change odds status`; none of one that has none. */
export const quotesOf = (frame: ServerFrame): string[] => {
  const { quotes = [] } = JSON.parse(frame.body.toString('utf8')) as { quotes?: Record<string, unknown>[] }
  return quotes.map(({ outcome, change, odds, status }) => `${outcome} ${change ?? '-'} ${odds} ${status}`)
}

/** Seq of `EPOCH-SEQ` as a number, to compare within one epoch. */
export const seqOf = (id: string | undefined): number => {
  const match = /^[A-Za-z0-9._/-]+-(\d+)$/.exec(id ?? '')
  assert(match !== null, `no EPOCH-SEQ: ${id}`)
  return Number(match[1])
}

const inOrder = async (at: At, run: (at: At) => Promise<void>): Promise<void> => {
  try {
    await run(at)
  } catch (error) {
    const transcript = at.transcript()
    if (error instanceof Error && transcript !== '') error.message += `\n  ${transcript}`
    throw error
  } finally {
    at.end()
  }
}

/** How many cases are under way at a time: most of them wait for a heart-beat or a limit. */
const CONCURRENCY = 12

/** Runs cases against one service of their own. The name of each test is its line of LIVE.md. */
export const runCases = (
  title: string,
  cases: readonly Case[],
  options: WorldOptions = {},
  concurrency = CONCURRENCY,
): void => {
  describe(title, { concurrency }, () => {
    let world: World
    before(async () => {
      world = await World.start(options)
    })
    after(async () => {
      await world?.stop()
    })
    for (const { line, what, carriers, versions, isLong, run } of cases) {
      const skip = isLong !== undefined && process.env.ODDSWIRE_TEST_LONG === undefined && isLong
      for (const carrier of carriers) {
        for (const version of versions) {
          const name = `${line}${what === '' ? '' : ` (${what})`} · ${carrier} ${version}`
          it(name, { skip }, (t) => inOrder(new At(world, carrier, version, (why) => t.skip(why)), run))
        }
      }
    }
  })
}
