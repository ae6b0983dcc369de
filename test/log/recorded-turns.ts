// The turns of fixtures/log/turn-format-1.hex: every kind of input and of decision, every optional member both ways, every
// form of a number and of a text. Two segments: each begins with a new dictionary.

import type { Turn } from '../../src/domain/input.ts'
import type { EventSighting, Observation } from '../../src/domain/observation.ts'

const AT = 1_790_000_000_000

const DERBY: EventSighting = {
  sport: 'football',
  leagueKey: 'england_premier_league',
  leagueName: 'Premier League',
  home: 'Reds',
  away: 'Blues',
  kickoffAt: AT + 3_600_000,
  sourceKey: 'kambi:1001',
}

const OUTRIGHT: EventSighting = {
  sport: 'winter_sport',
  leagueKey: 'unknown',
  leagueName: 'unknown',
  home: 'Пхёнчхан 2030 ⛷️',
  away: '',
  kickoffAt: AT + 0.5,
  sourceKey: null,
}

const FULL: Observation = {
  bookmaker: 'northlight',
  transport: 'both',
  observedAt: AT - 250,
  event: DERBY,
  prices: [
    { type: 'match_result_1x2', line: null, outcome: 'home', odds: 2.15, status: 'open' },
    { type: 'match_result_1x2', line: null, outcome: 'draw', odds: 3.405, status: 'open' },
    { type: 'match_result_1x2', line: null, outcome: 'away', odds: 1 + 1 / 3, status: 'suspended' },
    { type: 'total_goals', line: 2.5, outcome: 'over', odds: 1.9, status: 'open' },
    { type: 'total_goals', line: 2.5, outcome: 'under', odds: null, status: 'closed' },
    { type: 'spread', line: -0.25, outcome: 'home', odds: 1000, status: 'open' },
    { type: 'spread', line: 0, outcome: 'home', odds: 1.000_01, status: 'open' },
    { type: 'spread', line: -0, outcome: 'home', odds: 1e300, status: 'open' },
    { type: 'spread', line: 0.1, outcome: 'away', odds: Number.POSITIVE_INFINITY, status: 'open' },
    { type: 'quarter_betting', line: Number.NEGATIVE_INFINITY, outcome: '\ud800 alone', odds: -0, status: 'open' },
  ],
  others: 'closed',
}

const BET_STOP: Observation = {
  bookmaker: 'northlight',
  transport: 'live',
  observedAt: AT + 0.25,
  event: OUTRIGHT,
  prices: [],
  others: 'suspended',
}

const AGAIN: Observation = { ...FULL, transport: 'rest', observedAt: AT + 5, others: 'keep' }

const FIRST: readonly Turn[] = [
  { at: AT, inputs: [{ kind: 'bookmakers', slugs: ['northlight', 'östbank'] }] },
  {
    at: AT + 0.125,
    inputs: [
      { kind: 'observe', observation: FULL, producer: 'kambi football', doubt: undefined },
      { kind: 'observe', observation: BET_STOP, producer: '', doubt: 'clock' },
    ],
  },
  {
    at: AT + 10,
    inputs: [
      { kind: 'commit', observations: [AGAIN, { ...AGAIN, event: { ...DERBY, kickoffAt: AT } }, BET_STOP] },
      { kind: 'commit', observations: [] },
      { kind: 'observe', observation: AGAIN, producer: 'kambi football', doubt: 'gap' },
      { kind: 'suspect', producer: 'kambi football', doubt: 'source_down' },
      { kind: 'confirm', producer: 'kambi football', at: AT + 9 },
      { kind: 'end', producer: 'kambi football', at: AT + 9.5 },
      { kind: 'leave', producer: 'kambi football', doubt: undefined },
      { kind: 'leave', producer: 'kambi tennis', doubt: 'gap' },
    ],
  },
]

const SECOND: readonly Turn[] = [
  {
    at: AT + 20,
    inputs: [
      {
        kind: 'decide',
        decisions: [
          { kind: 'merge', keys: ['kambi:1001', 'pinnacle:7'], swapped: true },
          { kind: 'merge', keys: ['kambi:1001', 'pinnacle:7'], swapped: false },
          { kind: 'split', keys: ['kambi:1001', 'uof:sr:match:1'] },
          { kind: 'alias', sport: 'tennis', name: 'A. Müller', means: 'Anna Müller' },
          { kind: 'alias', sport: null, name: 'Man U', means: 'Manchester United' },
          { kind: 'suspend', bookmaker: 'northlight', event: '280215750837976' },
          { kind: 'suspend', bookmaker: 'northlight', event: null },
        ],
      },
      { kind: 'decide', decisions: [] },
      { kind: 'health', health: { bookmaker: 'northlight', state: 'down', since: AT + 1, behindMs: 12.5 } },
      { kind: 'use', key: 'k1', organization: 'o1', audience: '{"rest":true}', seq: 2 ** 40 + 1 },
      { kind: 'rights', organizations: null, seq: 7, isStart: true },
      { kind: 'rights', organizations: ['o1', 'o2'], seq: 8, isStart: false },
      { kind: 'observe', observation: FULL, producer: 'kambi football', doubt: 'source_down' },
    ],
  },
  { at: AT + 30, inputs: [] },
  {
    at: AT + 40,
    inputs: [
      {
        kind: 'store',
        proposal: 'p2',
        expects: 'p1',
        after: 'p1',
        version: 2,
        statements: [
          ['UPDATE keys SET revokedAt = ?, name = ? WHERE id = ?', [AT + 40, 'Zürich', 'key_1']],
          ['UPDATE keys SET expiresAt = ?', [null]],
          ['DELETE FROM links', []],
        ],
        decisions: [{ kind: 'suspend', bookmaker: 'northlight', event: null }],
        bookmakers: ['northlight', 'westhafen'],
        organizations: ['o1', 'o3'],
      },
      {
        kind: 'store',
        proposal: 'p3',
        expects: '',
        after: 'p0',
        version: 1,
        statements: [],
        decisions: null,
        bookmakers: [],
        organizations: null,
      },
    ],
  },
]

export const RECORDED_SEGMENTS: readonly (readonly Turn[])[] = [FIRST, SECOND]
