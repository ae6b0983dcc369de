// Sports, leagues and events to choose from.

import { type Signal, useSignal } from '@preact/signals'
import { now } from '../browser-clock.ts'
import { count, dayAndMinute, sportName } from '../wording.ts'
import { Empty, Name } from '../widgets.tsx'
import type { EventList, EventMessage } from './event-list.ts'

/** Leagues, and events of a league, that are listed; a search finds the others. */
const LEAGUES_MAX = 100
const EVENTS_LISTED_MAX = 100

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
  void version.value
  const leagues = list.leagues(sport.value, words.value)
  return (
    <div class="picker">
      <ul class="sports" aria-label="Sports">
        {list.sports().map(([slug, events]) => (
          <li key={slug}>
            <button
              type="button"
              class="chip"
              aria-pressed={slug === sport.value}
              onClick={() => {
                sport.value = slug
              }}
            >
              {sportName(slug)} <span class="soft">{count(events)}</span>
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
      {leagues.slice(0, LEAGUES_MAX).map(({ key, name, events }, place) => (
        <details key={key} open={place < 12 || words.value !== ''}>
          <summary>
            <Name text={name} /> <span class="soft">{count(events.length)}</span>
          </summary>
          <ul class="events">
            {events.slice(0, EVENTS_LISTED_MAX).map((event) => (
              <li key={event.id}>
                <button
                  type="button"
                  aria-current={event.id === chosenId ? 'true' : undefined}
                  onClick={() => onChoose(event)}
                >
                  <span class="teams">
                    <Teams event={event} />
                  </span>
                  <Kickoff at={event.kickoffAt} />
                </button>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  )
}

/** An outright has one name only. */
export const Teams = ({ event }: { readonly event: EventMessage }) => (
  <>
    <Name text={event.homeTeam} />
    {event.awayTeam === '' ? null : (
      <>
        {' '}
        <span class="versus">v</span> <Name text={event.awayTeam} />
      </>
    )}
  </>
)

export const Kickoff = ({ at }: { readonly at: string }) =>
  Date.parse(at) <= now() ? (
    <span class="in-play">in play</span>
  ) : (
    <time dateTime={at} class="soft">
      {dayAndMinute(at)}
    </time>
  )
