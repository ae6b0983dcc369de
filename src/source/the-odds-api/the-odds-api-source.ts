// The Odds API as a source: its settings, and the formats of its answers and of recordings.

import Type, { type Static } from 'typebox'
import { cadenceOfPolls } from '../kit/cadence.ts'
import { whyNeverPolled } from '../kit/http-client.ts'
import { type PlainParts, plainHttpFields } from '../kit/plain-field.ts'
import { ms, type Planner } from '../kit/planner.ts'
import { COMMON, HTTP, object, seconds, secret, text, texts, url, whole } from '../kit/settings.ts'
import type { Source, Start } from '../kit/source.ts'
import { theOddsApiCsvExaminer, theOddsApiCsvNormaliser } from './the-odds-api-csv.ts'
import { theOddsApiNormaliser } from './the-odds-api-normaliser.ts'
import { TheOddsApiPoller } from './the-odds-api-poller.ts'

const Settings = object({
  ...COMMON,
  ...HTTP,
  kind: Type.Literal('the-odds-api'),
  baseUrl: url('https?', 'where it is', 'https://api.the-odds-api.com/'),
  apiKey: secret('the API key'),
  sports: Type.Array(
    object({
      key: text("the API's key of the sport, soccer_epl"),
      intervalSeconds: seconds('how often', 60, 1),
      priority: Type.Number({ minimum: 0.01, maximum: 1_000, description: 'when credits are short', default: 1 }),
    }),
    { minItems: 1 },
  ),
  markets: texts('h2h, spreads, totals, …', ['h2h']),
  regions: texts('uk, eu, …', ['eu']),
  bookmakers: texts("the API's keys of the books wanted; empty: all of the regions"),
  creditsPerMonth: Type.Optional(whole('credits of the plan; left out: as the answers say', undefined)),
  creditsReserve: whole('credits left for others', 0, 0),
  creditsResetDay: Type.Integer({ minimum: 1, maximum: 28, description: 'day of the month, UTC', default: 1 }),
  creditsIntervalSeconds: seconds('how often the credits are requested, which is free', 600, 10),
})

const start = (planner: Planner, settings: Static<typeof Settings>): Start => {
  const { baseUrl, sports, markets, regions, bookmakers } = settings
  const reading = planner.reading(settings)
  const never = whyNeverPolled(reading.access)
  const options = {
    ...reading,
    baseUrl,
    // One that is not polled needs none.
    apiKey: never === null ? planner.secret('apiKey', settings.apiKey) : '',
    sports: sports.map(({ key, intervalSeconds, priority }) => ({ key, intervalMs: ms(intervalSeconds), priority })),
    markets,
    regions,
    bookmakers,
    credits: {
      perMonth: settings.creditsPerMonth ?? null,
      reserve: settings.creditsReserve,
      resetDay: settings.creditsResetDay,
    },
    creditsIntervalMs: ms(settings.creditsIntervalSeconds),
  }
  const intervalMs = Math.min(...options.sports.map((sport) => sport.intervalMs))
  return {
    cadence: cadenceOfPolls(intervalMs, null),
    connect: (context) => new TheOddsApiPoller(options, context, planner.parts.paces),
    never,
  }
}

export const theOddsApiSource = {
  formats: {
    'the-odds-api-csv': {
      piece: 'line',
      normaliser: theOddsApiCsvNormaliser,
      examiner: theOddsApiCsvExaminer,
      hasOddsFormat: true,
    },
    'the-odds-api': { piece: 'document', normaliser: theOddsApiNormaliser, hasOddsFormat: true },
  },
  kinds: {
    'the-odds-api': {
      settings: () => Settings,
      start,
      plainFields: (settings: Static<typeof Settings>, parts: PlainParts) => plainHttpFields(settings, parts, 'apiKey'),
    },
  },
} satisfies Source
