// The recorded markets of Pinnacle as of now, with the made-up matchups by which they can be checked (docs/feeds.md 12).

import { FILES, HOUR_MS, MINUTE_MS, groupBy, pathOf, read, timeText, type Expected } from './payloads.ts'

interface StraightMarket {
  readonly cutoffAt: string
  readonly matchupId: number
  readonly type: string
  readonly prices: readonly { readonly designation: string; readonly points?: number; readonly price: number }[]
}

export interface PinnacleReplay {
  readonly matchups: string
  readonly straight: string
  readonly expected: readonly Expected[]
}

const PINNACLE_TYPES: Readonly<Record<string, string>> = {
  moneyline: 'match_result_1x2',
  spread: 'spread',
  total: 'total_goals',
}

const decimalOf = (american: number): number =>
  Math.round(american > 0 ? 1_000 + 10 * american : 1_000 + 100_000 / -american) / 1_000

export const pinnacle = (nowAt: number, bookmaker: string): PinnacleReplay => {
  const recorded = JSON.parse(read(pathOf(FILES.straight))) as readonly StraightMarket[]
  const firstAt = Math.min(...recorded.map(({ cutoffAt }) => Date.parse(cutoffAt)))
  const shiftMs = Math.floor((nowAt - firstAt) / MINUTE_MS) * MINUTE_MS + 2 * HOUR_MS
  const markets = recorded.map((each) => ({ ...each, cutoffAt: timeText(Date.parse(each.cutoffAt) + shiftMs) }))
  const expected = markets.flatMap(({ matchupId, type: kind, prices }) => {
    const type = PINNACLE_TYPES[kind]
    if (type === undefined) return []
    return prices.map(({ designation: outcome, points, price }): Expected => {
      const line = points === undefined ? null : (kind === 'spread' && outcome === 'away' ? 0 - points : points) + 0
      return { key: `pinnacle:${matchupId}`, bookmaker, type, line, outcome, odds: decimalOf(price), at: nowAt }
    })
  })
  const matchups = Array.from(
    groupBy(markets, ({ matchupId }) => String(matchupId)),
    ([id, ofMatchup]) => {
      const cutoffs = ofMatchup.map(({ cutoffAt }) => cutoffAt).sort()
      return {
        ...{ id: Number(id), type: 'matchup', units: 'Regular', isLive: false, parentId: null, startTime: cutoffs[0] },
        league: { id: 1, name: 'Unknown', sport: { id: 29, name: 'Soccer' } },
        participants: ['home', 'away'].map((alignment, order) => ({
          ...{ alignment, order },
          name: `${alignment === 'home' ? 'Home' : 'Away'} ${id}`,
        })),
        periods: [{ period: 0, status: 'open', cutoffAt: cutoffs[0] }],
      }
    },
  )
  return { matchups: JSON.stringify(matchups), straight: JSON.stringify(markets), expected }
}
