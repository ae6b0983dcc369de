// Pinnacle as a source: its settings, and the format of its answers.

import Type, { type Static } from 'typebox'
import { cadenceOfPolls } from '../kit/cadence.ts'
import { whyNeverPolled } from '../kit/http-client.ts'
import { plainHttpFields } from '../kit/plain-field.ts'
import { ms, type Planner } from '../kit/planner.ts'
import { BOOKMAKER, COMMON, flag, HTTP, object, seconds, text, url } from '../kit/settings.ts'
import type { Source, Start } from '../kit/source.ts'
import { pinnacleNormaliser } from './pinnacle-normaliser.ts'
import { PinnaclePoller } from './pinnacle-poller.ts'

const Settings = object({
  ...COMMON,
  ...BOOKMAKER,
  ...HTTP,
  kind: Type.Literal('pinnacle'),
  baseUrl: url('https?', 'https://HOST/0.1/'),
  groups: Type.Array(
    object({
      name: text('as messages call it'),
      matchups: text('leagues/2117/matchups'),
      straight: text('leagues/2117/markets/straight'),
      complete: flag('whether a market that an answer lacks is off', true),
    }),
    { minItems: 1, description: 'leagues or sports' },
  ),
  matchupsIntervalSeconds: seconds('how often names, leagues and kickoffs are requested', 300, 1),
  straightIntervalSeconds: seconds('how often prices are requested', 30, 1),
})

const start = (planner: Planner, settings: Static<typeof Settings>): Start => {
  const { baseUrl, groups } = settings
  const options = {
    ...planner.reading(settings),
    baseUrl,
    groups: groups.map(({ complete, ...group }) => ({ ...group, isComplete: complete })),
    matchupsIntervalMs: ms(settings.matchupsIntervalSeconds),
    straightIntervalMs: ms(settings.straightIntervalSeconds),
  }
  return {
    cadence: cadenceOfPolls(options.straightIntervalMs, 0),
    connect: (context) => new PinnaclePoller(options, context, planner.parts.paces),
    never: whyNeverPolled(options.access),
  }
}

export const pinnacleSource = {
  formats: {
    pinnacle: {
      piece: 'document',
      normaliser: pinnacleNormaliser,
      isUndated: true,
      namedBy:
        'give its matchups in the same document, {"matchups":[…],"markets":[…]}, or with feed explain as the file before it',
    },
  },
  kinds: { pinnacle: { settings: () => Settings, start, plainFields: plainHttpFields } },
} satisfies Source
