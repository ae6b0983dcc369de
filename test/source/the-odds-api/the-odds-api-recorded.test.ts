// The recorded files of real bookmakers give the totals of docs/feeds.md 12 section 12, to the last price.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Observation, Price } from '../../../src/domain/observation.ts'
import { readRecording } from '../../../src/feed/recording.ts'
import { Account } from '../../../src/source/kit/account.ts'
import type { FormatName } from '../../../src/source/formats.ts'
import { DATA, testsWith } from '../../root.ts'

const SNAPSHOT = join(DATA, 'the-odds-api', 'snapshot.csv.gz')
const H2H = join(DATA, 'the-odds-api', 'h2h.json.gz')
const skip = existsSync(SNAPSHOT) && existsSync(H2H) ? false : 'the recorded payloads are not on this machine'
const recorded = testsWith('recorded payloads', skip)

interface Quote extends Price {
  readonly observation: Observation
}

interface Recorded {
  readonly account: Account
  readonly observations: Observation[]
  /** By event, market, outcome and bookmaker: the latest by rule 2.7. */
  readonly quotes: Map<string, Quote>
}

const read = async (path: string, format: FormatName): Promise<Recorded> => {
  const account = new Account()
  const observations: Observation[] = []
  const batches = readRecording({
    path,
    format,
    transport: null,
    limits: { lineBytesMax: 2 ** 20, documentBytesMax: 2 ** 28, pricesMax: 10_000, textLengthMax: 200 },
    account,
    onMalformed: (place, reason) => assert.fail(`${place} ${reason}`),
  })
  for (;;) {
    const step = await batches.next()
    if (step.done === true) {
      assert.ok(!('fault' in step.value))
      break
    }
    observations.push(...step.value)
  }
  const quotes = new Map<string, Quote>()
  for (const observation of observations) {
    for (const price of observation.prices) {
      const { type, line, outcome } = price
      const key = [observation.event.sourceKey, type, line, outcome, observation.bookmaker].join('|')
      const known = quotes.get(key)
      if (known === undefined || known.observation.observedAt <= observation.observedAt) {
        quotes.set(key, { ...price, observation })
      }
    }
  }
  assert.ok(account.isBalanced())
  return { account, observations, quotes }
}

const tally = (quotes: Iterable<Quote>, groupOf: (quote: Quote) => string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const quote of quotes) counts[groupOf(quote)] = (counts[groupOf(quote)] ?? 0) + 1
  return counts
}

const distinct = (quotes: Iterable<Quote>, keyOf: (quote: Quote) => string): number =>
  new Set(Array.from(quotes, keyOf)).size

const eventOf = ({ observation }: Quote): string => observation.event.sourceKey!
const marketOf = (quote: Quote): string => `${eventOf(quote)} ${quote.type} ${quote.line}`

recorded('snapshot.csv gives the totals of docs/feeds.md 12', async () => {
  const { account, observations, quotes } = await read(SNAPSHOT, 'the-odds-api-csv')
  const { read: rows, mapped, noPrice, badPrice, unmapped, unmappedBy, malformed } = account.totals()
  assert.deepEqual(
    { rows, mapped, noPrice, badPrice, unmapped, malformed },
    { rows: 143_980, mapped: 134_474, noPrice: 0, badPrice: 20, unmapped: 9_486, malformed: 0 },
  )
  assert.deepEqual(Object.fromEntries(unmappedBy), { lay: 7_686, sport: 1_800 })
  assert.equal(
    observations.reduce((sum, { prices }) => sum + prices.length, 0),
    134_474,
  )
  assert.equal(quotes.size, 131_129)
  const all = [...quotes.values()]
  assert.equal(distinct(all, eventOf), 912)
  const lines = gunzipSync(readFileSync(SNAPSHOT)).toString('utf8').trim().split('\n').slice(1)
  assert.equal(new Set(lines.map((line) => line.slice(0, line.indexOf(',')))).size, 950)
  assert.equal(
    distinct(all, ({ observation }) => observation.bookmaker),
    72,
  )
  assert.equal(distinct(all, marketOf), 4_710)
  assert.equal(
    distinct(all, (quote) => `${marketOf(quote)} ${quote.observation.bookmaker}`),
    50_285,
  )
  assert.deepEqual(
    tally(all, ({ type }) => type),
    {
      match_result_1x2: 75_054,
      total_goals: 21_780,
      match_winner: 10_407,
      spread: 9_132,
      total: 5_302,
      outright: 5_108,
      fight_betting: 1_902,
      run_line: 1_644,
      puck_line: 800,
    },
  )
  const bySport: Record<string, string> = {}
  for (const [sport, count] of Object.entries(tally(all, ({ observation }) => observation.event.sport))) {
    const events = distinct(
      all.filter(({ observation }) => observation.event.sport === sport),
      eventOf,
    )
    bySport[sport] = `${events} / ${count}`
  }
  assert.deepEqual(bySport, {
    football: '619 / 102671',
    baseball: '47 / 5795',
    combat_sport: '134 / 5220',
    basketball: '23 / 4514',
    ice_hockey: '28 / 3749',
    golf: '3 / 3182',
    tennis: '11 / 1772',
    american_football: '15 / 1671',
    rugby: '16 / 1215',
    australian_rules: '8 / 878',
    cricket: '8 / 462',
  })

  const show = (find: (quote: Quote) => boolean): string[] =>
    all
      .filter(find)
      .map(({ type, line, outcome, odds, status, observation }) =>
        [
          observation.event.sport,
          observation.event.leagueKey,
          type,
          line,
          outcome,
          odds,
          status,
          new Date(observation.observedAt).toISOString(),
        ].join(' '),
      )
  // The examples of section 5.
  assert.deepEqual(
    show(
      ({ type, outcome, observation: { bookmaker, event } }) =>
        bookmaker === 'fanduel' &&
        event.home === 'Virginia Cavaliers' &&
        event.away === 'NC State Wolfpack' &&
        type === 'match_winner' &&
        outcome === 'home',
    ),
    ['american_football ncaaf match_winner  home 1.57 open 2026-04-16T18:59:27.000Z'],
  )
  assert.deepEqual(
    show(
      ({ type, outcome, odds, observation: { bookmaker, event } }) =>
        bookmaker === 'fanduel' &&
        event.home === 'Pittsburgh Pirates' &&
        event.away === 'Washington Nationals' &&
        type === 'run_line' &&
        outcome === 'away' &&
        odds === 3.05,
    ),
    ['baseball mlb run_line 1.5 away 3.05 open 2026-04-16T18:59:38.000Z'],
  )
  assert.deepEqual(
    show(
      ({ outcome, observation: { bookmaker, event } }) =>
        bookmaker === 'unibet' && event.leagueKey === 'pga_championship_winner' && outcome === 'scottie_scheffler',
    ),
    ['golf pga_championship_winner outright  scottie_scheffler 4.5 open 2026-04-16T19:00:55.290Z'],
  )
  // Notes of section 5: a missing draw stays three-way, the later of two rows wins.
  assert.deepEqual(
    all
      .filter(({ observation }) => observation.event.home === 'Drogheda United')
      .filter(({ type, observation }) => type === 'match_result_1x2' && observation.bookmaker === 'betanysports')
      .map(({ outcome, odds }) => `${outcome} ${odds}`),
    ['home 4.4', 'away 1.8'],
  )
  assert.deepEqual(
    all
      .filter(({ outcome, observation }) => observation.bookmaker === 'espnbet' && outcome === 'duke_blue_devils')
      .map(({ odds }) => odds),
    [1001],
  )
})

recorded('h2h.json gives the totals of docs/feeds.md 12', async () => {
  const { account, quotes } = await read(H2H, 'the-odds-api')
  const { read: outcomes, mapped, noPrice, badPrice, unmapped, unmappedBy } = account.totals()
  assert.deepEqual([outcomes, mapped, noPrice, badPrice, unmapped], [851, 734, 0, 5, 112])
  assert.deepEqual(Object.fromEntries(unmappedBy), { lay: 112 })
  const all = [...quotes.values()]
  assert.equal(all.length, 734)
  assert.equal(distinct(all, eventOf), 28)
  assert.equal(
    distinct(all, ({ observation }) => observation.bookmaker),
    14,
  )
  assert.equal(distinct(all, marketOf), 28)
  assert.equal(
    distinct(all, (quote) => `${marketOf(quote)} ${quote.observation.bookmaker}`),
    248,
  )
  assert.deepEqual(
    tally(all, ({ type }) => type),
    { match_result_1x2: 724, match_winner: 10 },
  )
})
