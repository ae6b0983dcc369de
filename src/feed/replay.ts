// Replay: reads a recording, passes it to a callback, and reports the result in figures and in lines.

import { basename } from 'node:path'
import { grouped } from '../domain/grouped.ts'
import type { Settled } from '../domain/input.ts'
import type { Observation } from '../domain/observation.ts'
import type { RefusalCode } from '../domain/refusal.ts'
import type { FedTransport } from '../domain/transport.ts'
import { Account, type AccountTotals, type Fate, type SourceMarketRow } from '../source/kit/account.ts'
import { FORMATS, type FormatName } from '../source/formats.ts'
import { unnamedText } from '../source/kit/format.ts'
import type { RecordingLimits } from '../source/kit/normaliser.ts'
import type { RecordingEnd, RecordingFault } from './recording.ts'
import { namesOf, readRecordings, type RecordingsOptions } from './recordings.ts'

export interface ReplayOptions {
  /** Files of one format, in the order in which they were received. */
  readonly paths: readonly string[]
  readonly format: FormatName
  /** The product channels that the recording feeds; null: as in the recording, else `rest`. */
  readonly transport: FedTransport | null
  /**
   * Shift all times of all files by the same whole minutes, so that the newest observation is less than a minute old
   * and none is in the future. Reads the files twice.
   */
  readonly rebase: boolean
  /** The clock, epoch ms: read once, when the newest observation is known. */
  readonly now: () => number
  /** Records an observation, with the turn; a refusal is counted, and the replay continues. */
  readonly observe: (observation: Observation, settled: Settled) => void
  readonly limits: RecordingLimits
  readonly facts?: RecordingsOptions['facts']
  /**
   * Called for the first lines or parts that could not be read, with place and reason; the summary has the count of
   * all.
   */
  readonly onMalformed?: (place: string, reason: string) => void
  /** Called with the progress of the replay, at most once for each percent. */
  readonly onProgress?: (bytesRead: number, bytesTotal: number) => void
  readonly signal?: AbortSignal
}

/** Refusals of one code, with the first message. */
export interface RefusedRow {
  readonly code: RefusalCode
  readonly observations: number
  readonly message: string
}

/** The part of a summary that all uses of a recording share. */
export interface ReadSummary {
  /** Of one file; of several their names. */
  readonly path: string
  readonly format: FormatName
  /** Lines that are not empty, including malformed ones and a header; 0 for a format that is one document. */
  readonly lines: number
  /** Outcomes by where they ended. */
  readonly totals: AccountTotals
  readonly sourceMarkets: readonly SourceMarketRow[]
  /** What it does not name, and what to configure for it, to follow its name; absent: nothing is missing. */
  readonly unnamed?: string | undefined
  /** Shift of every time of the recording, ms. */
  readonly shiftMs: number
  /** The signal came before the end. */
  readonly stopped: boolean
}

export interface ReplaySummary extends ReadSummary {
  /** Observations passed on: `recorded` and the refused ones. */
  readonly observations: number
  readonly recorded: number
  readonly refused: readonly RefusedRow[]
}

/** The recording could not be read to its end. `summary`: what was passed on before; it remains valid. */
export interface ReplayFault {
  readonly fault: string
  readonly summary: ReplaySummary
}

export const isReplayFault = (result: ReplaySummary | ReplayFault): result is ReplayFault => 'fault' in result

/** Lines, parts or refusals that are reported one by one; a wholly broken file would report every line. */
export const NAMED_MAX = 20

const MINUTE_MS = 60_000

/**
 * Whole minutes, in ms, by which a recording is shifted: its newest observation is then less than a minute old at
 * `nowAt`, and none is in the future.
 */
export const rebaseShiftMs = (newestAt: number, nowAt: number): number =>
  Math.floor((nowAt - newestAt) / MINUTE_MS) * MINUTE_MS

/** The observation with shifted times; the kickoff has its own shift where one is given. */
export const shifted = (observation: Observation, shiftMs: number, kickoffShiftMs = shiftMs): Observation => ({
  ...observation,
  observedAt: observation.observedAt + shiftMs,
  event: { ...observation.event, kickoffAt: observation.event.kickoffAt + kickoffShiftMs },
})

/**
 * Reads all of some recordings, and passes its observations on one by one; waits where `onObservation` returns a promise.
 * The rest of a batch is passed on after the signal, too: a callback that must stop sooner checks the signal.
 */
export const readAll = async (
  options: RecordingsOptions,
  onObservation: (observation: Observation) => Promise<void> | void,
): Promise<RecordingEnd | RecordingFault> => {
  const batches = readRecordings(options)
  for (;;) {
    const step = await batches.next()
    if (step.done === true) return step.value
    for (const observation of step.value) {
      const observed = onObservation(observation)
      if (observed !== undefined) await observed
    }
  }
}

/**
 * Reads recordings once for their newest time.
 * @returns epoch ms, `-Infinity` where it has no observation; undefined when the signal came before its end
 */
export const newestOf = async (
  options: Omit<RecordingsOptions, 'account' | 'onMalformed'>,
): Promise<number | undefined | RecordingFault> => {
  let newestAt = Number.NEGATIVE_INFINITY
  // Malformed parts are counted and reported by the second reading.
  const end = await readAll({ ...options, account: new Account(), onMalformed: () => {} }, ({ observedAt }) => {
    if (observedAt > newestAt) newestAt = observedAt
  })
  if ('fault' in end) return end
  return end.stopped ? undefined : newestAt
}

/** The member of a summary about missing names. */
export const unnamedOf = (format: FormatName, account: Account): Pick<ReadSummary, 'unnamed'> => {
  const unnamed = unnamedText(FORMATS[format], account)
  return unnamed === undefined ? {} : { unnamed }
}

type OnBytes = (bytesRead: number, bytesTotal: number) => void

/** Progress of several passes over a file: `onProgress` gets all passes as one, once a percent. */
export const progressOf = (passes: number, onProgress: OnBytes | undefined): ((pass: number) => OnBytes) => {
  let percentReported = -1
  return (pass) => (bytesRead, bytesTotal) => {
    const read = pass * bytesTotal + bytesRead
    const percent = bytesTotal === 0 ? 100 : Math.floor((read * 100) / (passes * bytesTotal))
    if (percent === percentReported) return
    percentReported = percent
    onProgress?.(read, passes * bytesTotal)
  }
}

/**
 * Replays recordings into `observe`, one file after the other, and waits until all of it is settled. The event loop runs
 * in between. What cannot be read in them is reported, skipped and counted; a file that cannot be read is a fault, never
 * an exception.
 */
export const replay = async (options: ReplayOptions): Promise<ReplaySummary | ReplayFault> => {
  const { paths, format, observe, onMalformed } = options
  const account = new Account()
  const refused = new Map<RefusalCode, { observations: number; message: string }>()
  let observations = 0
  let recorded = 0
  let unsettled = 0
  let onSettled: (() => void) | undefined
  let shiftMs = 0

  const passes = options.rebase ? 2 : 1
  const reportPass = progressOf(passes, options.onProgress)

  const summarize = (end: RecordingEnd): ReplaySummary => ({
    path: namesOf(paths),
    format,
    lines: end.lines,
    totals: account.totals(),
    sourceMarkets: account.sourceMarkets(),
    ...unnamedOf(format, account),
    observations,
    recorded,
    refused: Array.from(refused, ([code, row]) => ({ code, ...row })),
    shiftMs,
    stopped: end.stopped,
  })
  const failed = ({ fault }: RecordingFault): ReplayFault => ({
    fault,
    summary: summarize({ lines: 0, stopped: false }),
  })

  const settled: Settled = (refusal) => {
    if (refusal === undefined) recorded++
    else {
      const row = refused.get(refusal.refused)
      if (row === undefined) refused.set(refusal.refused, { observations: 1, message: refusal.message })
      else row.observations++
    }
    if (--unsettled === 0) onSettled?.()
  }

  if (options.rebase) {
    const newestAt = await newestOf({ ...options, onBytes: reportPass(0) })
    if (newestAt === undefined) return summarize({ lines: 0, stopped: true })
    if (typeof newestAt !== 'number') return failed(newestAt)
    if (newestAt !== Number.NEGATIVE_INFINITY) shiftMs = rebaseShiftMs(newestAt, options.now())
  }

  const end = await readAll(
    {
      ...options,
      account,
      onMalformed: (place, reason) => {
        if (account.malformed <= NAMED_MAX) onMalformed?.(place, reason)
      },
      onBytes: reportPass(passes - 1),
    },
    (observation) => {
      observations++
      unsettled++
      observe(shiftMs === 0 ? observation : shifted(observation, shiftMs), settled)
    },
  )
  if (unsettled > 0) await new Promise<void>((resolve) => (onSettled = resolve))
  return 'fault' in end ? failed(end) : summarize(end)
}

// --- For people ------------------------------------------------------------------------------------------------------

const MARKETS_SHOWN_MAX = 6

/** `h2h_lay 6,731, outrights_lay 955`: the source markets whose outcomes ended so, the largest first. */
const marketsOf = (rows: readonly SourceMarketRow[], fate: Fate): string => {
  const byName = new Map<string, number>()
  for (const { sourceMarket, fates } of rows) {
    const outcomes = fates.get(fate) ?? 0
    if (outcomes > 0) byName.set(sourceMarket, (byName.get(sourceMarket) ?? 0) + outcomes)
  }
  const counts = [...byName].sort(([, a], [, b]) => b - a)
  const texts = counts
    .slice(0, MARKETS_SHOWN_MAX)
    .map(([sourceMarket, outcomes]) => `${sourceMarket} ${grouped(outcomes)}`)
  if (counts.length > MARKETS_SHOWN_MAX) texts.push(`and ${counts.length - MARKETS_SHOWN_MAX} more`)
  return texts.join(', ')
}

const spanOf = (ms: number): string => {
  const minutes = Math.floor(Math.abs(ms) / MINUTE_MS)
  const days = Math.floor(minutes / 1440)
  const clock = `${Math.floor((minutes % 1440) / 60)} h ${minutes % 60} min`
  return `${days === 0 ? clock : `${days} d ${clock}`} ${ms < 0 ? 'back' : 'forward'}`
}

/** A line of a summary: a name, a figure, and a note. */
export type SummaryRow = readonly [name: string, count: number, note: string]

/**
 * A summary as aligned lines for a terminal or a log, without line ends: where the recording's outcomes ended, then
 * `rows`.
 * @param to the destination of its observations, for the title; empty: none
 */
export const summaryLines = (summary: ReadSummary, to: string, rows: readonly SummaryRow[]): string[] => {
  const { path, format, totals, sourceMarkets, unnamed, lines, shiftMs, stopped } = summary
  const reasons = [...totals.unmappedBy].sort(([, a], [, b]) => b - a)
  const all: readonly SummaryRow[] = [
    ['read', totals.read, lines === 0 ? 'prices' : `prices on ${grouped(lines)} lines`],
    ['mapped', totals.mapped, totals.dated === 0 ? '' : `${grouped(totals.dated)} of them dated: a day, and no time`],
    ['no price', totals.noPrice, marketsOf(sourceMarkets, 'no_price')],
    ['bad price', totals.badPrice, marketsOf(sourceMarkets, 'bad_price')],
    ['unmapped', totals.unmapped, ''],
    ...reasons.map(([reason, outcomes]): SummaryRow => [`  ${reason}`, outcomes, marketsOf(sourceMarkets, reason)]),
    ['malformed', totals.malformed, totals.malformed === 0 ? '' : 'skipped'],
    ...rows,
  ]
  const counts = all.map(([, count]) => grouped(count))
  const nameWidth = Math.max(...all.map(([name]) => name.length))
  const countWidth = Math.max(...counts.map((count) => count.length))
  const moved = shiftMs === 0 ? '' : `, moved ${spanOf(shiftMs)}`
  return [
    `${basename(path)} as ${format}${to === '' ? '' : ` to ${to}`}${moved}${stopped ? ', stopped early' : ''}`,
    ...all.map(([name, , note], index) =>
      `  ${name.padEnd(nameWidth)}  ${counts[index]!.padStart(countWidth)}  ${note}`.trimEnd(),
    ),
    ...(unnamed === undefined ? [] : [`  ${unnamed}`]),
  ]
}

/** The summary of a replay as aligned lines, without line ends. */
export const replayLines = (summary: ReplaySummary): string[] =>
  summaryLines(summary, '', [
    ['observations', summary.observations, ''],
    ['recorded', summary.recorded, ''],
    ['refused', summary.observations - summary.recorded, ''],
    ...summary.refused.map(({ code, observations, message }): SummaryRow => [`  ${code}`, observations, message]),
  ])

const BAR_WIDTH_MAX = 40
const MEBIBYTE = 1024 * 1024

/**
 * A progress bar of one line, without line end; never longer than `columns`.
 * @param columns width of the terminal in characters
 * @param what the name of the operation
 */
export const progressLine = (bytesRead: number, bytesTotal: number, columns: number, what = 'replay'): string => {
  const done = bytesTotal === 0 ? 1 : Math.min(1, bytesRead / bytesTotal)
  const percent = `${Math.floor(done * 100)}%`.padStart(4)
  const size = `${(bytesRead / MEBIBYTE).toFixed(1)} of ${(bytesTotal / MEBIBYTE).toFixed(1)} MB`
  const width = Math.min(BAR_WIDTH_MAX, columns - percent.length - size.length - `${what} []   `.length)
  if (width < 1) return percent.slice(0, Math.max(0, columns))
  const filled = Math.round(width * done)
  return `${what} [${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${percent}  ${size}`
}
