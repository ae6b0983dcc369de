// Feeds that send to any process, and again where no RECEIPT comes: what was receipted is on the board, and nothing is there
// more often than it was sent.

import assert from 'node:assert/strict'
import type { State } from '../../src/command/state.ts'
import { NO_PRODUCER } from '../../src/domain/feed-source.ts'
import { Random } from '../random.ts'
import type { Entry } from './record.ts'
import type { ReplicaProcess } from './replica-process.ts'
import type { ReplicaWorld } from './replica-world.ts'
import { TIME } from './time.ts'
import { BOOKS, Reports, sightingOf } from './world-data.ts'
import * as clock from '../../src/clock.ts'

/** What a feed says of its quote. */
interface Statement {
  readonly odds: number
  readonly observedAt: number
  attempts: number
  /** Attempts without an answer: they may still take effect. */
  open: number
  /** Order of the last receipt of all; 0: none. */
  receipted: number
  receiptedMs: number
}

interface Attempt {
  readonly process: ReplicaProcess
  readonly statement: Statement
  readonly feed: Feed
  isOver: boolean
}

/** One quote, of which nobody else speaks. */
interface Feed {
  readonly n: number
  statements: Statement[]
  observedAt: number
}

const FEEDS = 6
/** A feed that has no RECEIPT sends again, ms. */
const RETRY_MS = 3_000
/** Statements that are kept of each. */
const STATEMENTS_MAX = 400

export class ReplicaFeeds {
  private readonly world: ReplicaWorld
  private readonly reports = new Reports()
  private readonly feeds: readonly Feed[]
  private readonly attempts = new Set<Attempt>()
  /** Changes to odds that only one statement has, by epoch and odds. */
  private readonly applied = new Map<string, number>()
  private readonly byOdds = new Map<number, Statement>()
  private receipts = 0
  private oddsNext = 2_000

  constructor(world: ReplicaWorld) {
    this.world = world
    this.feeds = Array.from({ length: FEEDS }, (_, n) => ({ n, statements: [], observedAt: 0 }))
  }

  /** Inputs of any kind, at any process. */
  some(random: Random): void {
    for (let count = random.int(1, 5); count > 0; count--) {
      const process = this.anyOf(random)
      if (process === undefined) return
      const input = this.reports.input(random, clock.now())
      this.at(process, () => process.server!.turns.add(input))
    }
  }

  burst(random: Random): void {
    for (let count = random.int(20, 80); count > 0; count--) this.some(random)
  }

  /** Some feeds have news. */
  send(random: Random): void {
    for (const feed of this.feeds) if (random.chance(0.4)) this.news(feed, random)
  }

  sendAll(random: Random): void {
    for (const feed of this.feeds) {
      feed.observedAt = Math.max(feed.observedAt + 1, clock.now())
      this.say(feed, feed.observedAt, random)
    }
  }

  /** A process has ended: nobody answers. */
  gone(process: ReplicaProcess): void {
    for (const attempt of this.attempts) if (attempt.process === process) this.attempts.delete(attempt)
  }

  /** A change has been published for the first time. */
  changed(epoch: string, { odds, change }: Entry): void {
    const statement = this.byOdds.get(odds)
    if (statement === undefined || (change !== 'added' && change !== 'repriced')) return
    const key = `${epoch} ${odds}`
    const times = (this.applied.get(key) ?? 0) + 1
    this.applied.set(key, times)
    // Each is recorded for REST and for the live channel.
    assert(
      times <= 2 * statement.attempts,
      `odds ${odds} were sent ${statement.attempts} times, and applied more often`,
    )
  }

  checkEnd(state: State): void {
    const { quotes } = state.engine.board
    const shown = new Set(Array.from({ length: quotes.length }, (_, slot) => quotes.oddsOf(slot)))
    for (const { n, statements } of this.feeds) {
      const lost = ({ receiptedMs }: Statement): boolean =>
        this.world.redis.losses.some(({ atMs, keptMs }) => receiptedMs <= atMs && receiptedMs >= keptMs - 50)
      const last = statements
        .filter((statement) => statement.receipted > 0 && !lost(statement))
        .reduce<Statement | undefined>(
          (best, each) =>
            best === undefined ||
            each.observedAt > best.observedAt ||
            (each.observedAt === best.observedAt && each.receipted > best.receipted)
              ? each
              : best,
          undefined,
        )
      if (last === undefined) continue
      const later = statements.filter(
        (each) =>
          each.observedAt > last.observedAt ||
          (each.observedAt === last.observedAt && (each === last || each.open > 0 || each.receipted > last.receipted)),
      )
      assert(
        later.some(({ odds }) => shown.has(odds)),
        `feed ${n}: odds ${last.odds} were receipted at ${Math.round(last.receiptedMs)} ms and are not on the board, nor what followed`,
      )
      this.world.count('feed compared')
    }
  }

  private anyOf(random: Random): ReplicaProcess | undefined {
    const { serving } = this.world
    const ready = serving.filter(({ server }) => !server!.turns.isFull)
    return ready.length === 0 ? undefined : random.pick(ready)
  }

  private news(feed: Feed, random: Random): void {
    // Newer than all of before, by the clock of the feed.
    feed.observedAt = Math.max(feed.observedAt + 1, clock.now() - random.int(0, 500))
    const { observedAt } = feed
    this.say(feed, observedAt, random, () => {
      // The same moment, corrected: what arrives later counts.
      if (random.chance(0.5) && feed.observedAt === observedAt) this.say(feed, observedAt, random)
    })
    if (random.chance(0.3)) this.say(feed, observedAt, random)
  }

  private say(feed: Feed, observedAt: number, random: Random, receipted?: () => void): void {
    const odds = this.oddsNext++ / 1_000 + 1_000
    const statement: Statement = { odds, observedAt, attempts: 0, open: 0, receipted: 0, receiptedMs: 0 }
    feed.statements.push(statement)
    if (feed.statements.length > STATEMENTS_MAX) feed.statements.shift()
    this.byOdds.set(odds, statement)
    this.attempt(feed, statement, random, receipted)
  }

  private attempt(feed: Feed, statement: Statement, random: Random, receipted: (() => void) | undefined): void {
    if (statement.receipted > 0 || statement.attempts >= 5) return
    TIME.outside(RETRY_MS, () => this.attempt(feed, statement, random, receipted))
    const process = this.anyOf(random)
    if (process === undefined) return
    const attempt: Attempt = { process, statement, feed, isOver: false }
    this.attempts.add(attempt)
    statement.attempts++
    statement.open++
    const { n } = feed
    const observation = {
      bookmaker: BOOKS[n]!,
      transport: 'both',
      observedAt: statement.observedAt,
      event: sightingOf(n, `feed${n}`),
      prices: [{ type: 'btts', line: null, outcome: 'yes', odds: statement.odds, status: 'open' }],
      others: 'keep',
    } as const
    this.at(process, () =>
      process.server!.turns.add(
        { kind: 'observe', observation, producer: NO_PRODUCER, doubt: undefined },
        (refusal) => {
          if (!this.attempts.delete(attempt)) return
          statement.open--
          this.world.count(refusal === undefined ? 'receipt' : 'refused')
          if (refusal !== undefined) return
          statement.receipted = ++this.receipts
          statement.receiptedMs = TIME.nowMs
          if (receipted !== undefined) TIME.outside(0.01, receipted)
        },
      ),
    )
  }

  private at(process: ReplicaProcess, act: () => void): void {
    TIME.touch()
    TIME.as(process, act)
  }
}
