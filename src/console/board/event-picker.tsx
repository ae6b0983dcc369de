// Sports, leagues and events to choose from.

import { type Signal, useSignal } from '@preact/signals'
import { now } from '../browser-clock.ts'
import { count, sportName } from '../wording.ts'
import { Empty, Name } from '../widgets.tsx'
import { isInPlay, Teams } from './event-head.tsx'
import type { EventList, EventMessage } from './event-list.ts'
import { localDayAndMinute } from './local-time.ts'

/** Leagues, and events of a league, that are listed; a search finds the others. */
const LEAGUES_MAX = 100
const EVENTS_LISTED_MAX = 100
/** Leagues are open, from the first on, as long as they have so many events together. */
const OPEN_EVENTS = 60

export const EventPicker = ({
  list,
  version,
  sport,
  chosenId,
  onChoose,
}: {
  readonly list: EventList
  /** Makes it draw anew. */
  readonly version: Signal<number>
  readonly sport: Signal<string>
  readonly chosenId: string
  readonly onChoose: (event: EventMessage) => void
}) => {
  const words = useSignal('')
  /** By league: what somebody has opened or closed. */
  const isOpened = useSignal<ReadonlyMap<string, boolean>>(new Map())
  void version.value
  const leagues = list.leagues(sport.value, words.value)
  let events = 0
  const listed = leagues.slice(0, LEAGUES_MAX).map((league) => {
    const isOpen = isOpened.value.get(league.key) ?? events < OPEN_EVENTS
    events += league.events.length
    return { ...league, isOpen }
  })
  return (
    <div class="picker">
      <ul class="sports" aria-label="Sports">
        {list.sports().map(([slug, number]) => (
          <li key={slug}>
            <button
              type="button"
              class="chip"
              aria-pressed={slug === sport.value}
              onClick={() => {
                sport.value = slug
              }}
            >
              {sportName(slug)} <span class="soft">{count(number)}</span>
            </button>
          </li>
        ))}
      </ul>
      <label class="search">
        <span class="hidden">Find a team or league</span>
        <input
          type="search"
          placeholder="Find a team or league"
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value
          }}
        />
      </label>
      {leagues.length === 0 ? <Empty>No event fits.</Empty> : null}
      {listed.map((league) => (
        <details
          key={league.key}
          open={league.isOpen}
          onToggle={({ currentTarget: { open } }) => {
            if (open !== league.isOpen) isOpened.value = new Map(isOpened.value).set(league.key, open)
          }}
        >
          <summary>
            <Name text={league.name} /> <span class="soft">{count(league.events.length)}</span>
          </summary>
          {/* What is closed costs the page nothing. */}
          {league.isOpen ? <Events events={league.events} chosenId={chosenId} onChoose={onChoose} /> : null}
        </details>
      ))}
      {leagues.length > LEAGUES_MAX ? (
        <p class="soft">{count(leagues.length - LEAGUES_MAX)} more leagues: find them by name.</p>
      ) : null}
    </div>
  )
}

const Events = ({
  events,
  chosenId,
  onChoose,
}: {
  readonly events: readonly EventMessage[]
  readonly chosenId: string
  readonly onChoose: (event: EventMessage) => void
}) => (
  <ul class="events">
    {events.slice(0, EVENTS_LISTED_MAX).map((event) => (
      <li key={event.id}>
        <button type="button" aria-current={event.id === chosenId ? 'true' : undefined} onClick={() => onChoose(event)}>
          <span class="teams">
            <Teams event={event} />
          </span>
          {isInPlay(event, now()) ? <span class="in-play">in play</span> : null}{' '}
          <time dateTime={event.kickoffAt} class="soft">
            {localDayAndMinute(event.kickoffAt)}
          </time>
        </button>
      </li>
    ))}
    {events.length > EVENTS_LISTED_MAX ? (
      <li class="soft">{count(events.length - EVENTS_LISTED_MAX)} more: find them by name.</li>
    ) : null}
  </ul>
)
