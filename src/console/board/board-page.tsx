// The live board: one event's prices at all bookmakers, as they change.

import './board.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { elapsedMs, now } from '../browser-clock.ts'
import { endpoints, hashMembers, setHash } from '../place.ts'
import { user } from '../portal-api.ts'
import { sportName } from '../wording.ts'
import { Empty, Loading, Name } from '../widgets.tsx'
import { BoardState, type Cell, type OddsMessage } from './board-state.ts'
import { credentialOf, loadNames, typedKey } from './board-key.ts'
import { EventList, type EventMessage } from './event-list.ts'
import { EventPicker, Kickoff, Teams } from './event-picker.tsx'
import { Grid } from './grid.tsx'
import { KeyForm } from './key-form.tsx'
import { LiveConnection } from './live-connection.ts'
import { PathPanel } from './path-panel.tsx'
import { Strip } from './strip.tsx'
import type { TopicReader } from './topic-reader.ts'

/** Lists are drawn at most so often: with thousands of events each drawing costs milliseconds. */
const LIST_EVERY_MS = 500

export const BoardPage = () => {
  const hasKey = useSignal(typedKey() !== '')
  if (user.value === undefined) return <Loading what="the board" />
  if (user.value === null && !hasKey.value) {
    return (
      <KeyForm
        onKey={() => {
          hasKey.value = true
        }}
      />
    )
  }
  return <Board />
}

interface Watched {
  readonly id: string
  readonly state: BoardState
  readonly reader: TopicReader
  readonly stop: () => void
}

const Board = () => {
  const connection = useMemo(() => new LiveConnection(endpoints().live, credentialOf(now)), [])
  const list = useMemo(() => new EventList(), [])
  const listVersion = useSignal(0)
  const listIsWhole = useSignal(false)
  const sport = useSignal(hashMembers().get('sport') ?? 'football')
  const names = useSignal<ReadonlyMap<string, string>>(new Map())
  const health = useSignal<ReadonlyMap<string, string>>(new Map())
  const watched = useSignal<Watched | undefined>(undefined)
  const structure = useSignal(0)
  const chosen = useSignal<Cell | undefined>(undefined)
  /** On a narrow page the list covers the prices only while somebody chooses. */
  const isChoosing = useSignal(false)
  const meter = useMemo(() => ({ cells: 0, frames: 0 }), [])

  const watch = (event: EventMessage): void => {
    watched.peek()?.stop()
    chosen.value = undefined
    const state = new BoardState()
    const [reader, stop] = connection.follow(
      `/topic/odds.${event.sport}.*.${event.id}`,
      { 'on-slow': 'conflate' },
      {
        void: () => state.void(),
        take: (body, isSnapshot) => state.apply(body as OddsMessage, isSnapshot, elapsedMs()),
        whole: () => state.prune(),
      },
    )
    structure.value = state.structure
    watched.value = { id: event.id, state, reader, stop }
    isChoosing.value = false
    setHash({ sport: event.sport, event: event.id })
  }

  useEffect(() => {
    const wantedId = hashMembers().get('event') ?? ''
    const begin = (): void => {
      listIsWhole.value = true
      if (watched.peek() !== undefined) return
      const wanted = list.events.get(wantedId)
      if (wanted !== undefined) sport.value = wanted.sport
      const first = wanted ?? list.liveliest(sport.peek(), new Date(now()).toISOString())
      if (first !== undefined) watch(first)
    }
    connection.follow(
      '/topic/events.#',
      { 'on-slow': 'conflate' },
      { void: () => list.void(), take: (body) => list.take(body as EventMessage), whole: begin },
    )
    const states = new Map<string, string>()
    connection.follow(
      '/topic/feeds.#',
      { 'on-slow': 'conflate' },
      {
        void: () => states.clear(),
        take: (body) => {
          const { bookmaker, state } = body as { bookmaker: string; state: string }
          if (states.get(bookmaker) === state) return
          states.set(bookmaker, state)
          if (listIsWhole.peek()) health.value = new Map(states)
        },
        whole: () => {
          health.value = new Map(states)
        },
      },
    )
    connection.start()
    const timer = setInterval(() => {
      if (listVersion.peek() !== list.version) listVersion.value = list.version
    }, LIST_EVERY_MS)
    return () => {
      clearInterval(timer)
      connection.stop()
    }
  }, [])

  const isLive = connection.state.value === 'live'
  useEffect(() => {
    if (!isLive) return
    void loadNames(endpoints().api, sport.peek(), typedKey()).then((found) => {
      if (found.size > 0) names.value = found
    })
  }, [isLive, sport.value])

  const nameOf = (bookmaker: string): string => names.value.get(bookmaker) ?? bookmaker.replaceAll('_', ' ')
  const healthOf = (bookmaker: string): string => health.value.get(bookmaker) ?? 'live'
  const current = watched.value
  void listVersion.value
  const event = current === undefined ? undefined : list.events.get(current.id)

  return (
    <>
      <Strip connection={connection} meter={meter} watched={current} />
      <div class="board">
        <button
          type="button"
          class="small choose-toggle"
          aria-expanded={isChoosing.value}
          onClick={() => {
            isChoosing.value = !isChoosing.value
          }}
        >
          {isChoosing.value ? 'Back to the prices' : 'Another event'}
        </button>
        <section class={isChoosing.value ? 'choose is-open' : 'choose'} aria-label="Events">
          {listIsWhole.value ? (
            <EventPicker
              list={list}
              version={listVersion}
              sport={sport}
              chosenId={current?.id ?? ''}
              onChoose={watch}
            />
          ) : (
            <Loading what="the events" />
          )}
        </section>
        <section class="watch" aria-label="Prices">
          {current === undefined ? (
            <Empty>{listIsWhole.value ? 'Choose an event.' : ''}</Empty>
          ) : (
            <>
              <header class="event-head">
                {event === undefined ? (
                  <h1>This event is over</h1>
                ) : (
                  <>
                    <p class="soft">
                      {sportName(event.sport)} · <Name text={event.leagueName} />
                    </p>
                    <h1>
                      <Teams event={event} />
                    </h1>
                    <p>
                      <Kickoff at={event.kickoffAt} />
                    </p>
                  </>
                )}
              </header>
              <Grid
                key={current.id}
                state={current.state}
                structure={structure}
                nameOf={nameOf}
                healthOf={healthOf}
                chosen={chosen}
                onDrawn={(cells) => {
                  meter.cells += cells
                  meter.frames++
                }}
              />
              <Legend />
            </>
          )}
        </section>
        {chosen.value === undefined ? null : (
          <PathPanel
            cell={chosen.value}
            nameOf={nameOf}
            onClose={() => {
              chosen.value = undefined
            }}
          />
        )}
      </div>
    </>
  )
}

const Legend = () => (
  <ul class="legend soft" aria-label="Legend">
    <li>
      <span class="sample best">2.10</span> best price
    </li>
    <li>
      <span class="sample up">2.10</span> up
    </li>
    <li>
      <span class="sample down">2.10</span> down
    </li>
    <li>
      <span class="sample suspended">2.10</span> suspended, with its cause
    </li>
    <li>
      <span class="overround">5.2%</span> overround of a bookmaker
    </li>
    <li>Choose a price to see its path.</li>
  </ul>
)
