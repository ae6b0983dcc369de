// The Unified Odds Feed as a source: its settings, and the format of its messages.

import Type, { type Static } from 'typebox'
import { FIXTURES } from '../kit/format.ts'
import { isPlain, type PlainField, type PlainParts } from '../kit/plain-field.ts'
import { ms, type Planner } from '../kit/planner.ts'
import { BOOKMAKER, COMMON, object, seconds, secret, text, url, whole } from '../kit/settings.ts'
import type { Source, Start } from '../kit/source.ts'
import { isAmqpUrl } from './message-queue.ts'
import { UofConnector } from './uof-connector.ts'
import { uofNormaliser } from './uof-normaliser.ts'
import { UOF_LIMITS } from './uof-options.ts'

const Settings = object({
  ...COMMON,
  ...BOOKMAKER,
  kind: Type.Literal('uof'),
  amqpUrl: secret('amqps://TOKEN@HOST/VHOST'),
  exchange: text('the exchange', 'unifiedfeed'),
  apiUrl: url('https?', 'where fixtures and recoveries are requested', 'https://api.betradar.com'),
  apiToken: secret('access token'),
  products: Type.Array(object({ id: whole('product', 1), name: text('in the paths of the API: liveodds, pre') }), {
    minItems: 1,
    default: [
      { id: 1, name: 'liveodds' },
      { id: 3, name: 'pre' },
    ],
  }),
  aliveSeconds: seconds('silence of a product after which its quotes are suspended', 20, 0.2),
})

const start = (planner: Planner, settings: Static<typeof Settings>): Start => {
  const amqpUrl = planner.secret('amqpUrl', settings.amqpUrl)
  if (!isAmqpUrl(amqpUrl)) {
    planner.wrong(
      'amqpUrl',
      `${settings.amqpUrl} must hold amqps://TOKEN@HOST/VHOST, a % of the token as %25`,
      'secret',
    )
  }
  const options = {
    amqpUrl,
    exchange: settings.exchange,
    apiUrl: settings.apiUrl,
    apiToken: planner.secret('apiToken', settings.apiToken),
    bookmaker: settings.bookmaker ?? null,
    transport: settings.transport ?? null,
    products: settings.products,
    aliveMsMax: ms(settings.aliveSeconds),
    limits: { ...planner.parts.limits, ...UOF_LIMITS, aheadMsMax: planner.parts.skewMsMax },
  }
  // The connector suspends the quotes of a silent product; this covers the loss of all signs of life.
  const { aliveMsMax } = options
  return {
    cadence: {
      beatMs: aliveMsMax / 2,
      lateMs: 0.75 * aliveMsMax,
      downMs: 1.25 * aliveMsMax,
      suspendMs: 0,
      behindMsMax: 30_000,
    },
    connect: (context) => new UofConnector(options, context),
  }
}

const plainFields = ({ amqpUrl, apiUrl }: Static<typeof Settings>, { valueOf }: PlainParts): PlainField[] => {
  const fields: PlainField[] = []
  if (isPlain(valueOf(amqpUrl))) fields.push(['amqpUrl', 'its token'])
  if (isPlain(apiUrl)) fields.push(['apiUrl', 'apiToken'])
  return fields
}

export const uofSource = {
  formats: { uof: { piece: 'document', normaliser: uofNormaliser, namedBy: `${FIXTURES}, by event id` } },
  kinds: { uof: { settings: () => Settings, start, plainFields } },
} satisfies Source
