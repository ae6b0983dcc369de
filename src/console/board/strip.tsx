// How the connection of this page is: state, own lag, rate, and how often it went on after a break.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { elapsedMs } from '../browser-clock.ts'
import { count, duration, octets } from '../wording.ts'
import type { BoardState } from './board-state.ts'
import { forgetKey, typedKey } from './board-key.ts'
import type { LiveConnection } from './live-connection.ts'
import type { TopicReader } from './topic-reader.ts'

const STATES = {
  connecting: ['warn', 'connecting'],
  resuming: ['warn', 'catching up'],
  live: ['good', 'live'],
  silent: ['bad', 'nothing arrives'],
  broken: ['bad', 'connection lost; trying again'],
  refused: ['bad', 'refused'],
} as const

const EVERY_MS = 1_000

interface Rates {
  readonly changes: number
  readonly frames: number
  /** Of this page behind the service, ms. */
  readonly lagMs: number
}

export const Strip = ({
  connection,
  meter,
  watched,
}: {
  readonly connection: LiveConnection
  readonly meter: { readonly frames: number }
  readonly watched: { readonly state: BoardState; readonly reader: TopicReader } | undefined
}) => {
  const rates = useSignal<Rates>({ changes: 0, frames: 0, lagMs: 0 })
  useEffect(() => {
    let before = { at: elapsedMs(), changes: watched?.state.changes ?? 0, frames: meter.frames }
    const timer = setInterval(() => {
      const next = { at: elapsedMs(), changes: watched?.state.changes ?? 0, frames: meter.frames }
      const seconds = (next.at - before.at) / 1_000
      rates.value = {
        changes: Math.round((next.changes - before.changes) / seconds),
        frames: Math.round((next.frames - before.frames) / seconds),
        lagMs: connection.meter.take(next.at),
      }
      before = next
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [watched])
  const state = connection.state.value
  const [kind, text] = STATES[state]
  const lag = connection.lag.value
  const reader = watched?.reader
  return (
    <div class="strip">
      <p class={`link ${kind}`} role="status">
        <span class="dot" aria-hidden="true" /> {text}
        {connection.fault.value === '' ? '' : ` – ${connection.fault.value}`}
      </p>
      {state === 'refused' && typedKey() !== '' ? (
        <button
          type="button"
          class="small"
          onClick={() => {
            forgetKey()
            location.reload()
          }}
        >
          Use another key
        </button>
      ) : null}
      <dl>
        <div title="What waits in the service for this page, or the way here and the page's own queue: whichever is longer">
          <dt>own lag</dt>
          <dd>{lag === undefined ? '–' : duration(rates.value.lagMs)}</dd>
        </div>
        <div class="detail">
          <dt>waiting</dt>
          <dd>{lag === undefined ? '–' : octets(lag.queuedBytes)}</dd>
        </div>
        <div>
          <dt>changes</dt>
          <dd>{count(rates.value.changes)}/s</dd>
        </div>
        <div class="detail">
          <dt>frames</dt>
          <dd>{count(rates.value.frames)}/s</dd>
        </div>
        <div title="How often this board went on where it was after a break, and how often it had to begin anew">
          <dt>resumed</dt>
          <dd>
            {reader?.resumes ?? 0}
            {(reader?.resets ?? 0) > 0 ? `, ${reader!.resets} anew` : ''}
          </dd>
        </div>
        {reader?.isDegraded === true ? (
          <div>
            <dt>merged</dt>
            <dd>{lag === undefined ? '' : count(lag.mergedPrices)}</dd>
          </div>
        ) : null}
      </dl>
      <button
        type="button"
        class="small"
        disabled={state !== 'live'}
        title="Closes the connection, as a network would. The board goes on without a gap."
        onClick={() => connection.cut()}
      >
        Cut the connection
      </button>
    </div>
  )
}
