// The live board: one event's prices at all bookmakers, as they change.

import './board.css'
import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { elapsedMs, now } from '../browser-clock.ts'
import { endpoints, hashMembers, setHash } from '../place.ts'
import { user } from '../portal-api.ts'
import { visibleText } from '../../domain/safe-text.ts'
import { Empty, Loading } from '../widgets.tsx'
import { BoardState, type Cell, type OddsMessage } from './board-state.ts'
import { keyRing, loadNames, typedKey } from './board-key.ts'
import { EventList, type EventMessage } from './event-list.ts'
import { EventHead, StaleNotice } from './event-head.tsx'
import { EventPicker } from './event-picker.tsx'
import { Grid } from './grid.tsx'
import { KeyForm } from './key-form.tsx'
import { LiveConnection } from './live-connection.ts'
import { explainUrl, PathPanel } from './path-panel.tsx'
import { Strip } from './strip.tsx'
import type { TopicReader } from './topic-reader.ts'

/** Lists are drawn at most so often: with thousands of events each drawing costs milliseconds. */
const LIST_EVERY_MS = 500
const CLOCK_EVERY_MS = 20_000

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
  /** As it was when it was chosen. */
  readonly event: EventMessage
  readonly state: BoardState
  readonly reader: TopicReader
  /** Whether its snapshot is. */
  readonly isWhole: Signal<boolean>
  readonly stop: () => void
}

const Board = () => {
  const connection = useMemo(() => new LiveConnection(endpoints().live, keyRing(now)), [])
  const list = useMemo(() => new EventList(), [])
  const listVersion = useSignal(0)
  const listIsWhole = useSignal(false)
  const sport = useSignal(hashMembers().get('sport') ?? 'football')
  const names = useSignal<ReadonlyMap<string, string>>(new Map())
  const health = useSignal<ReadonlyMap<string, string>>(new Map())
  const watched = useSignal<Watched | undefined>(undefined)
  const chosen = useSignal<Cell | undefined>(undefined)
  /** The event that the address names, where the key does not see it. */
  const missing = useSignal('')
  /** On a narrow page the list covers the prices only while somebody chooses. */
  const isChoosing = useSignal(false)
  const meter = useMemo(() => ({ frames: 0 }), [])

  const watch = (event: EventMessage): void => {
    watched.peek()?.stop()
    chosen.value = undefined
    missing.value = ''
    const state = new BoardState()
    const isWhole = signal(false)
    const [reader, stop] = connection.follow(
      `/topic/odds.${event.sport}.*.${event.id}`,
      { 'on-slow': 'conflate' },
      {
        void: () => {
          isWhole.value = false
          state.void()
        },
        take: (body, isSnapshot) => {
          const { recordedAt, ...message } = body as OddsMessage & { recordedAt: string }
          const at = elapsedMs()
          if (!isSnapshot && connection.isCurrent.peek()) connection.meter.changed(Date.parse(recordedAt), at)
          state.apply(message, isSnapshot, at)
        },
        whole: () => {
          isWhole.value = true
          state.prune()
        },
      },
    )
    watched.value = { event, state, reader, isWhole, stop }
    isChoosing.value = false
    setHash({ sport: event.sport, event: event.id })
  }

  /** The event of the address; without one the first that there is. */
  const followAddress = (): void => {
    const id = hashMembers().get('event') ?? ''
    if (!listIsWhole.peek() || id === watched.peek()?.event.id) return
    const wanted = list.find(id)
    if (wanted !== undefined) {
      sport.value = wanted.sport
      watch(wanted)
      return
    }
    if (id !== '') {
      watched.peek()?.stop()
      watched.value = undefined
      missing.value = id
      return
    }
    const first = list.liveliest(sport.peek(), new Date(now()).toISOString())
    if (first !== undefined) watch(first)
  }

  useEffect(() => {
    connection.follow(
      '/topic/events.#',
      { 'on-slow': 'conflate' },
      {
        void: () => {
          listIsWhole.value = false
          list.void()
        },
        take: (body) => list.take(body as EventMessage),
        whole: () => {
          listIsWhole.value = true
          if (watched.peek() === undefined) followAddress()
        },
      },
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
          if (connection.isCurrent.peek()) health.value = new Map(states)
        },
        whole: () => {
          health.value = new Map(states)
        },
      },
    )
    connection.start()
    addEventListener('hashchange', followAddress)
    let drawnVersion = -1
    const timer = setInterval(() => {
      if (drawnVersion === list.version) return
      drawnVersion = list.version
      listVersion.value++
      // The first event of a service that had none.
      if (watched.peek() === undefined && missing.peek() === '' && !isChoosing.peek()) followAddress()
    }, LIST_EVERY_MS)
    // Kickoffs pass, whether or not the list changes.
    const clock = setInterval(() => listVersion.value++, CLOCK_EVERY_MS)
    return () => {
      clearInterval(timer)
      clearInterval(clock)
      removeEventListener('hashchange', followAddress)
      connection.stop()
    }
  }, [])

  const isLive = connection.isCurrent.value
  useEffect(() => {
    if (!isLive) return
    void loadNames(endpoints().api, sport.peek(), typedKey()).then((found) => {
      if (found.size > 0) names.value = found
    })
  }, [isLive, sport.value])

  const current = watched.value
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
              chosenId={current?.event.id ?? ''}
              onChoose={watch}
            />
          ) : (
            <Loading what="the events" />
          )}
        </section>
        <section class={isLive ? 'watch' : 'watch is-stale'} aria-label="Prices">
          <Head list={list} version={listVersion} listIsWhole={listIsWhole} watched={watched} />
          <StaleNotice connection={connection} />
          {current === undefined ? (
            <Empty>
              {missing.value === ''
                ? listIsWhole.value
                  ? 'Choose an event.'
                  : ''
                : `Event ${visibleText(missing.value.slice(0, 40))} is over, or your key does not see it. Choose another one.`}
            </Empty>
          ) : (
            <>
              <Grid
                key={current.event.id}
                state={current.state}
                isWhole={current.isWhole}
                names={names}
                health={health}
                chosen={chosen}
                onFrame={() => {
                  meter.frames++
                }}
              />
              <Legend event={current.event.id} />
            </>
          )}
        </section>
        {chosen.value === undefined || current === undefined ? null : (
          <PathPanel
            state={current.state}
            cell={chosen.value}
            event={current.event.id}
            isLive={isLive}
            names={names}
            onClose={() => {
              chosen.value = undefined
              document.querySelector<HTMLElement>('table.grid')?.focus({ preventScroll: true })
            }}
          />
        )}
      </div>
    </>
  )
}

/** On its own, so that a change of the list does not draw the grid anew. */
const Head = ({
  list,
  version,
  listIsWhole,
  watched,
}: {
  readonly list: EventList
  readonly version: Signal<number>
  readonly listIsWhole: Signal<boolean>
  readonly watched: Signal<Watched | undefined>
}) => {
  void version.value
  const event = watched.value?.event
  const known = event === undefined ? undefined : list.find(event.id)
  return <EventHead event={known ?? event} isOver={listIsWhole.value && known === undefined} />
}

const Legend = ({ event }: { readonly event: string }) => (
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
      <span class="sample gone">2.10</span> closed or aged out; leaves soon
    </li>
    <li>
      <span class="overround">5.2%</span> overround
    </li>
    <li>Choose a price to see its path: click, or arrow keys and Enter.</li>
    <li>
      A price is missing? <a href={explainUrl(event, {})}>Find out why</a>.
    </li>
  </ul>
)
