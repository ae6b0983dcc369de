// Callers of REST: every answer is what the naive twin says, equal bytes have equal tags, and requests are counted exactly.

import assert from 'node:assert/strict'
import * as clock from '../../src/clock.ts'
import type { Bookmaker } from '../../src/domain/coverage.ts'
import { outcomeSortKey } from '../../src/domain/market.ts'
import { refuse } from '../../src/domain/refusal.ts'
import { SPORT_NAMES, type Sport, SPORTS as ALL_SPORTS } from '../../src/domain/sport.ts'
import type { Transport } from '../../src/domain/transport.ts'
import { errorReply } from '../../src/rest/reply.ts'
import type { Exchange } from '../../src/rest/exchange.ts'
import type { Random } from '../random.ts'
import type { Customer } from './account-book.ts'
import { BOOKS, LEAGUES, SPORTS } from './world-data.ts'
import type { Server } from './server.ts'
import { TIME } from './time.ts'
import type { World } from './world.ts'

const UNANSWERED = errorReply(refuse('service_unavailable', ''))

interface Expected {
  readonly status: number
  /** Undefined: not known, or not looked at. */
  readonly body: object | undefined
}

interface Ask {
  readonly path: string
  readonly rawQuery: string
  readonly transport: Transport
  /** What the twin says now. */
  readonly expected: () => Expected | undefined
}

/** Requests of a window. */
interface Counted {
  admitted: number
  /** What processes that were killed may have reserved and not used. */
  lost: number
}

const availability = ({ status, restAvailable, liveAvailable, lastVerifiedAt }: Bookmaker['coverage'][number]) => ({
  coverageStatus: status,
  restAvailable,
  liveAvailable,
  lastVerifiedAt,
})

const byKey = (a: string, b: string): number => (outcomeSortKey(a) < outcomeSortKey(b) ? -1 : 1)

/** What is reserved and not used at most. */
const reservedMax = (limit: number): number => 2 * Math.min(50, Math.max(1, Math.ceil(limit / 20)))

export class Callers {
  private readonly world: World
  private readonly bodies = new Map<string, string>()
  private readonly etags = new Map<string, string>()
  /** The last one of each target. */
  private readonly tags = new Map<string, string>()
  private readonly windows = new Map<string, Counted>()
  private waiting = 0

  constructor(world: World) {
    this.world = world
  }

  /** A process has ended: what it had reserved may be lost. */
  ended(): void {
    for (const { organization, plan } of this.world.book.customers) {
      for (const [kind, limit] of [
        ['hour', plan.hourlyLimit],
        ['month', plan.monthlyQuota],
      ] as const) {
        if (limit > 0) this.window(organization, kind).lost += reservedMax(limit) + this.waiting
      }
    }
    this.waiting = 0
  }

  request(random: Random): void {
    const customer = random.pick(this.world.book.customers)
    this.send(customer, this.ask(customer, random), random)
  }

  /** The same before and after the moment at which a quote ages out: a reply that is kept must not outlive it. */
  requestAging(random: Random): void {
    const { world } = this
    const { server, book, record, processes } = world
    const nowAt = clock.now()
    const agesAt = ({ observedAt }: { readonly observedAt: number }): number => observedAt + 86_400_000
    const due = record.twin.quotes.filter((quote) => agesAt(quote) > nowAt && agesAt(quote) < nowAt + 120_000)
    if (server === undefined || due.length === 0) return
    const { event, transport, observedAt } = random.pick(due)
    const customer = random.pick(book.customers)
    const rawQuery = `transport=${transport}`
    const expected = (): Expected | undefined => this.odds(customer, transport, event.id, undefined)
    const ask = random.chance(0.5)
      ? { path: `/events/${event.id}/odds`, rawQuery, transport, expected }
      : this.askForEvents(customer, transport, random)
    for (const ms of [-20, -1, 0, 1, 40]) {
      TIME.after(agesAt({ observedAt }) - nowAt + ms, () => {
        if (processes === world.processes) this.send(customer, ask, random)
      })
    }
  }

  private send(customer: Customer, ask: Ask, random: Random): void {
    const { world } = this
    const { server } = world
    if (server === undefined || server.isStopping || server.watch.isAway) return
    const tag = random.chance(0.6)
      ? this.tags.get(`${ask.path}?${ask.rawQuery} of ${customer.organization}`)
      : undefined
    const exchange: Exchange = {
      method: 'get',
      path: `/api/v1${ask.path}`,
      rawQuery: ask.rawQuery,
      authorization: `Bearer ${customer.secret}`,
      apiKey: undefined,
      ifNoneMatch: tag,
      acceptEncoding: undefined,
      origin: undefined,
      fault: undefined,
      operation: 'none',
      reply: UNANSWERED,
      head: UNANSWERED.head,
      admission: undefined,
    }
    world.count('request')
    const waits = server.rest.answer(exchange, clock.now())
    if (waits === undefined) {
      this.check(server, customer, ask, exchange)
      return
    }
    const { processes } = world
    this.waiting++
    waits
      .then(() => {
        if (processes !== world.processes) return
        this.waiting--
        this.check(server, customer, ask, exchange)
      })
      .catch((error: unknown) => world.fail(error))
  }

  private check(server: Server, customer: Customer, ask: Ask, exchange: Exchange): void {
    const { head, reply, admission, ifNoneMatch, authorization } = exchange
    const { world } = this
    world.record.applyTo(world.publishedTo)
    const where = `${ask.path}?${ask.rawQuery} of ${customer.organization} at ${TIME.nowMs}`
    const { status } = head
    world.note(`${where} ${status} ${reply.etag}`)
    world.count(`status ${status}`)
    this.checkCount(customer, ask, status, admission, where)
    if (status === 401 || status === 429 || status === 503) {
      // The key may have been replaced while the request waited for the ledger.
      assert(status !== 401 || authorization !== `Bearer ${customer.secret}`, where)
      return
    }
    assert.equal(
      authorization,
      `Bearer ${customer.secret}`,
      `${where}: answered, although its key was revoked meanwhile`,
    )
    assert.equal(server.faults.length, 0)
    const text = reply.body.toString()
    if (reply.etag !== '') {
      const tagKey = `${where.split(' of ')[0]}`
      assert.equal(this.bodies.get(reply.etag) ?? text, text, `${tagKey}: one tag, two sequences of bytes`)
      assert.equal(this.etags.get(text) ?? reply.etag, reply.etag, `${tagKey}: two tags of the same bytes`)
      this.bodies.set(reply.etag, text)
      this.etags.set(text, reply.etag)
      this.tags.set(where.slice(0, where.lastIndexOf(' at ')), reply.etag)
    }
    if (ifNoneMatch !== undefined && reply.etag === ifNoneMatch) assert.equal(status, 304, `${where}: its tag is known`)
    else assert.notEqual(status, 304, `${where}: its tag is not known`)
    const expected = ask.expected()
    if (expected === undefined) return
    world.count('request compared')
    assert.equal(status === 304 ? 200 : status, expected.status, where)
    if (expected.body !== undefined) assert.equal(text, JSON.stringify(expected.body), where)
  }

  private checkCount(
    { organization, plan: { hourlyLimit, monthlyQuota } }: Customer,
    { transport }: Ask,
    status: number,
    admission: Exchange['admission'],
    where: string,
  ): void {
    const limits = [
      ['hour', hourlyLimit],
      ['month', transport === 'rest' ? monthlyQuota : 0],
    ] as const
    const kept = limits
      .filter(([, limit]) => limit > 0)
      .map(([kind, limit]) => ({ kind, limit, window: this.window(organization, kind) }))
    if (status !== 429 && status !== 503) {
      for (const { kind, limit, window } of kept) {
        window.admitted++
        assert(window.admitted <= limit, `${where}: ${window.admitted} of ${limit} requests of the ${kind}`)
      }
    }
    if (status === 429) {
      const isUsedUp = kept.some(({ limit, window }) => window.admitted + window.lost >= limit)
      assert(isUsedUp, `${where}: refused, although ${JSON.stringify(kept)}`)
    }
    if (admission === undefined || status === 503) return
    const lefts = kept.map(({ limit, window }) => limit - window.admitted)
    const most = Math.min(...lefts)
    const least = Math.min(...kept.map(({ limit, window }) => Math.max(0, limit - window.admitted - window.lost)))
    const { remaining } = admission
    // Requests that waited are answered together, and each says what is left after it.
    assert(
      remaining <= Math.max(0, most) && remaining >= Math.max(0, least),
      `${where}: ${remaining} left, not ${least} to ${most}`,
    )
  }

  private window(organization: string, kind: 'hour' | 'month'): Counted {
    const name = kind === 'hour' ? Math.floor(clock.now() / 3_600_000) : new Date(clock.now()).toISOString().slice(0, 7)
    const key = `${organization} ${kind} ${name}`
    const known = this.windows.get(key)
    if (known !== undefined) return known
    const window = { admitted: 0, lost: 0 }
    this.windows.set(key, window)
    return window
  }

  // --- what is asked, and what the answer must be

  private ask(customer: Customer, random: Random): Ask {
    const transport = random.pick<Transport>(['rest', 'live'])
    const kind = random.int(0, 9)
    const { events } = this.world.record.twin
    if (kind < 1) {
      const expected = (): Expected => this.sports(customer, transport)
      return { path: '/sports', rawQuery: `transport=${transport}`, transport, expected }
    }
    if (kind < 2) {
      const sport = random.pick(SPORTS)
      const expected = (): Expected => this.bookmakers(customer, transport, sport)
      return { path: '/bookmakers', rawQuery: `transport=${transport}&sport=${sport}`, transport, expected }
    }
    if (kind < 5 || events.length === 0) return this.askForEvents(customer, transport, random)
    const event = random.pick(events)
    const filter = random.chance(0.25)
      ? [random.pick(BOOKS), random.pick(BOOKS)].filter((slug, n, all) => all.indexOf(slug) === n)
      : undefined
    const parts = [`transport=${transport}`, ...(filter === undefined ? [] : [`bookmaker=${filter.join(',')}`])]
    return {
      path: `/events/${event.id}/odds`,
      rawQuery: parts.join('&'),
      transport,
      expected: () => this.odds(customer, transport, event.id, filter),
    }
  }

  private sports(customer: Customer, transport: Transport): Expected {
    const data = ALL_SPORTS.map((slug) => {
      const seen = this.seen(customer, slug, transport)
      const bookmakers = seen.map(({ slug, displayName, coverage }) => ({
        slug,
        displayName,
        ...availability(coverage[0]!),
      }))
      return { slug, name: SPORT_NAMES[slug], coverage: { transport, bookmakerCount: seen.length, bookmakers } }
    }).filter(({ coverage }) => coverage.bookmakerCount > 0)
    return { status: 200, body: { meta: { total: data.length, limit: 50, offset: 0, transport }, data } }
  }

  private bookmakers(customer: Customer, transport: Transport, sport: Sport): Expected {
    const { scope } = customer
    if (scope.sports !== null && !scope.sports.includes(sport)) return { status: 403, body: undefined }
    const data = this.seen(customer, sport, transport).map((bookmaker) => {
      const { slug, displayName, region, countries, sourceMode, customerNote } = bookmaker
      const { restAvailable, liveAvailable, coverageStatus, lastVerifiedAt } = availability(bookmaker.coverage[0]!)
      const where = { region, countries, restAvailable, liveAvailable, coverageStatus }
      return { slug, displayName, coverage: { ...where, sourceMode, lastVerifiedAt, customerNote } }
    })
    return { status: 200, body: { meta: { total: data.length, limit: 50, offset: 0, transport, sport }, data } }
  }

  /** Bookmakers of a list, by slug. */
  private seen(customer: Customer, sport: Sport, transport: Transport): Bookmaker[] {
    const { book } = this.world
    return book
      .bookmakers()
      .filter(({ slug }) => book.sees(customer, slug, sport, transport))
      .sort((a, b) => (a.slug < b.slug ? -1 : 1))
  }

  private odds(
    customer: Customer,
    transport: Transport,
    id: string,
    filter: readonly string[] | undefined,
  ): Expected | undefined {
    const twin = this.twin()
    if (twin === undefined) return undefined
    const { book } = this.world
    const { scope } = customer
    const event = twin.events.find((each) => each.id === id)
    const { sport = '' } = event?.sighting ?? {}
    const isOutside =
      (event !== undefined && scope.sports !== null && !scope.sports.includes(sport as never)) ||
      (filter !== undefined && scope.bookmakers !== null && filter.some((slug) => !scope.bookmakers!.includes(slug)))
    if (isOutside) return { status: 403, body: undefined }
    if (event === undefined) return { status: 404, body: undefined }
    const sees = (slug: string): boolean => book.sees(customer, slug, sport, transport)
    if (!BOOKS.some(sees)) return { status: 403, body: undefined }
    if (!twin.isQuoted(event, transport, sees)) return { status: 404, body: undefined }
    const asks = (slug: string): boolean => filter === undefined || filter.includes(slug)
    return { status: 200, body: twin.oddsJson(event, transport, sees, asks, (slug) => slug.toUpperCase(), byKey) }
  }

  private askForEvents(customer: Customer, transport: Transport, random: Random): Ask {
    const sport = random.chance(0.5) ? random.pick(SPORTS) : undefined
    const league = random.chance(0.2) ? random.pick(LEAGUES) : undefined
    const [limit, offset] = random.pick([
      [50, 0],
      [50, 0],
      [2, 1],
    ] as const)
    const parts = [
      `transport=${transport}`,
      ...(sport === undefined ? [] : [`sport=${sport}`]),
      ...(league === undefined ? [] : [`league=${league}`]),
      ...(limit === 50 ? [] : [`limit=${limit}`, `offset=${offset}`]),
    ]
    const expected = (): Expected | undefined => {
      const twin = this.twin()
      if (twin === undefined) return undefined
      const { scope } = customer
      if (sport !== undefined && scope.sports !== null && !scope.sports.includes(sport))
        return { status: 403, body: undefined }
      const matching = twin
        .listed(transport, (slug, of) => this.world.book.sees(customer, slug, of, transport))
        .filter(
          ([{ sighting }]) =>
            (sport === undefined || sighting.sport === sport) &&
            (league === undefined || sighting.leagueKey === league),
        )
      const meta = { total: matching.length, limit, offset, transport, ...(sport === undefined ? {} : { sport }) }
      return {
        status: 200,
        body: {
          meta,
          data: matching.slice(offset, offset + limit).map(([event, count]) => twin.eventJson(event, count)),
        },
      }
    }
    return { path: '/events', rawQuery: parts.join('&'), transport, expected }
  }

  /** Undefined: it does not know what the board shows just now. */
  private twin() {
    const { world } = this
    if (world.options.hasIdentity || !world.isSettled) return undefined
    const { twin } = world.record
    twin.viewAt = clock.now()
    return twin
  }
}
