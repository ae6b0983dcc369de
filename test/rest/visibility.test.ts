// Who sees what: coverage status × availability × channel × entitlement × scope, all operations, against the rule
// written out naively.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { COVERAGE_STATUSES } from '../../src/domain/coverage.ts'
import { done, get, type Json, list, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'

interface Book {
  readonly slug: string
  readonly status: string
  readonly rest: boolean
  readonly live: boolean
}

const BOOKS: readonly Book[] = COVERAGE_STATUSES.flatMap((status, n) =>
  [false, true].flatMap((rest) =>
    [false, true].map((live) => ({ slug: `b${n}_${rest ? 'r' : 'x'}${live ? 'l' : 'x'}`, status, rest, live })),
  ),
)

/** Every third book; as an entitlement, and as a scope. */
const SOME = BOOKS.filter((_, n) => n % 3 === 0).map(({ slug }) => slug)
const OTHERS = BOOKS.filter((_, n) => n % 4 === 1).map(({ slug }) => slug)

const isEligible = ({ status, rest, live }: Book, transport: string): boolean =>
  transport === 'rest'
    ? rest && (status === 'verified_rest_live' || status === 'verified_rest_only')
    : live && (status === 'verified_rest_live' || status === 'verified_live_only')

interface Caller {
  readonly name: string
  readonly plan: 'desk' | 'starter'
  readonly entitlement: readonly string[] | '*'
  readonly channels?: readonly string[]
  readonly bookmakers?: readonly string[]
  readonly sports?: readonly string[]
}

const ENTITLEMENTS = [
  { plan: 'desk', entitlement: '*' },
  { plan: 'desk', entitlement: SOME },
  { plan: 'starter', entitlement: '*' },
] as const

const SCOPES = [
  {},
  { channels: ['rest'] },
  { channels: ['live'] },
  { channels: ['rest', 'live'], bookmakers: OTHERS },
  { sports: ['football'] },
  { sports: ['tennis'] },
]

const CALLERS: readonly Caller[] = ENTITLEMENTS.flatMap((account, a) =>
  SCOPES.map((scope, s) => ({ name: `a${a}s${s}`, ...account, ...scope })),
)

const folder = newFolder()
let service: RunningService
const keys = new Map<string, string>()
const eventIds = new Map<string, string>()

before(async () => {
  const observedAt = new Date(clock.now() - 60_000).toISOString()
  const lines = ['football', 'tennis'].flatMap((sport) =>
    BOOKS.map(({ slug }) =>
      JSON.stringify({
        bookmaker: slug,
        transport: 'both',
        observedAt,
        event: {
          sport,
          league: { key: 'l', name: 'L' },
          home: `${sport} A`,
          away: 'B',
          kickoffAt: observedAt,
        },
        quotes: [{ type: 'match_winner', outcome: 'home', odds: 2 }],
      }),
    ),
  )
  const recording = join(folder.path, 'observations.jsonl')
  writeFileSync(recording, lines.join('\n'))
  const coverage = writeCoverage(
    folder.path,
    BOOKS.map(({ slug, status, rest, live }) => [slug, status, rest, live] as const),
  )
  for (const [a, { plan, entitlement }] of ENTITLEMENTS.entries()) {
    const bookmakers = entitlement === '*' ? '*' : entitlement.join(',')
    done(folder.path, 'org', 'create', `a${a}`, '--plan', plan, '--bookmakers', bookmakers)
  }
  for (const { name, channels, bookmakers, sports } of CALLERS) {
    const scope = [
      ...(channels ? ['--channels', channels.join(',')] : []),
      ...(bookmakers ? ['--bookmakers', bookmakers.join(',')] : []),
      ...(sports ? ['--sports', sports.join(',')] : []),
    ]
    keys.set(name, done(folder.path, 'key', 'create', '--org', name.slice(0, 2), ...scope))
  }
  service = await startService(
    folder.path,
    ...['--coverage', coverage, '--replay', recording, '--format', 'observations', '--log-level', 'error'],
  )
  const { body } = await get(service, '/events', keys.get('a0s0'))
  for (const event of list(body.data)) eventIds.set(String(event.sport), String(event.id))
})

after(async () => {
  await service?.stop()
  folder.remove()
})

/** The bookmakers that a caller sees in a sport on a transport, by slug. */
const seen = (caller: Caller, transport: string, sport: string): string[] =>
  BOOKS.filter(
    (book) =>
      isEligible(book, transport) &&
      (caller.entitlement === '*' || caller.entitlement.includes(book.slug)) &&
      (caller.bookmakers?.includes(book.slug) ?? true) &&
      (caller.sports?.includes(sport) ?? true),
  )
    .map(({ slug }) => slug)
    .sort()

/** The refusal that comes before any list is looked at. */
const refusal = (caller: Caller, transport: string, sport?: string): string | undefined => {
  if (transport === 'live' && caller.plan === 'starter') return 'live_not_enabled'
  if (caller.channels && !caller.channels.includes(transport)) return 'api_key_scope_denied'
  if (sport !== undefined && caller.sports && !caller.sports.includes(sport)) return 'api_key_scope_denied'
  return undefined
}

const slugs = (entries: Json | undefined): string[] => list(entries).map((entry) => String(entry.slug))

const expectRefusal = (answer: { status: number; body: Json }, code: string, at: string): void => {
  assert.equal(String(answer.body.error?.code), code, at)
  assert.equal(answer.status, code === 'not_found' ? 404 : 403, at)
}

test('callers see exactly what coverage, entitlement and scope leave them', async () => {
  assert.deepEqual([...eventIds.keys()].sort(), ['football', 'tennis'])
  for (const caller of CALLERS) {
    const key = keys.get(caller.name)
    for (const transport of ['rest', 'live']) {
      const sportList = await get(service, `/sports?transport=${transport}`, key)
      const eventList = await get(service, `/events?transport=${transport}`, key)
      const at = `${caller.name} ${transport}`
      const refused = refusal(caller, transport)
      if (refused !== undefined) {
        expectRefusal(sportList, refused, at)
        expectRefusal(eventList, refused, at)
      } else {
        for (const entry of list(sportList.body.data)) {
          const expected = seen(caller, transport, String(entry.slug))
          assert.deepEqual(slugs(entry.coverage?.bookmakers), expected, `${at} ${entry.slug}`)
          assert.equal(Number(entry.coverage?.bookmakerCount), expected.length)
        }
        const listed = list(sportList.body.data).map((entry) => String(entry.slug))
        for (const sport of ['football', 'tennis', 'golf']) {
          assert.equal(listed.includes(sport), seen(caller, transport, sport).length > 0, `${at} ${sport}`)
        }
        const sports = list(eventList.body.data).map((event) => String(event.sport))
        const expected = ['football', 'tennis'].filter((sport) => seen(caller, transport, sport).length > 0)
        assert.deepEqual(sports.sort(), expected, at)
        assert.equal(Number(eventList.body.meta?.total), expected.length, at)
      }
      for (const sport of ['football', 'tennis']) {
        const where = `${at} ${sport}`
        const expected = seen(caller, transport, sport)
        const bookmakers = await get(service, `/bookmakers?transport=${transport}&sport=${sport}`, key)
        const odds = await get(service, `/events/${eventIds.get(sport)}/odds?transport=${transport}`, key)
        const sportRefused = refusal(caller, transport, sport)
        if (sportRefused !== undefined) {
          expectRefusal(bookmakers, sportRefused, where)
          expectRefusal(odds, sportRefused, where)
          continue
        }
        assert.deepEqual(slugs(bookmakers.body.data), expected, where)
        if (expected.length === 0) {
          expectRefusal(odds, 'forbidden', where)
          assert.match(String(odds.body.error?.upgradeUrl), /^http.*\/billing$/)
          assert.match(String(odds.body.error?.docsUrl), /^http.*\/docs\/errors#forbidden$/)
          continue
        }
        assert.deepEqual(slugs(odds.body.data?.markets?.[0]?.bookmakers), expected, where)
        // A filter inside the scope narrows what is shown; an unentitled or unknown slug gives nothing for itself.
        const filter = [expected[0]!, ...(caller.bookmakers ? [] : ['nobody', BOOKS.at(-1)!.slug])].join(',')
        const filtered = await get(
          service,
          `/events/${eventIds.get(sport)}/odds?transport=${transport}&bookmaker=${filter}`,
          key,
        )
        assert.deepEqual(slugs(filtered.body.data?.markets?.[0]?.bookmakers), [expected[0]], where)
        assert.equal(Number(filtered.body.data?.event?.marketCount), 1)
        if (caller.bookmakers === undefined) continue
        const outside = await get(
          service,
          `/events/${eventIds.get(sport)}/odds?transport=${transport}&bookmaker=nobody`,
          key,
        )
        expectRefusal(outside, 'api_key_scope_denied', where)
      }
    }
  }
})

test('a well-formed id that names no event is not found, always with the same bytes', async () => {
  const unknown = await get(service, '/events/1/odds', keys.get('a0s0'))
  assert.equal(unknown.status, 404)
  const hidden = await get(service, `/events/${eventIds.get('football')}0/odds`, keys.get('a0s0'))
  assert.equal(hidden.text, unknown.text)
})
