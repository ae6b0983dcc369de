// Sends a recording into a running engine: reads it, paces it, shifts its times, and reports the result.

import { grouped } from '../domain/grouped.ts'
import type { Observation } from '../domain/observation.ts'
import type { FedTransport } from '../domain/transport.ts'
import { Account } from '../source/kit/account.ts'
import type { FormatName } from '../source/formats.ts'
import type { RecordingLimits } from '../source/kit/normaliser.ts'
import { type Endpoint, endpointText } from '../source/kit/stomp-connection.ts'
import { Player } from './player.ts'
import type { RecordingEnd, RecordingFault, RecordingOptions } from './recording.ts'
import {
  NAMED_MAX,
  newestOf,
  progressOf,
  type ReadSummary,
  readAll,
  rebaseShiftMs,
  shifted,
  type SummaryRow,
  summaryLines,
  unnamedOf,
} from './replay.ts'
import { type RefusedObservation, Sender, type SenderCounts, type SenderLimits, TOO_LONG } from './sender.ts'

export interface SendOptions {
  readonly path: string
  readonly format: FormatName
  /** The product channels that the recording feeds; null: as in the recording, else `rest`. */
  readonly transport: FedTransport | null
  /**
   * Without `speed`: as in a replay, by whole minutes, so that the newest observation is less than a minute old.
   * With it: `observedAt` becomes the time at which an observation is due to be sent, in whole ms, and never in the
   * future; an observation older than those before it stays older. All kickoffs move by the same whole minutes as the
   * first observation, so that an event stays one event.
   */
  readonly rebase: boolean
  /**
   * Speed of the play, in multiples of the recording's own: an observation is due when the time between its
   * `observedAt` and the first one's, divided by this, has passed. One that is due already, as in a recording out of
   * order, is sent at once. null: as fast as receipts come.
   */
  readonly speed: number | null
  readonly endpoint: Endpoint
  /** The secret of a feed key. */
  readonly key: string
  /** The clock, epoch ms. */
  readonly now: () => number
  /** Random, from 0 to below 1. */
  readonly chance: () => number
  readonly limits: RecordingLimits & SenderLimits
  readonly facts?: RecordingOptions['facts']
  /**
   * Called for the first lines or parts that could not be read, with place and reason; the summary has the count of
   * all.
   */
  readonly onMalformed?: (place: string, reason: string) => void
  /** Called for the first observations that were refused or not sent, with place and reason; the summary counts all. */
  readonly onRefused?: (place: string, reason: string) => void
  /** Called for each connection that broke and will be replaced. */
  readonly onBroken?: (reason: string, pauseMs: number) => void
  /** Called with the progress of the reading, at most once for each percent. */
  readonly onProgress?: (bytesRead: number, bytesTotal: number) => void
  readonly signal?: AbortSignal
}

/** Refused observations of one code, with the first message; `too_long`: not sent because of their length. */
export interface RefusedCount {
  readonly code: string
  readonly observations: number
  readonly message: string
}

export interface SendSummary extends ReadSummary, SenderCounts {
  /** Its destination: `stomp://HOST:PORT`. */
  readonly to: string
  readonly refusals: readonly RefusedCount[]
}

/** The recording could not be read or sent to its end: one line. `summary`: what was sent before; it remains valid. */
export interface SendFault {
  readonly fault: string
  readonly summary: SendSummary
}

export const isSendFault = (result: SendSummary | SendFault): result is SendFault => 'fault' in result

const placeOf = ({ number, observation: { bookmaker, event } }: RefusedObservation): string =>
  `observation ${number} (${bookmaker}, ${event.away === '' ? event.home : `${event.home} v ${event.away}`})`

/**
 * Sends a recording. What cannot be read or is refused is reported, skipped and counted. A file that cannot be read,
 * and an engine that cannot be reached, refuses or does not return are faults, never exceptions.
 */
export const send = async (options: SendOptions): Promise<SendSummary | SendFault> => {
  const { path, format, speed, rebase, endpoint, limits } = options
  const account = new Account()
  const refusals = new Map<string, { observations: number; message: string }>()
  let named = 0
  let shiftMs = 0

  const sender = new Sender({
    endpoint,
    key: options.key,
    limits,
    chance: options.chance,
    onBroken: (reason, pauseMs) => options.onBroken?.(reason, pauseMs),
    onRefused: (refused) => {
      const { code, message } = refused
      const row = refusals.get(code)
      if (row === undefined) refusals.set(code, { observations: 1, message })
      else row.observations++
      if (++named <= NAMED_MAX) options.onRefused?.(placeOf(refused), `${code}: ${message}`)
    },
  })
  // Ends the reading and the waiting, whatever the reason.
  const ending = new AbortController()
  sender.over.addEventListener('abort', () => ending.abort())
  const onSignal = (): void => {
    ending.abort()
    sender.stop()
  }
  options.signal?.addEventListener('abort', onSignal)
  if (options.signal?.aborted === true) onSignal()

  const summarize = (end: RecordingEnd): SendSummary => ({
    path,
    format,
    to: endpointText(endpoint),
    lines: end.lines,
    totals: account.totals(),
    sourceMarkets: account.sourceMarkets(),
    ...unnamedOf(format, account),
    ...sender.counts,
    refusals: Array.from(refusals, ([code, row]) => ({ code, ...row })),
    shiftMs,
    stopped: end.stopped,
  })

  const read = async (): Promise<RecordingEnd | RecordingFault> => {
    const reading = { ...options, paths: [path], signal: ending.signal }
    const isTwice = rebase && speed === null
    const onBytes = progressOf(isTwice ? 2 : 1, options.onProgress)
    if (isTwice) {
      const newestAt = await newestOf({ ...reading, onBytes: onBytes(0) })
      if (newestAt === undefined) return { lines: 0, stopped: true }
      if (typeof newestAt !== 'number') return newestAt
      if (newestAt !== Number.NEGATIVE_INFINITY) shiftMs = rebaseShiftMs(newestAt, options.now())
    }
    const player = speed === null ? undefined : new Player(speed, options, ending.signal)
    const onObservation =
      player === undefined
        ? (observation: Observation) => {
            if (ending.signal.aborted) return undefined
            const pushed = sender.push(shiftMs === 0 ? observation : shifted(observation, shiftMs))
            return typeof pushed === 'boolean' ? undefined : pushed.then(() => {})
          }
        : async (observation: Observation) => {
            if (ending.signal.aborted) return
            const due = await player.play(observation)
            if (due !== undefined) await sender.push(due)
          }
    const end = await readAll(
      {
        ...reading,
        account,
        onMalformed: (place, reason) => {
          if (account.malformed <= NAMED_MAX) options.onMalformed?.(place, reason)
        },
        onBytes: onBytes(isTwice ? 1 : 0),
      },
      onObservation,
    )
    shiftMs = player?.firstShiftMs ?? shiftMs
    return end
  }

  const unopened = await sender.opened()
  const end = unopened === undefined ? await read() : { lines: 0, stopped: false }
  const unsent = await sender.close()
  options.signal?.removeEventListener('abort', onSignal)
  if ('fault' in end) return { fault: end.fault, summary: summarize({ lines: 0, stopped: false }) }
  const isStopped = options.signal?.aborted === true
  const summary = summarize({ ...end, stopped: isStopped })
  return unsent === undefined ? summary : { fault: unsent.fault, summary }
}

/** Whether every outcome that could be mapped is on the board: nothing malformed, refused, unanswered or unsent. */
export const isWhole = ({ totals, refused, unanswered, unsent }: SendSummary): boolean =>
  totals.malformed + refused + unanswered + unsent === 0

/** The summary as aligned lines, without line ends. */
export const sendLines = (summary: SendSummary): string[] => {
  const { to, observations, sent, repeated, receipted, refused, unanswered, unsent, refusals } = summary
  const rowsOf = (isHere: (code: string) => boolean): SummaryRow[] =>
    refusals
      .filter(({ code }) => isHere(code))
      .map(({ code, observations, message }): SummaryRow => [`  ${code}`, observations, message])
  return summaryLines(summary, to, [
    ['observations', observations, ''],
    ['sent', sent, repeated === 0 ? '' : `${grouped(repeated)} again, over a new connection`],
    ['receipted', receipted, ''],
    ['refused', refused, ''],
    ...rowsOf((code) => code !== TOO_LONG),
    ['unanswered', unanswered, ''],
    ['unsent', unsent, ''],
    ...rowsOf((code) => code === TOO_LONG),
  ])
}
