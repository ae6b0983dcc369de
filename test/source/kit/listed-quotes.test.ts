// Random series of documents, against a model that keeps one map and looks at everything each time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventSighting, Observation } from '../../../src/domain/observation.ts'
import type { QuoteStatus } from '../../../src/domain/quote.ts'
import { ListedQuotes } from '../../../src/source/kit/listed-quotes.ts'
import { Random, SEED } from '../../random.ts'

const KICKOFF_AT = Date.parse('2026-03-08T15:00:00Z')

const SIGHTING: EventSighting = {
  sport: 'football',
  leagueKey: 'unknown',
  leagueName: 'unknown',
  home: 'Elm',
  away: 'Oak',
  kickoffAt: KICKOFF_AT,
  sourceKey: 'kambi:1',
}

interface Modelled {
  odds: number
  status: QuoteStatus
  told: QuoteStatus
  closesAt: number
}

const SERIES = 60
const DOCUMENTS = 40

const textsOf = (observations: Iterable<Observation>): string[] =>
  [...observations]
    .flatMap(({ prices }) => prices.map(({ line, outcome, odds, status }) => `${line} ${outcome} ${odds} ${status}`))
    .toSorted()

test('whatever is listed, dropped and listed again in any order, each change is told once', () => {
  const random = new Random(SEED)
  for (let series = 0; series < SERIES; series++) {
    const standing = new ListedQuotes({ pricesMax: 1_000, textLengthMax: 60 }, 'rest')
    const model = new Map<string, Modelled>()
    const lines = random.int(1, 20)
    let at = KICKOFF_AT
    for (let document = 0; document < DOCUMENTS; document++) {
      at += random.int(1, 60_000)
      const expected: string[] = []
      const named = new Set<string>()
      standing.begin(at)
      const event = standing.sight(1, 'unibet', SIGHTING)
      const listed = Array.from({ length: lines * 2 }, (_, index) => index).filter(() => random.chance(0.8))
      if (random.chance(0.3)) listed.reverse()
      for (const index of listed) {
        const line = (index >> 1) + 0.5
        const outcome = index % 2 === 0 ? 'over' : 'under'
        const key = `${line} ${outcome}`
        const odds = random.chance(0.1) ? null : random.int(2, 9)
        const status: QuoteStatus = random.pick(['open', 'open', 'open', 'suspended', 'closed'])
        const closesAt = random.chance(0.1) ? at + random.int(-60_000, 60_000) : Number.POSITIVE_INFINITY
        standing.list(event, { id: index, period: 0, closesAt }, 'total_goals', line, outcome, odds, status)
        const known = model.get(key)
        if (odds === null && known === undefined) continue
        const said = odds === null && status === 'open' ? 'suspended' : status
        const told = at >= closesAt ? 'closed' : said
        model.set(key, { odds: odds ?? known!.odds, status: said, told, closesAt })
        named.add(key)
        expected.push(`${key} ${odds} ${told}`)
      }
      const missing = random.pick(['suspended', 'closed', undefined] as const)
      standing.fall(event, () => missing)
      for (const [key, quote] of missing === undefined ? [] : model) {
        if (named.has(key)) continue
        if (quote.status !== 'closed') quote.status = missing!
        const told = at >= quote.closesAt ? 'closed' : quote.status
        if (told !== quote.told) expected.push(`${key} null ${told}`)
        quote.told = told
        if (told === 'closed') model.delete(key)
      }
      const where = `seed ${SEED}, series ${series}, document ${document}`
      assert.deepEqual(textsOf(standing.observations()), expected.toSorted(), where)
      if (!random.chance(0.3)) continue
      const closed: string[] = []
      at += random.int(0, 60_000)
      for (const [key, quote] of model) {
        if (at < quote.closesAt || quote.told === 'closed') continue
        closed.push(`${key} ${quote.odds} closed`)
        quote.told = 'closed'
      }
      assert.deepEqual(textsOf(standing.closeDue(at)), closed.toSorted(), where)
    }
  }
})
