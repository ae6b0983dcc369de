import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Audiences } from '../../src/access/audiences.ts'
import type { Entitlement } from '../../src/access/organization.ts'
import { Registry } from '../../src/access/registry.ts'
import { CHANNELS, type Scope, UNRESTRICTED } from '../../src/access/scope.ts'
import { type Audience, bookmakersOf, hasBookmaker, setsOfText } from '../../src/domain/audience.ts'
import { type Bookmaker, COVERAGE_STATUSES, type Coverage } from '../../src/domain/coverage.ts'
import { SPORTS } from '../../src/domain/sport.ts'
import { TRANSPORTS } from '../../src/domain/transport.ts'
import { Random, SEED } from '../random.ts'

const bookmaker = (slug: string, coverage: readonly Coverage[]): Bookmaker => ({
  slug,
  displayName: slug,
  region: 'Europe',
  countries: ['MT'],
  sourceMode: 'direct',
  customerNote: '',
  coverage,
})

const numbering = () => {
  const numbers = new Map<string, number>()
  return (slug: string): number => {
    if (!numbers.has(slug)) numbers.set(slug, numbers.size + 1)
    return numbers.get(slug)!
  }
}

/** Each with the same chance, and the chance by chance. */
const some = <T>(random: Random, items: readonly T[]): T[] => {
  const share = random.next()
  return items.filter(() => random.chance(share))
}

const randomCoverage = (random: Random): Coverage[] =>
  [...some(random, SPORTS), ...(random.chance(0.7) ? ['*' as const] : [])].map((sport) => ({
    sport,
    status: random.pick(COVERAGE_STATUSES),
    restAvailable: random.chance(0.8),
    liveAvailable: random.chance(0.6),
    lastVerifiedAt: null,
  }))

const randomScope = (random: Random, slugs: readonly string[]): Scope => ({
  channels: random.chance(0.5) ? some(random, CHANNELS) : null,
  bookmakers: random.chance(0.5) ? some(random, slugs) : null,
  sports: random.chance(0.5) ? some(random, SPORTS) : null,
})

/** The twin: what each rule says, one after the other, and nothing clever. */
const naive = (bookmakers: readonly Bookmaker[], entitlement: Entitlement, scope: Scope): string[] => {
  const seen: string[] = []
  for (const transport of TRANSPORTS) {
    for (const sport of SPORTS) {
      for (const { slug, coverage } of bookmakers) {
        const named = coverage.filter((row) => row.sport === sport)
        const row = named.length > 0 ? named[0] : coverage.filter((each) => each.sport === '*')[0]
        if (row === undefined) continue
        const statuses = ['verified_rest_live', transport === 'rest' ? 'verified_rest_only' : 'verified_live_only']
        if (!statuses.includes(row.status)) continue
        if (transport === 'rest' && !row.restAvailable) continue
        if (transport === 'live' && !row.liveAvailable) continue
        if (entitlement !== '*' && !entitlement.includes(slug)) continue
        if (scope.bookmakers !== null && !scope.bookmakers.includes(slug)) continue
        if (scope.sports !== null && !scope.sports.includes(sport)) continue
        seen.push(`${transport} ${sport} ${slug}`)
      }
    }
  }
  return seen
}

const listed = (audience: Audience, slugs: readonly string[], numberOf: (slug: string) => number): string[] =>
  TRANSPORTS.flatMap((transport, transportNumber) =>
    SPORTS.flatMap((sport, sportNumber) =>
      slugs
        .filter((slug) => hasBookmaker(bookmakersOf(audience, transportNumber as 0 | 1, sportNumber), numberOf(slug)))
        .map((slug) => `${transport} ${sport} ${slug}`),
    ),
  )

test('an audience equals its naive twin, and the same sets are the same object', () => {
  const random = new Random(SEED)
  for (let round = 0; round < 40; round++) {
    const numberOf = numbering()
    const registry = new Registry(numberOf)
    const audiences = new Audiences(registry)
    // Numbers with gaps: the board has interned bookmakers that are not registered.
    const slugs = Array.from({ length: random.int(1, 120) }, (_, n) => `book${n}`).toSorted()
    for (const slug of some(random, slugs)) numberOf(slug)
    const byText = new Map<string, Audience>()
    const byId = new Map<number, string>()
    const sets = new Map<string, Audience['sets']>()
    for (let change = 0; change < 4; change++) {
      const bookmakers = some(random, slugs).map((slug) => bookmaker(slug, randomCoverage(random)))
      registry.replace(bookmakers)
      for (let step = 0; step < 10; step++) {
        const entitlement = random.chance(0.3) ? '*' : some(random, [...slugs, 'nobody'])
        const scope = randomScope(random, slugs)
        const at = `seed ${SEED}, round ${round}, change ${change}, step ${step}`
        const audience = audiences.audienceOf(entitlement, scope)
        const seen = naive(bookmakers, entitlement, scope)
        assert.deepEqual(listed(audience, slugs, numberOf), seen, at)
        const text = seen.join()
        assert.equal(byText.get(text) ?? audience, audience, `same sets, same object: ${at}`)
        assert.equal(byId.get(audience.id) ?? text, text, `an id is given once: ${at}`)
        assert.deepEqual(sets.get(audience.text) ?? audience.sets, audience.sets, `same text, same sets: ${at}`)
        if (setsOfText(audience.text) !== undefined) assert.deepEqual(setsOfText(audience.text), audience.sets, at)
        sets.set(audience.text, audience.sets)
        byText.set(text, audience)
        byId.set(audience.id, text)
      }
    }
  }
})

test('the text of an audience is short: a hash beyond a length, with which it is compared as a whole', () => {
  const numberOf = numbering()
  const slugs = Array.from({ length: 40 }, (_, n) => `book${n}`)
  const textOf = (sports: number): string => {
    const registry = new Registry(numberOf)
    // Each bookmaker is covered in sports of its own.
    registry.replace(
      slugs.map((slug, n) =>
        bookmaker(
          slug,
          SPORTS.slice(0, sports).map((sport, s) => ({
            ...everywhere,
            sport,
            liveAvailable: (n * (s + 3)) % (s + 5) > 2,
            restAvailable: (n * (s + 2)) % (s + 7) > 3,
          })),
        ),
      ),
    )
    return new Audiences(registry).audienceOf('*', UNRESTRICTED).text
  }
  assert.equal(textOf(3), textOf(3))
  assert(setsOfText(textOf(3)) !== undefined)
  assert.equal(setsOfText(textOf(SPORTS.length)), undefined)
  assert.match(textOf(SPORTS.length), /^[\w-]{43}$/)
  assert.equal(textOf(SPORTS.length), textOf(SPORTS.length))
})

const everywhere: Coverage = {
  sport: '*',
  status: 'verified_rest_live',
  restAvailable: true,
  liveAvailable: true,
  lastVerifiedAt: null,
}

test('an audience stays the same when bookmakers outside of it are added', () => {
  const registry = new Registry(numbering())
  const audiences = new Audiences(registry)
  const first = bookmaker('a', [everywhere])
  registry.replace([first])
  const before = audiences.audienceOf(['a'], UNRESTRICTED)
  registry.replace([first, ...Array.from({ length: 100 }, (_, n) => bookmaker(`b${n}`, [everywhere]))])
  assert.equal(audiences.audienceOf(['a'], UNRESTRICTED), before)
  assert.notEqual(audiences.audienceOf('*', UNRESTRICTED), before)
})

test('the registry is sorted by slug, and its version goes up with every change', () => {
  const registry = new Registry(numbering())
  assert.equal(registry.version, 0)
  registry.replace([bookmaker('b', [everywhere]), bookmaker('a', [])])
  assert.deepEqual(
    registry.bookmakers.map(({ slug }) => slug),
    ['a', 'b'],
  )
  assert.equal(registry.version, 1)
  assert.equal(registry.bookmakerOf('b')?.slug, 'b')
  assert.equal(registry.numberOf('c'), undefined)
  registry.replace([])
  assert.equal(registry.version, 2)
  assert.equal(registry.bookmakerOf('b'), undefined)
})
