// Kambi as a source: its settings, and the format of its answers.

import Type, { type Static } from 'typebox'
import { cadenceOfPolls } from '../kit/cadence.ts'
import { whyNeverPolled } from '../kit/http-client.ts'
import { plainHttpFields } from '../kit/plain-field.ts'
import { ms, type Planner } from '../kit/planner.ts'
import { BOOKMAKER, COMMON, HTTP, object, seconds, text, url, whole } from '../kit/settings.ts'
import type { Source, Start } from '../kit/source.ts'
import { kambiNormaliser } from './kambi-normaliser.ts'
import { KambiPoller } from './kambi-poller.ts'

const Settings = object({
  ...COMMON,
  ...BOOKMAKER,
  ...HTTP,
  kind: Type.Literal('kambi'),
  baseUrl: url('https?', 'https://HOST/offering/v2018/'),
  operator: text("Kambi's code of the operator"),
  lists: Type.Array(
    object({
      path: text('{operator}/listView/football.json?lang=en_GB'),
      intervalSeconds: seconds('how often', 60, 1),
    }),
    { description: 'lists of events: what they name is polled event by event', default: [] },
  ),
  event: Type.Optional(
    object({
      path: text('one event', '{operator}/betoffer/event/{id}.json?lang=en_GB'),
      intervalSeconds: seconds('how often before kickoff', 30, 1),
      liveIntervalSeconds: seconds('and after', 10, 1),
    }),
  ),
  pages: Type.Array(
    object({
      path: text('{operator}/betoffer/group/1.json?type=2&range_start={start}&range_size={size}'),
      size: whole('offers of a page', 2_000),
      pagesMax: whole('pages', 10),
      intervalSeconds: seconds('how often', 60, 1),
    }),
    { description: 'offers of many events; a path without {start} is one page, such as a list view', default: [] },
  ),
  horizonSeconds: seconds('how far ahead a kickoff may be', 7 * 86_400),
  afterKickoffSeconds: seconds('how long after its kickoff an event is still polled', 4 * 3_600),
  eventsMax: whole('events polled', 500),
})

const start = (planner: Planner, settings: Static<typeof Settings>): Start => {
  const { lists, event, pages, baseUrl, operator } = settings
  if (lists.length === 0 && pages.length === 0) planner.wrong('lists', 'or pages must name something to poll')
  if (lists.length > 0 && event === undefined) {
    planner.wrong('event', 'is missing: lists name events only; a list view under pages is read for its main offers')
  }
  const options = {
    ...planner.reading(settings),
    baseUrl,
    operator,
    lists: lists.map(({ path, intervalSeconds }) => ({ path, intervalMs: ms(intervalSeconds) })),
    event:
      event === undefined
        ? null
        : {
            path: event.path,
            intervalMs: ms(event.intervalSeconds),
            liveIntervalMs: ms(event.liveIntervalSeconds),
          },
    pages: pages.map(({ intervalSeconds, ...page }) => ({ ...page, intervalMs: ms(intervalSeconds) })),
    horizonMs: ms(settings.horizonSeconds),
    afterKickoffMs: ms(settings.afterKickoffSeconds),
    eventsMax: settings.eventsMax,
  }
  const intervals = [...options.lists, ...options.pages].map(({ intervalMs }) => intervalMs)
  if (options.event !== null) intervals.push(options.event.intervalMs)
  return {
    cadence: cadenceOfPolls(Math.min(...intervals), 0),
    connect: (context) => new KambiPoller(options, context, planner.parts.paces),
    never: whyNeverPolled(options.access),
  }
}

export const kambiSource = {
  formats: { kambi: { piece: 'document', normaliser: kambiNormaliser, isUndated: true } },
  kinds: { kambi: { settings: () => Settings, start, plainFields: plainHttpFields } },
} satisfies Source
