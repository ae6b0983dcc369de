// The recorded messages of the Unified Odds Feed give the totals of docs/feeds.md 12, and the sequence of section 9 its
// transitions. Names and kickoffs are made up: no message has any.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fixture, Observation, Price } from '../../../src/domain/observation.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { NOTHING_KNOWN, isFormatFault } from '../../../src/source/kit/normaliser.ts'
import { type UofNormaliser, uofNormaliser } from '../../../src/source/uof/uof-normaliser.ts'
import { DATA, testsWith } from '../../root.ts'

const FOLDER = join(DATA, 'uof')
const skip = existsSync(FOLDER) ? false : 'the recorded payloads are not on this machine'
const recorded = testsWith('recorded payloads', skip)

const KICKOFFS: ReadonlyMap<string, string> = new Map([
  ['sr:match:10927088', '2017-02-16T14:00:00Z'],
  ['sr:match:31604309', '2022-05-27T00:00:00Z'],
])

const fixtureOf = (id: string): Fixture | undefined => {
  const kickoff = KICKOFFS.get(id)
  const digits = id.replace(/\D/g, '')
  return kickoff === undefined
    ? undefined
    : {
        sport: 'football',
        leagueKey: 'unknown',
        leagueName: 'unknown',
        home: `Home ${digits}`,
        away: `Away ${digits}`,
        kickoffAt: Date.parse(kickoff),
      }
}

interface Reader {
  readonly account: Account
  readonly normaliser: UofNormaliser
  /** Latest of each quote, and how often each went from one status to another. */
  readonly quotes: Map<string, Price & { readonly observedAt: number }>
  take(text: string): Record<string, number>
}

const reader = (): Reader => {
  const account = new Account()
  const normaliser = uofNormaliser({
    account,
    facts: { ...NOTHING_KNOWN, fixtureOf },
    transport: null,
    limits: { pricesMax: 10_000, textLengthMax: 200 },
    onMalformed: (place, reason) => assert.fail(`${place} ${reason}`),
  })
  const quotes: Reader['quotes'] = new Map()
  const record = (observation: Observation, transitions: Record<string, number>): void => {
    assert.equal(observation.bookmaker, 'sportradar')
    assert.equal(observation.transport, 'both')
    for (const price of observation.prices) {
      const key = [observation.event.sourceKey, price.type, price.line, price.outcome].join(' ')
      const known = quotes.get(key)
      if (known !== undefined && known.observedAt > observation.observedAt) continue
      const from = known?.status ?? 'none'
      const transition = `${from}>${price.status}`
      if (from !== price.status) transitions[transition] = (transitions[transition] ?? 0) + 1
      quotes.set(key, { ...price, observedAt: observation.observedAt })
    }
  }
  const take = (text: string): Record<string, number> => {
    const transitions: Record<string, number> = {}
    const observations = normaliser.read(text, 1)
    assert(!isFormatFault(observations))
    for (const observation of observations) record(observation, transitions)
    assert.ok(account.isBalanced())
    return transitions
  }
  return { account, normaliser, quotes, take }
}

const file = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

const countsOf = ({ account, quotes }: Reader): Record<string, number> => {
  const { read, mapped, noPrice, badPrice, unmapped, malformed } = account.totals()
  return { read, mapped, quotes: quotes.size, noPrice, badPrice, unmapped, malformed }
}

const tally = (values: Iterable<string>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

const marketsOf = ({ quotes }: Reader): number =>
  new Set(Array.from(quotes.keys(), (key) => key.slice(0, key.lastIndexOf(' ')))).size

recorded('odds_change.xml gives the totals of docs/feeds.md 12', () => {
  const all = reader()
  assert.deepEqual(all.take(file('odds_change.xml')), { 'none>open': 115 })
  assert.deepEqual(countsOf(all), {
    read: 805,
    mapped: 115,
    quotes: 115,
    noPrice: 0,
    badPrice: 0,
    unmapped: 690,
    malformed: 0,
  })
  assert.deepEqual(Object.fromEntries(all.account.totals().unmappedBy), { market: 597, twin: 93 })
  assert.equal(marketsOf(all), 37)
  assert.deepEqual(tally(Array.from(all.quotes.values(), ({ type }) => type)), {
    correct_score: 26,
    spread: 22,
    total_goals: 22,
    halftime_fulltime: 9,
    winning_margin: 7,
    first_half_total_goals: 6,
    second_half_total_goals: 6,
    clean_sheet: 4,
    match_result_1x2: 3,
    double_chance: 3,
    first_to_score: 3,
    btts: 2,
    odd_even: 2,
  })
  // 94 ids without a type, the largest of them by name.
  const rows = all.account.sourceMarkets().filter(({ fates }) => fates.has('market'))
  assert.equal(rows.length, 94)
  const outcomesOf = (id: string): number | undefined =>
    rows.find(({ sourceMarket }) => sourceMarket === id)?.fates.get('market')
  assert.deepEqual(['818', '819', '46', '820', '547', '21', '37'].map(outcomesOf), [48, 48, 46, 36, 24, 23, 18])
  // The examples of section 9.
  const at = Date.parse('2022-05-26T14:50:46.190Z')
  const quote = (key: string): unknown => {
    const { odds, status, observedAt } = all.quotes.get(`uof:sr:match:31604309 ${key}`)!
    return [odds, status, observedAt]
  }
  assert.deepEqual(quote('spread -0.25 away'), [1.79, 'open', at])
  assert.deepEqual(quote('total_goals 3.25 over'), [2.5151515152, 'open', at])
  assert.deepEqual(quote('correct_score  2-1'), [10, 'open', at])
  assert.deepEqual(quote('correct_score  other'), [26, 'open', at])
  assert.deepEqual(quote('winning_margin  home:3+'), [10, 'open', at])
})

recorded('feed_odds_change.xml and the single market give the totals of docs/feeds.md 12', () => {
  const all = reader()
  assert.deepEqual(all.take(file('feed_odds_change.xml')), { 'none>open': 18 })
  assert.deepEqual(countsOf(all), {
    read: 78,
    mapped: 18,
    quotes: 18,
    noPrice: 2,
    badPrice: 0,
    unmapped: 58,
    malformed: 0,
  })
  assert.deepEqual(Object.fromEntries(all.account.totals().unmappedBy), { market: 58 })
  assert.equal(all.account.sourceMarkets().filter(({ fates }) => fates.has('market')).length, 15)
  assert.equal(marketsOf(all), 9)
  assert.deepEqual(tally(Array.from(all.quotes.values(), ({ type }) => type)), {
    total_goals: 6,
    first_half_total_goals: 3,
    match_result_1x2: 3,
    double_chance: 2,
    btts: 2,
    odd_even: 2,
  })
  const double = all.quotes.get('uof:sr:match:10927088 double_chance  home_or_draw')
  assert.deepEqual([double?.odds, double?.observedAt], [3.9, Date.parse('2017-02-16T14:13:16.715Z')])
  assert.equal(all.quotes.has('uof:sr:match:10927088 double_chance  draw_or_away'), false)

  const single = reader()
  assert.deepEqual(single.take(file('feed_odds_change_single_market.xml')), { 'none>open': 1 })
  assert.deepEqual(countsOf(single), {
    read: 2,
    mapped: 1,
    quotes: 1,
    noPrice: 1,
    badPrice: 0,
    unmapped: 0,
    malformed: 0,
  })
})

recorded('the other files have no outcomes', () => {
  const others = readdirSync(FOLDER).filter((name) => !/odds_change(_single_market)?\.xml$/.test(name))
  assert.equal(others.length, 8)
  const all = reader()
  for (const name of others) assert.deepEqual(all.take(file(name)), {}, name)
  assert.equal(countsOf(all).read, 0)
  assert.equal(all.normaliser.size, 0)
})

recorded('the sequence of docs/feeds.md 9 gives its transitions', () => {
  const all = reader()
  const change = file('feed_odds_change.xml')
  const stop = file('feed_bet_stop.xml').replace(/event_id="[^"]+"/, 'event_id="sr:match:10927088"')
  const timed = (text: string, at: number): string => text.replace(/timestamp="\d+"/, `timestamp="${at}"`)
  assert.deepEqual(all.take(change), { 'none>open': 18 })
  assert.deepEqual(all.take(file('feed_odds_change_single_market.xml')), {})
  assert.equal(all.quotes.size, 18)
  assert.deepEqual(all.take(stop), {}, 'with its own old time a bet_stop has no effect')
  assert.deepEqual(all.take(timed(stop, 1487254397000)), { 'open>suspended': 18 })
  assert.deepEqual(all.take(timed(change, 1487254398000)), { 'suspended>open': 18 })
  const settlement =
    '<bet_settlement product="4" event_id="sr:match:10927088" timestamp="1487254399000"><outcomes>' +
    '<market id="18" specifiers="total=4.5"><outcome id="12" result="0"/><outcome id="13" result="1"/></market>' +
    '<market id="29"><outcome id="74" result="1"/><outcome id="76" result="0"/></market></outcomes></bet_settlement>'
  assert.deepEqual(all.take(settlement), { 'open>closed': 4 })
  assert.deepEqual(tally(Array.from(all.quotes.values(), ({ status }) => status)), { open: 14, closed: 4 })
})

recorded('all recorded messages in one text are read one after the other', () => {
  const names = readdirSync(FOLDER).toSorted()
  const all = reader()
  all.take(names.map(file).join('\n'))
  assert.equal(countsOf(all).read, 805 + 78 + 2)
  assert.equal(all.quotes.size, 115 + 18)
})
