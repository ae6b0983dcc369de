// The recorded fixtures of TxLINE as of now.

import { FIXTURES, HOUR_MS, MINUTE_MS, fixturePath, read, timeText, type Expected } from './payloads.ts'

interface TxLineRow {
  readonly Prices: readonly number[]
  readonly Ts: number
}

export interface TxLineReplay {
  /** All fixtures in one document, as the documented record has it: rows name their fixture. */
  readonly text: string
  readonly fixtures: string
  readonly expected: readonly Expected[]
}

const TXLINE_MATCHES: Readonly<Record<string, readonly [home: string, away: string]>> = {
  17588223: ['Mexico', 'South Korea'],
  17588229: ['Paraguay', 'Australia'],
  17588234: ['Norway', 'France'],
  17588235: ['Uruguay', 'Cape Verde'],
  17588240: ['Germany', 'Ivory Coast'],
}

export const txline = (nowAt: number, bookmaker: string): TxLineReplay => {
  const rows: object[] = []
  const fixtures: object[] = []
  const expected: Expected[] = []
  for (const id of FIXTURES) {
    const recorded = JSON.parse(read(fixturePath(id))) as readonly TxLineRow[]
    const last = recorded.at(-1)!
    const shiftMs = nowAt - MINUTE_MS - last.Ts
    for (const row of recorded) rows.push({ FixtureId: Number(id), ...row, Ts: row.Ts + shiftMs })
    const [home, away] = TXLINE_MATCHES[id]!
    const league = { key: 'fifa_world_cup', name: 'FIFA World Cup' }
    fixtures.push({ id, sport: 'football', league, home, away, kickoffAt: timeText(nowAt - 2 * HOUR_MS) })
    for (const [place, outcome] of (['home', 'draw', 'away'] as const).entries()) {
      const quote = { type: 'match_result_1x2', line: null, outcome, odds: last.Prices[place]! / 1_000 }
      expected.push({ key: `txline:${id}`, bookmaker, ...quote, at: last.Ts + shiftMs })
    }
  }
  return { text: JSON.stringify(rows), fixtures: JSON.stringify({ fixtures }), expected }
}
