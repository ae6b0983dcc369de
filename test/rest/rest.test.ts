// REST against the naive twin: the same random observations over days, and every answer compared byte by byte, with the
// reply cache on, ETags watched, and the wheel held back at times.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Access } from '../../src/access/access.ts'
import { isFault } from '../../src/access/fault.ts'
import { Store } from '../../src/access/store.ts'
import { LIMITS } from '../../src/limits.ts'
import type { Bookmaker } from '../../src/domain/coverage.ts'
import { outcomeSortKey } from '../../src/domain/market.ts'
import type { Sport } from '../../src/domain/sport.ts'
import type { Transport } from '../../src/domain/transport.ts'
import { Engine } from '../../src/engine/engine.ts'
import { Compressor } from '../../src/rest/compressor.ts'
import { type Reply } from '../../src/rest/reply.ts'
import type { Exchange } from '../../src/rest/exchange.ts'
import { Rest } from '../../src/rest/rest.ts'
import { identityOf, NaiveEngine } from '../naive-engine.ts'
import { newExchange } from './exchanges.ts'
import { Random, SEED } from '../random.ts'
import { randomObservation, WORLD_START } from '../random-observations.ts'
import { newFolder } from '../service.ts'
import { checkInvariants } from '../board/invariants.ts'

const STEPS = 40_000
const QUOTES_MAX = 20_000
const SKEW_MS = 5_000

const folder = newFolder()
let access: Access
let engine: Engine
let rest: Rest
const faults: unknown[] = []
const GZIP = { bytesMin: 400, bytesMax: 4_000 }
/** Bodies whose compression is under way: ended at random. */
const compressing: (() => void)[] = []
let gzipped = 0
const secrets: string[] = []

/** Books 0 to 29 are covered; by number some in football only, some on one transport only. */
const isEligible = (n: number, transport: Transport, sport: string): boolean =>
  n < 30 &&
  (n % 5 !== 0 || sport === 'football') &&
  (n % 3 !== 0 || transport === 'rest') &&
  (n % 7 !== 0 || transport === 'live')

const bookmakerOf = (n: number): Bookmaker => {
  const rest = n % 7 !== 0
  const live = n % 3 !== 0
  return {
    slug: `book_${n}`,
    displayName: `Book "${n}"`,
    region: 'Europe',
    countries: ['SE'],
    sourceMode: 'direct',
    customerNote: '',
    coverage: [
      {
        sport: n % 5 === 0 ? 'football' : '*',
        status: rest && live ? 'verified_rest_live' : rest ? 'verified_rest_only' : 'verified_live_only',
        restAvailable: rest,
        liveAvailable: live,
        lastVerifiedAt: null,
      },
    ],
  }
}

/** The callers: what each may see beside coverage. */
const CALLERS: readonly ((n: number) => boolean)[] = [() => true, (n) => n % 2 === 0, (n) => n === 1 || n === 10]

const ALL = { channels: null, bookmakers: null, sports: null }

before(async () => {
  const store = Store.open(folder.path, { waitMs: 5_000, busyMs: 5_000, at: WORLD_START })
  assert(!isFault(store))
  store.coverage.import(
    Array.from({ length: 30 }, (_, n) => bookmakerOf(n)),
    WORLD_START,
  )
  for (const [place, sees] of CALLERS.entries()) {
    const slugs = Array.from({ length: 40 }, (_, n) => n)
      .filter(sees)
      .map((n) => `book_${n}`)
    const entitlement = place === 0 ? '*' : slugs
    const organization = store.accounts.createOrganization(
      { name: `o${place}`, plan: 'desk', entitlement },
      WORLD_START,
    )
    assert(!isFault(organization))
    const key = { kind: 'customer', organization: organization.id, scope: ALL, expiresAt: null } as const
    secrets.push(store.accounts.createKey(key, WORLD_START).secret)
  }
  store.close()
  engine = new Engine(
    {
      quotesMax: QUOTES_MAX,
      skewMsMax: SKEW_MS,
      bookmakersMax: 1000,
      wheelVisitsMax: 4,
    },
    WORLD_START,
  )
  const opened = await Access.open({
    dataDir: folder.path,
    numberOf: (slug) => engine.board.bookmakers.intern(slug),
    now: () => WORLD_START,
    limits: LIMITS,
  })
  assert(!isFault(opened))
  access = opened
  rest = new Rest({
    engine,
    access,
    publicUrl: 'http://localhost',
    documentUrl: '',
    targetsMax: 500,
    limits: LIMITS,
    cacheBytesMax: 300_000,
    compressor: new Compressor({
      ...GZIP,
      rest: 0,
      elapsedMs: () => 0,
      compress: (body, done) => compressing.push(() => done(gzipSync(body, { level: 1 }))),
    }),
    pages: {},
    now: () => WORLD_START,
    onFault: (error) => faults.push(error),
  })
})

after(async () => {
  await access?.close()
  folder.remove()
})

const ask = (path: string, rawQuery: string, caller: number, nowAt: number, more: Partial<Exchange> = {}): Exchange => {
  const exchange = newExchange(secrets[caller]!, path, rawQuery, more)
  assert.equal(rest.answer(exchange, nowAt), undefined, 'an unlimited plan is answered at once')
  return exchange
}

/** A client that takes gzip gets the same octets in it, as soon as they are there, and a 304 for either tag. */
const checkGzip = (
  path: string,
  rawQuery: string,
  caller: number,
  nowAt: number,
  plain: Reply,
  where: string,
): void => {
  const { body, etag } = plain
  const asGzip = (more: Partial<Exchange> = {}): Exchange =>
    ask(path, rawQuery, caller, nowAt, { acceptEncoding: 'gzip, br', ...more })
  for (let times = 0; times < 3; times++) {
    const { reply, head } = asGzip()
    const fields = head.block.toString('latin1').split('\r\n')
    const isGzip = fields.includes('Content-Encoding: gzip')
    if (isGzip) gzipped++
    assert.deepEqual(isGzip ? gunzipSync(reply.body) : reply.body, body, where)
    assert(fields.includes(`ETag: ${isGzip ? etag.replace(/"$/, '-gzip"') : etag}`), where)
    compressing.pop()?.()
  }
  const isCovered = body.length >= GZIP.bytesMin && body.length <= GZIP.bytesMax
  for (const tag of [etag, etag.replace(/"$/, '-gzip"')]) {
    const { head } = asGzip({ ifNoneMatch: tag })
    assert.equal(head.status, tag === etag || isCovered ? 304 : 200, `${where} ${tag}`)
    // A cache must know which of its answers is meant.
    if (head.status === 304) assert(head.block.includes(`\r\nETag: ${tag}\r\n`), where)
    const identity = ask(path, rawQuery, caller, nowAt, { ifNoneMatch: tag }).head
    assert.equal(identity.status, tag === etag ? 304 : 200, `${where} ${tag}, identity`)
  }
}

test('every answer equals the naive one, byte by byte', () => {
  const random = new Random(SEED)
  const twin = new NaiveEngine(QUOTES_MAX, SKEW_MS)
  const byKey = (a: string, b: string): number => (outcomeSortKey(a) < outcomeSortKey(b) ? -1 : 1)
  const bodies = new Map<string, string>()
  const etags = new Map<string, string>()
  let nowAt = WORLD_START
  let answers = 0
  let lates = 0
  // Spellings and keys of events that are gone, and that the engine may still have.
  const overdue = new Set<string>()
  for (let step = 0; step < STEPS; step++) {
    nowAt += random.chance(0.98) ? random.int(0, 3_000) : random.int(0, 6 * 3_600_000)
    // Mostly the wheel is up to the moment; at times it is late, and everything must be right all the same.
    let isLate = random.chance(0.1)
    const before = twin.events
    twin.age(nowAt)
    const observation = randomObservation(random, nowAt)
    for (const gone of before) {
      if (twin.events.includes(gone)) continue
      for (const name of [identityOf(gone.sighting), ...gone.keys]) overdue.add(name)
    }
    // Of events that are spelt the same, the id depends on who is there: here one that ought to be gone has to be.
    const seen = observation.event
    if (overdue.has(identityOf(seen)) || overdue.has(seen.sourceKey ?? '')) isLate = false
    if (isLate) lates++
    else {
      while (!engine.turn(nowAt));
      overdue.clear()
    }
    engine.observe(observation, nowAt)
    twin.observe(observation, nowAt)
    if (!isLate && step % 10 !== 0) continue
    const at = `seed ${SEED}, step ${step}${isLate ? ', the wheel is late' : ''}`
    const caller = random.int(0, CALLERS.length - 1)
    const transport = random.pick<Transport>(['rest', 'live'])
    const sees = (slug: string, sport: string): boolean => {
      const n = Number(slug.slice(5))
      return CALLERS[caller]!(n) && isEligible(n, transport, sport)
    }
    const check = (path: string, rawQuery: string, status: number, body: object | undefined): void => {
      const { reply, head } = ask(path, rawQuery, caller, nowAt)
      const where = `${at}: ${path}?${rawQuery} as caller ${caller}`
      assert.equal(head.status, status, where)
      answers++
      if (body === undefined) return
      const text = reply.body.toString()
      assert.equal(text, JSON.stringify(body), where)
      if (random.chance(0.1)) checkGzip(path, rawQuery, caller, nowAt, reply, where)
      const known = bodies.get(reply.etag)
      assert(known === undefined || known === text, `${where}: one ETag, two sequences of bytes`)
      bodies.set(reply.etag, text)
      assert.equal(reply.etag, etags.get(text) ?? reply.etag, `${where}: two ETags for the same bytes`)
      etags.set(text, reply.etag)
    }
    const listed = twin.listed(transport, sees)
    const sport = random.pick<Sport | undefined>([undefined, 'football', 'tennis', 'golf', 'snooker'])
    const league = random.chance(0.3) ? `league_${random.int(0, 4)}` : undefined
    const from = random.chance(0.3) ? WORLD_START + random.int(0, 5) * 3_600_000 : undefined
    const [limit, offset] = random.pick([
      [50, 0],
      [2, 0],
      [3, random.int(0, 6)],
    ] as const)
    const matching = listed.filter(
      ([{ sighting }]) =>
        (sport === undefined || sighting.sport === sport) &&
        (league === undefined || sighting.leagueKey === league) &&
        (from === undefined || sighting.kickoffAt >= from),
    )
    const parts = [
      `transport=${transport}`,
      ...(sport === undefined ? [] : [`sport=${sport}`]),
      ...(league === undefined ? [] : [`league=${league}`]),
      ...(from === undefined ? [] : [`dateFrom=${new Date(from).toISOString()}`]),
      ...(limit === 50 ? [] : [`limit=${limit}`, `offset=${offset}`]),
    ]
    check('/events', parts.join('&'), 200, {
      meta: { total: matching.length, limit, offset, transport, ...(sport === undefined ? {} : { sport }) },
      data: matching.slice(offset, offset + limit).map(([event, count]) => twin.eventJson(event, count)),
    })
    if (twin.events.length === 0) continue
    const event = random.pick(twin.events)
    const seesHere = (slug: string): boolean => sees(slug, event.sighting.sport)
    const filter = random.chance(0.3) ? [`book_${random.int(0, 39)}`, `book_${random.int(40, 50)}`] : undefined
    const query = `transport=${transport}${filter === undefined ? '' : `&bookmaker=${filter.join(',')}`}`
    const isAnySeen = Array.from({ length: 30 }, (_, n) => `book_${n}`).some(seesHere)
    if (!isAnySeen) check(`/events/${event.id}/odds`, query, 403, undefined)
    else if (!twin.isQuoted(event, transport, seesHere)) check(`/events/${event.id}/odds`, query, 404, undefined)
    else {
      const body = twin.oddsJson(
        event,
        transport,
        seesHere,
        (slug) => filter === undefined || filter.includes(slug),
        (slug) => `Book "${slug.slice(5)}"`,
        byKey,
      )
      check(`/events/${event.id}/odds`, query, 200, body)
    }
    if (bodies.size > 20_000) {
      bodies.clear()
      etags.clear()
    }
  }
  checkInvariants(engine)
  assert.deepEqual(faults, [])
  assert(answers > STEPS / 10)
  assert(lates > 0 && rest.cacheCounts.hits > 0 && gzipped > STEPS / 1_000, `seed ${SEED}: ${gzipped} in gzip`)
})
