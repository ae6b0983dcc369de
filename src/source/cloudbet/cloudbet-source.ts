// Cloudbet as a source: its settings, and the format of its answers.

import Type, { type Static } from 'typebox'
import { cadenceOfPolls } from '../kit/cadence.ts'
import { whyNeverPolled } from '../kit/http-client.ts'
import { type PlainParts, plainHttpFields } from '../kit/plain-field.ts'
import { ms, type Planner } from '../kit/planner.ts'
import { BOOKMAKER, COMMON, HTTP, object, seconds, secret, texts, url } from '../kit/settings.ts'
import type { Source, Start } from '../kit/source.ts'
import { CLOUDBET_MARKETS } from './cloudbet-markets.ts'
import { cloudbetNormaliser } from './cloudbet-normaliser.ts'
import { CloudbetPoller } from './cloudbet-poller.ts'
import { prefixOf } from './cloudbet-sports.ts'

const KEY_HEADER = 'X-API-Key'

const { credential: _credential, ...OTHER_HTTP } = HTTP

const Settings = object({
  ...COMMON,
  ...BOOKMAKER,
  ...OTHER_HTTP,
  kind: Type.Literal('cloudbet'),
  baseUrl: url('https?', 'where it is', 'https://sports-api.cloudbet.com/pub/v2/odds/'),
  apiKey: secret(`the API key, sent as ${KEY_HEADER}`),
  competitions: Type.Array(
    object({
      key: Type.String({
        pattern: '^[a-z0-9]+(-[a-z0-9]+)+$',
        description: "Cloudbet's key of the competition, soccer-england-premier-league",
      }),
      intervalSeconds: seconds('how often', 30, 1),
      liveIntervalSeconds: seconds('how often while one of its events is live', 10, 1),
    }),
    { minItems: 1 },
  ),
  markets: texts("Cloudbet's keys of the markets wanted, soccer.match_odds; empty: all that are mapped"),
})

/** Market keys of a competition's sport, by the beginning of its key. */
const marketsOf = (competition: string, keys: readonly string[]): readonly string[] => {
  const start = prefixOf(competition)
  return keys.filter((key) => start.startsWith(`${key.slice(0, key.indexOf('.'))}_`))
}

const MAPPED = [...CLOUDBET_MARKETS.keys()]

const start = (planner: Planner, settings: Static<typeof Settings>): Start => {
  const { baseUrl, markets } = settings
  for (const [index, key] of markets.entries()) {
    if (!CLOUDBET_MARKETS.has(key)) {
      planner.wrong(
        `markets[${index}]`,
        `must be the key of a market that is mapped, like soccer.match_odds, not "${key}"`,
      )
    }
  }
  const competitions = settings.competitions.map(({ key, intervalSeconds, liveIntervalSeconds }, index) => {
    const place = `competitions[${index}].key`
    if (settings.competitions.findIndex((other) => other.key === key) !== index) {
      planner.wrong(place, `"${key}" is given twice`)
    }
    if (marketsOf(key, MAPPED).length === 0) {
      planner.wrong(place, `"${key}" must begin with the key of a sport that has markets here, like soccer-…`)
    }
    const wanted = marketsOf(key, markets.length === 0 ? MAPPED : markets)
    if (wanted.length === 0) planner.wrong('markets', `must have one of the sport of competitions[${index}] (${key})`)
    return { key, markets: wanted, intervalMs: ms(intervalSeconds), liveIntervalMs: ms(liveIntervalSeconds) }
  })
  const reading = planner.reading(settings)
  const never = whyNeverPolled(reading.access)
  const apiKey = never === null ? planner.secret('apiKey', settings.apiKey) : ''
  const access = { ...reading.access, credential: { header: KEY_HEADER, value: apiKey } }
  const options = { ...reading, access, baseUrl, competitions }
  return {
    cadence: cadenceOfPolls(Math.min(...competitions.map(({ intervalMs }) => intervalMs)), 0),
    connect: (context) => new CloudbetPoller(options, context, planner.parts.paces),
    never,
  }
}

export const cloudbetSource = {
  formats: { cloudbet: { piece: 'document', normaliser: cloudbetNormaliser, isUndated: true } },
  kinds: {
    cloudbet: {
      settings: () => Settings,
      start,
      plainFields: (settings: Static<typeof Settings>, parts: PlainParts) => plainHttpFields(settings, parts, 'apiKey'),
    },
  },
} satisfies Source
