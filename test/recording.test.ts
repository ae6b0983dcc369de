// The recorded snapshot of 72 bookmakers, replayed into the running service: every quote that REST answers equals the
// file's, and every quote of the file is there. The expectation is made here, from the rows, without the normaliser.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { SPORT_OF_PREFIX } from './feeds/replay-the-odds-api.ts'
import { DATA, ROOT } from './root.ts'
import { done, get, list, newFolder, startService } from './service.ts'

const RECORDING = join(DATA, 'the-odds-api', 'snapshot.csv.gz')
const COVERAGE = join(ROOT, 'coverage', 'the-odds-api.json')

type Row = Readonly<Record<string, string>>

/** Sports whose spread has a name of its own (docs/feeds.md 2.3). */
const SPREAD_OF: Readonly<Record<string, string>> = { baseball: 'run_line', ice_hockey: 'puck_line' }

/** Letters that are no accented ones but stand for plain ones. */
const LETTERS: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', ß: 'ss', đ: 'd', ł: 'l', ı: 'i', þ: 'th' }

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[øæßđłıþ]/g, (letter) => LETTERS[letter]!)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('&', ' and ')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')

/** What REST shows of a quote: its place, price and time. */
interface Expected {
  readonly odds: number
  readonly at: number
}

const expectedQuotes = (): Map<string, Expected> => {
  const rows = parse(gunzipSync(readFileSync(RECORDING)), { columns: true }) as Row[]
  const withDraw = new Set(
    rows
      .filter((row) => row.outcome_name === 'Draw')
      .map((row) => `${row.event_id} ${row.bookmaker_key} ${row.market}`),
  )
  const quotes = new Map<string, Expected>()
  for (const row of rows) {
    const sport = SPORT_OF_PREFIX[row.sport_key!.split('_')[0]!]
    const price = Number(row.price)
    if (sport === undefined || row.market!.endsWith('_lay') || !(price > 1)) continue
    const isHome = row.outcome_name === row.home_team
    const side = isHome ? 'home' : row.outcome_name === 'Draw' ? 'draw' : 'away'
    const point = Number(row.point)
    const hasDraw = withDraw.has(`${row.event_id} ${row.bookmaker_key} ${row.market}`)
    let type = 'outright'
    let line: number | null = null
    let outcome = slugOf(row.outcome_name!)
    if (row.market === 'h2h') {
      type = 'match_winner'
      if (hasDraw) type = sport === 'combat_sport' ? 'fight_betting' : 'match_result_1x2'
      if (sport === 'football') type = 'match_result_1x2'
      outcome = side
    } else if (row.market === 'spreads') {
      type = SPREAD_OF[sport] ?? 'spread'
      line = (isHome ? point : -point) + 0
      outcome = side
    } else if (row.market === 'totals') {
      type = sport === 'football' ? 'total_goals' : 'total'
      line = point
      outcome = row.outcome_name!.toLowerCase()
    }
    const at = Date.parse((row.last_update || row.snapshot_time!).replace(/\.(\d{3})\d*/, '.$1'))
    const home = row.home_team || row.sport_title
    const event = [sport, home, row.away_team, Date.parse(row.commence_time!)].join('|')
    const key = [event, type, line, row.bookmaker_key, outcome].join('|')
    const before = quotes.get(key)
    if (before === undefined || before.at <= at) quotes.set(key, { odds: price, at })
  }
  return quotes
}

test('every quote of the recorded snapshot is in REST, and nothing else', {
  skip: existsSync(RECORDING) ? false : 'the recording is not beside the repository',
}, async () => {
  const expected = expectedQuotes()
  assert.equal(expected.size, 131_129)
  const folder = newFolder()
  done(folder.path, 'org', 'create', 'all', '--plan', 'desk')
  const key = done(folder.path, 'key', 'create', '--org', 'all')
  const service = await startService(
    folder.path,
    ...['--replay', RECORDING, '--format', 'the-odds-api-csv', '--rebase', '--coverage', COVERAGE],
  )
  try {
    const events = new Map<string, string>()
    for (let offset = 0; ; offset += 500) {
      const page = await get(service, `/events?limit=500&offset=${offset}`, key)
      assert.equal(page.status, 200)
      assert.equal(Number(page.body.meta?.total), 912)
      for (const event of list(page.body.data)) {
        events.set(String(event.id), String(event.marketCount))
      }
      if (offset + 500 >= 912) break
    }
    assert.equal(events.size, 912)
    let markets = 0
    let quotes = 0
    const bookmakers = new Set<string>()
    let shiftMs: number | undefined
    for (const [id, marketCount] of events) {
      const { body } = await get(service, `/events/${id}/odds`, key)
      const { event } = body.data!
      assert.equal(list(body.data?.markets).length, Number(marketCount))
      markets += Number(marketCount)
      for (const market of list(body.data?.markets)) {
        for (const book of list(market.bookmakers)) {
          bookmakers.add(String(book.slug))
          for (const shown of list(book.outcomes)) {
            quotes++
            const at = Date.parse(String(shown.lastUpdatedAt))
            const kickoffAt = Date.parse(String(event?.kickoffAt))
            const keyAt = (shift: number) =>
              [
                ...[event?.sport, event?.homeTeam, event?.awayTeam, kickoffAt - shift],
                ...[market.type, market.line, book.slug, shown.outcome],
              ].join('|')
            // All times are shifted by the same whole minutes; the log says by how many.
            shiftMs ??= Number(/"shiftMs":(-?\d+)/.exec(service.stderr())?.[1])
            const row = expected.get(keyAt(shiftMs))
            assert(row !== undefined, `not in the file: ${keyAt(shiftMs)}`)
            assert.equal(Number(shown.odds), row.odds, keyAt(shiftMs))
            assert.equal(at - shiftMs, row.at, keyAt(shiftMs))
          }
        }
      }
    }
    assert.equal(shiftMs! % 60_000, 0)
    assert.equal(quotes, 131_129)
    assert.equal(markets, 4_710)
    assert.equal(bookmakers.size, 72)
  } finally {
    assert.equal(await service.stop(), 0)
    folder.remove()
  }
})
