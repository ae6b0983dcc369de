// What the grid is about, and whether it shows the present.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { now } from '../browser-clock.ts'
import { duration, sportName } from '../wording.ts'
import { Name } from '../widgets.tsx'
import type { EventMessage } from './event-list.ts'
import type { ConnectionState, LiveConnection } from './live-connection.ts'
import { localSecond, localWithZone } from './local-time.ts'

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

/** Nothing says that an event has ended but that its prices go: one that began a day ago is just old. */
const IN_PLAY_MS = 86_400_000

/** Whether an event has begun lately. @param at epoch ms */
export const isInPlay = ({ kickoffAt }: EventMessage, at: number): boolean => {
  const sinceMs = at - Date.parse(kickoffAt)
  return sinceMs >= 0 && sinceMs < IN_PLAY_MS
}

export const EventHead = ({
  event,
  isOver,
}: {
  readonly event: EventMessage | undefined
  /** No bookmaker prices it any more. */
  readonly isOver: boolean
}) => (
  <header class="event-head">
    {event === undefined ? (
      <h1>Live board</h1>
    ) : (
      <>
        <p class="soft">
          {sportName(event.sport)} · <Name text={event.leagueName} />
        </p>
        <h1>
          <Teams event={event} />
        </h1>
        <p>
          {isOver ? (
            <strong class="over">over: no bookmaker prices it any more</strong>
          ) : isInPlay(event, now()) ? (
            <span class="in-play">in play</span>
          ) : null}{' '}
          <time dateTime={event.kickoffAt} title={event.kickoffAt} class="soft">
            {event.awayTeam === '' ? 'begins' : 'kickoff'} {localWithZone(event.kickoffAt)}
          </time>
        </p>
      </>
    )}
  </header>
)

const REASONS: Readonly<Record<ConnectionState, string>> = {
  connecting: 'Connecting.',
  resuming: 'Catching up with what was missed.',
  live: '',
  silent: 'Nothing arrives from the service.',
  broken: 'The connection is lost.',
  refused: 'The service has refused the connection.',
}

/** Says that the prices below are of the past, and how old they are. */
export const StaleNotice = ({ connection }: { readonly connection: LiveConnection }) => {
  const state = connection.state.value
  const at = useSignal(now())
  useEffect(() => {
    if (state === 'live') return
    at.value = now()
    const timer = setInterval(() => {
      at.value = now()
    }, 250)
    return () => clearInterval(timer)
  }, [state])
  if (state === 'live') return null
  const { knownUntil } = connection
  return (
    <p class="notice stale-notice">
      <strong role="alert">Not live. {REASONS[state]}</strong>{' '}
      {knownUntil === 0 ? null : (
        <span>
          Prices of {localSecond(knownUntil)}, <b>{duration(Math.max(0, at.value - knownUntil))}</b> old.
        </span>
      )}
    </p>
  )
}
