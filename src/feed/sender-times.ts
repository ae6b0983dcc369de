// The times that senders give, while the system's clock and ours are apart (docs/architecture.md 3.7). Which of the two
// is right is known to the senders alone: sources, and whoever SENDs.
//
// The system's clock ahead: a time that is ahead of ours and agrees with the system's clock is a witness for it, and our
// time goes forward. Behind: our time cannot go back. A sender whose times go with the system's clock has them translated
// to ours, so that its prices are neither refused as too old nor expire early.

import { NO_PRODUCER, sourceOfProducer } from '../domain/feed-source.ts'
import type { Input } from '../domain/input.ts'
import { FRESHNESS_MS } from '../domain/quote.ts'

/** What this needs of the clock. */
export interface ClockPort {
  /** How far the system's clock is ahead of ours (negative: behind), ms; constant until it is set again. */
  readonly apartMs: number
  witness(): void
}

export interface SenderTimesOptions {
  readonly clock: ClockPort
  /** How far ahead of the clock the engine accepts an observation, ms. */
  readonly skewMsMax: number
  /** Senders that are told apart while the clocks are; times of others are not translated. */
  readonly sendersMax: number
  /** Called when the times of a sender begin to be translated. @param sender a source, or a bookmaker that is sent */
  readonly onTranslated: (sender: string, ms: number) => void
  /** Called once when all times of sources have been too old for a while. @param ms how old the last one is */
  readonly onTooOld: (ms: number) => void
}

/** A sender goes with a clock if its newest time is at most this much older. */
const LAG_MS_MAX = 60_000

/** A smaller difference could be the lag of a sender that goes with ours: it only makes its prices look older. */
const TRANSLATED_MS_MIN = 2 * LAG_MS_MAX

/** A sender has to go with the system's clock for so long, and its times have to advance meanwhile. */
const OBSERVED_MS = 10_000
const ADVANCED_MS = OBSERVED_MS / 2

/** Times of sources that are of no use are reported after so long without any that is of use. */
const USELESS_MS = 30_000

interface Sender {
  /** Since when its times go with the system's clock, by ours. */
  sinceAt: number
  /** Its first time since then, and its newest, by the system's clock. */
  firstAt: number
  newestAt: number
  isTranslated: boolean
}

export class SenderTimes {
  /** Inputs whose time was translated. */
  translated = 0
  private readonly options: SenderTimesOptions
  private readonly senders = new Map<string, Sender>()
  private apartMs = 0
  // Of sources alone: a SEND is answered. Since when none of their times was of use, by our clock; undefined: the last was.
  private uselessSince: number | undefined
  private uselessAt = 0
  private uselessByMs = 0
  private isReported = false

  constructor(options: SenderTimesOptions) {
    this.options = options
  }

  /** The input with its times by our clock. */
  byOurClock(input: Input, nowAt: number): Input {
    switch (input.kind) {
      case 'observe': {
        const { observation, producer } = input
        const at = this.timeOf(observation.observedAt, senderOf(producer, observation.bookmaker), nowAt)
        if (producer !== NO_PRODUCER) this.noteUse(at, nowAt)
        return at === observation.observedAt ? input : { ...input, observation: { ...observation, observedAt: at } }
      }
      case 'commit': {
        const placed = input.observations.map((observation) => {
          const at = this.timeOf(observation.observedAt, observation.bookmaker, nowAt)
          return at === observation.observedAt ? observation : { ...observation, observedAt: at }
        })
        return placed.every((observation, n) => observation === input.observations[n])
          ? input
          : { ...input, observations: placed }
      }
      case 'confirm':
      case 'end': {
        const at = this.timeOf(input.at, senderOf(input.producer, ''), nowAt)
        return at === input.at ? input : { ...input, at }
      }
      default:
        return input
    }
  }

  /** Why prices cannot be up to date, in words for the operator: all times of sources are ahead. */
  problems(nowAt: number): readonly string[] {
    const { uselessSince, uselessAt, uselessByMs } = this
    if (uselessSince === undefined || uselessByMs < 0) return []
    if (uselessAt - uselessSince < USELESS_MS || nowAt - uselessAt > USELESS_MS) return []
    return [
      `all times of sources are ahead of the clock, by ${Math.round(uselessByMs / 1_000)} s: set the clock of this host`,
    ]
  }

  /** A time of a sender that was refused because it is ahead of our clock. */
  ahead(at: number, nowAt: number): void {
    const { clock, skewMsMax } = this.options
    if (at > nowAt + skewMsMax && at <= nowAt + clock.apartMs + skewMsMax) clock.witness()
  }

  private timeOf(at: number, sender: string, nowAt: number): number {
    const { clock, skewMsMax } = this.options
    const { apartMs } = clock
    if (apartMs !== this.apartMs) this.forget(apartMs)
    const placed = apartMs === 0 ? at : this.judge(at, sender, nowAt)
    if (placed > nowAt + skewMsMax) this.ahead(at, nowAt)
    return placed
  }

  private noteUse(at: number, nowAt: number): void {
    const byMs = at - nowAt
    if (byMs <= this.options.skewMsMax && byMs > -FRESHNESS_MS) {
      this.uselessSince = undefined
      this.isReported = false
      return
    }
    this.uselessSince ??= nowAt
    this.uselessAt = nowAt
    this.uselessByMs = byMs
    if (byMs > 0 || this.isReported || nowAt - this.uselessSince < USELESS_MS) return
    this.isReported = true
    this.options.onTooOld(-byMs)
  }

  /** The system's clock was set: everybody is asked anew. */
  private forget(apartMs: number): void {
    this.apartMs = apartMs
    this.senders.clear()
  }

  /** The system's clock is not ours. */
  private judge(at: number, name: string, nowAt: number): number {
    const { skewMsMax, onTranslated } = this.options
    const { apartMs, senders } = this
    if (apartMs > -TRANSLATED_MS_MIN) return at
    const sender = senders.get(name)
    const systemAt = nowAt + apartMs
    // A time that the system's clock has not reached goes with ours.
    const isOurs = at > systemAt + skewMsMax && at > nowAt - LAG_MS_MAX
    if (isOurs) {
      senders.delete(name)
      return at
    }
    if (sender?.isTranslated !== true) {
      if (at > systemAt + skewMsMax) {
        senders.delete(name)
        return at
      }
      if (at < systemAt - LAG_MS_MAX) return at
      if (sender === undefined || sender.newestAt < systemAt - LAG_MS_MAX) {
        if (sender !== undefined || senders.size < this.options.sendersMax) {
          senders.set(name, { sinceAt: nowAt, firstAt: at, newestAt: at, isTranslated: false })
        }
        return at
      }
      sender.newestAt = Math.max(sender.newestAt, at)
      if (nowAt - sender.sinceAt < OBSERVED_MS || sender.newestAt - sender.firstAt < ADVANCED_MS) return at
      sender.isTranslated = true
      onTranslated(name, -apartMs)
    }
    this.translated++
    // Whole milliseconds, as all times of observations.
    return Math.round(at - apartMs)
  }
}

const senderOf = (producer: string, bookmaker: string): string =>
  producer === NO_PRODUCER ? bookmaker : sourceOfProducer(producer)
