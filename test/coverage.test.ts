import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { type Bookmaker, parseCoverage } from '../src/domain/coverage.ts'
import { SPORTS } from '../src/domain/sport.ts'
import { SPORT_OF_PREFIX } from './feeds/replay-the-odds-api.ts'
import { DATA, ROOT } from './root.ts'

const RECORDING = join(DATA, 'the-odds-api', 'snapshot.csv.gz')

const EXCHANGE_NOTE = 'Betting exchange: prices before commission.'
const NOT_EUROPEAN_NOTE = 'Not a European bookmaker: '

const EXCHANGES = ['betfair_ex_au', 'betfair_ex_eu', 'betfair_ex_uk', 'matchbook', 'smarkets']
const NOT_EUROPEAN_REGIONS = new Set(['Australia', 'Offshore', 'United States'])

/** docs/feeds.md 5: the market keys that have a spec type; all others (lay markets among them) give no quote. */
const MAPPED_MARKETS = new Set(['h2h', 'spreads', 'totals', 'outrights'])

const readCoverage = (): Bookmaker[] => {
  const bookmakers = parseCoverage(readFileSync(join(ROOT, 'coverage', 'the-odds-api.json'), 'utf8'))
  assert.ok(Array.isArray(bookmakers), `the file is not valid: ${JSON.stringify(bookmakers)}`)
  return bookmakers
}

test('the coverage file is valid and names 72 bookmakers, sorted by slug, none twice', () => {
  const bookmakers = readCoverage()
  const slugs = bookmakers.map((bookmaker) => bookmaker.slug)
  assert.equal(slugs.length, 72)
  assert.deepEqual(slugs, [...slugs].sort())
  const names = new Set(bookmakers.map((bookmaker) => bookmaker.displayName))
  assert.equal(names.size, 72, 'two bookmakers have the same display name')
})

test('every bookmaker of the file is REST only, by named sports, and never verified so far', () => {
  for (const { slug, sourceMode, coverage } of readCoverage()) {
    assert.equal(sourceMode, 'direct', slug)
    assert.ok(coverage.length > 0, slug)
    for (const { sport, status, restAvailable, liveAvailable, lastVerifiedAt } of coverage) {
      assert.ok((SPORTS as readonly string[]).includes(sport), `${slug}: ${sport}`)
      assert.deepEqual(
        { status, restAvailable, liveAvailable, lastVerifiedAt },
        {
          status: 'verified_rest_only',
          restAvailable: true,
          liveAvailable: false,
          lastVerifiedAt: null,
        },
        slug,
      )
    }
  }
})

test('exchanges are marked, and no other bookmaker is', () => {
  const marked = readCoverage().filter((bookmaker) => bookmaker.customerNote.includes(EXCHANGE_NOTE))
  assert.deepEqual(
    marked.map((bookmaker) => bookmaker.slug),
    EXCHANGES,
  )
})

test('bookmakers from outside Europe are marked, and no other bookmaker is', () => {
  for (const { slug, region, customerNote } of readCoverage()) {
    assert.equal(customerNote.includes(NOT_EUROPEAN_NOTE), NOT_EUROPEAN_REGIONS.has(region), slug)
  }
})

test('the sports of every bookmaker are those that the recording quotes', {
  skip: existsSync(RECORDING) ? false : 'the recording (../shared/data/the-odds-api/snapshot.csv.gz) is not here',
}, () => {
  const rows: Record<string, string>[] = parse(gunzipSync(readFileSync(RECORDING)), { columns: true })
  const recorded = new Map<string, Set<string>>()
  for (const row of rows) {
    const slug = row.bookmaker_key!
    if (!recorded.has(slug)) recorded.set(slug, new Set())
    const sport = SPORT_OF_PREFIX[row.sport_key!.split('_')[0]!]
    if (sport !== undefined && MAPPED_MARKETS.has(row.market!) && Number(row.price) > 1) recorded.get(slug)!.add(sport)
  }
  const bookmakers = readCoverage()
  assert.deepEqual(
    bookmakers.map((bookmaker) => bookmaker.slug),
    [...recorded.keys()].sort(),
  )
  for (const { slug, coverage } of bookmakers) {
    const quoted = SPORTS.filter((sport) => recorded.get(slug)!.has(sport))
    assert.deepEqual(
      coverage.map((row) => row.sport),
      quoted,
      slug,
    )
  }
})
