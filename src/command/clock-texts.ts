// What is logged about the clock: what has happened, by how much, and what to do.

import type { ClockEvent, Resumed } from '../clock.ts'

/** A longer time without the service lets most of the board expire. */
const LONG_MS = 12 * 3_600_000

/** A smaller difference of the clocks disappears by itself. */
const APART_MS_MIN = 120_000

export const durationText = (ms: number): string => {
  const seconds = Math.abs(ms) / 1_000
  if (seconds < 120) return `${seconds.toFixed(1)} s`
  return seconds < 7_200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3_600).toFixed(1)} h`
}

const direction = (ms: number): string => (ms < 0 ? 'back' : 'forward')

const apartText = (apartMs: number): string => {
  const side = apartMs < 0 ? 'behind' : 'ahead of'
  return Math.abs(apartMs) <= APART_MS_MIN
    ? `it is ${durationText(apartMs)} ${side} the time of the service, which follows slowly`
    : `it is ${durationText(apartMs)} ${side} the time of the service, which continues by elapsed time, and quotes and ` +
        "quotas with it: if the system's clock is wrong, set it; if it is right now, restart the service when convenient"
}

export const clockText = (event: ClockEvent): string => {
  switch (event.kind) {
    case 'suspended':
      return (
        `the host was suspended for ${durationText(event.ms)}: quotes have aged by that, and silent sources are judged ` +
        'by it at once'
      )
    case 'stepped':
      return `the system's clock was set ${direction(event.ms)} by ${durationText(event.ms)}; ${apartText(event.apartMs)}`
    case 'corrected':
      return (
        `the time of the service went forward by ${durationText(event.ms)}, to the system's clock, because a sender's ` +
        'times confirm it: quotes have aged by that'
      )
  }
}

export const translatedText = (sender: string, ms: number): string =>
  `times of ${sender} go with the system's clock, which is ${durationText(ms)} behind the time of the service: they are ` +
  'recorded as that much later; restart the service with a new log when convenient, so that it gives the right times'

export const tooOldText = (ms: number): string =>
  `all observations of sources are too old, the last one by ${durationText(ms)}, and ignored: if they should not be, the ` +
  'clock of this host is ahead: set it'

/** What to report of a time line that was continued; undefined: nothing. */
export const resumedText = ({ sinceTurnMs, isExact, apartMs }: Resumed): string | undefined => {
  if (sinceTurnMs > LONG_MS) {
    const by = isExact ? '' : " by the system's clock"
    return `${durationText(sinceTurnMs)} have passed${by} since the last turn in the log: quotes have aged by that`
  }
  return Math.abs(apartMs) > APART_MS_MIN
    ? `the log is continued, and the system's clock does not agree: ${apartText(apartMs)}`
    : undefined
}
