// Examples of the answers, for readers of the document. The bookmakers and teams are invented.

import type { OperationId } from './operations.ts'

const meta = (total: number, sport?: string) => ({
  total,
  limit: 50,
  offset: 0,
  transport: 'rest',
  ...(sport === undefined ? {} : { sport }),
})

const event = {
  id: '104217389912345',
  sport: 'football',
  leagueKey: 'avaria_premier_league',
  leagueName: 'Avaria Premier League',
  homeTeam: 'Harbour Town',
  awayTeam: 'Millbrook United',
  kickoffAt: '2026-11-20T20:00:00.000Z',
  marketCount: 2,
}

const outcome = (label: string, odds: number) => ({
  outcome: label,
  transport: 'rest',
  odds,
  status: 'open',
  lastUpdatedAt: '2026-11-20T19:03:11.482Z',
})

const northbank = { slug: 'northbank', displayName: 'Northbank' }

const coverage = {
  coverageStatus: 'verified_rest_live',
  restAvailable: true,
  liveAvailable: true,
  lastVerifiedAt: '2026-11-19',
}

const example = (summary: string, value: unknown) => ({ default: { summary, value } })

/** One example answer per operation. */
export const EXAMPLES: Readonly<Record<OperationId, object>> = {
  listSports: example('One sport, one bookmaker', {
    meta: meta(1),
    data: [
      {
        slug: 'football',
        name: 'Football',
        coverage: { transport: 'rest', bookmakerCount: 1, bookmakers: [{ ...northbank, ...coverage }] },
      },
    ],
  }),
  listEvents: example('One event', { meta: meta(1, 'football'), data: [event] }),
  getEventOdds: example('Two markets, one bookmaker', {
    data: {
      event,
      markets: [
        {
          type: 'match_result_1x2',
          line: null,
          bookmakers: [{ ...northbank, outcomes: [outcome('home', 2.1), outcome('draw', 3.4), outcome('away', 3.65)] }],
        },
        {
          type: 'total_goals',
          line: 2.5,
          bookmakers: [{ ...northbank, outcomes: [outcome('over', 1.91), outcome('under', 1.95)] }],
        },
      ],
    },
  }),
  listBookmakers: example('One bookmaker', {
    meta: meta(1, 'football'),
    data: [
      {
        ...northbank,
        coverage: {
          region: 'Nordics',
          countries: ['SE', 'FI'],
          ...coverage,
          sourceMode: 'direct',
          customerNote: '',
        },
      },
    ],
  }),
  streamChanges: example(
    'An update after a snapshot',
    [
      ['event: snapshot-end', 'id: mi8n2k4p-881201', 'data: {"seq":"mi8n2k4p-881201","messages":0}'],
      [
        'event: update',
        'id: mi8n2k4p-881234',
        'data: {"prev":"mi8n2k4p-881201","seq":"mi8n2k4p-881234","eventId":"104217389912345","sport":"football","bookmaker":"northbank","observedAt":"2026-11-20T19:03:11.482Z","recordedAt":"2026-11-20T19:03:11.503Z","quotes":[{"type":"match_result_1x2","line":null,"outcome":"home","odds":2.1,"status":"suspended","change":"suspended","cause":"book","lastUpdatedAt":"2026-11-20T19:03:11.482Z"}]}',
      ],
    ]
      .map((lines) => `${lines.join('\n')}\n\n`)
      .join(''),
  ),
  getSpec: example('The beginning of this document', {
    openapi: '3.1.0',
    info: { title: 'oddswire', version: '1.0.0' },
    paths: {},
  }),
}
