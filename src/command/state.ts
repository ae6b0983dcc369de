// The state behind the log: what follows from its turns, and from nothing else. The server has one, and so has whatever
// makes a checkpoint.

import type { Settings } from '../config.ts'
import { ImageFault } from '../domain/image.ts'
import type { Turn } from '../domain/input.ts'
import { Engine } from '../engine/engine.ts'
import { applyTurn } from '../engine/inputs.ts'
import { NameMatcher } from '../identity/matcher.ts'
import { LIMITS } from '../limits.ts'
import { CheckpointReader, CheckpointWriter } from '../log/checkpoint.ts'
import { LiveHistory } from '../stomp/live-history.ts'

/** Settings that influence how turns are applied. */
export type StateSettings = Pick<Settings, 'quotesMax' | 'eventsMax' | 'labelsMax' | 'bookmakerShare'>

/**
 * Version of the rules by which turns are applied: to be increased with every change by which the same turns give other
 * events, seqs or prices (identity, walks, expiry). Turns that were first applied by other rules begin a new epoch.
 */
const RULES = 1

/** The rules by which turns are applied, and the limits that influence it: equal texts, equal results. */
export const rulesOf = (settings: StateSettings): string =>
  [
    RULES,
    settings.quotesMax,
    settings.eventsMax,
    settings.labelsMax,
    settings.bookmakerShare,
    LIMITS.sourceIdsPerEvent,
    LIMITS.bookQuotesMax,
    LIMITS.skewMsMax,
    LIMITS.bookmakersMax,
    LIMITS.wheelVisitsMax,
    LIMITS.walkVisitsMax,
    LIMITS.walkEveryMs,
    LIMITS.quietMsMin,
  ].join(' ')

export class State {
  readonly engine: Engine
  readonly history: LiveHistory

  constructor(settings: StateSettings, nowAt: number) {
    const { quotesMax, eventsMax, labelsMax, bookmakerShare } = settings
    this.engine = new Engine(
      { ...LIMITS, quotesMax, eventsMax, labelsMax, bookmakerShare, matcher: new NameMatcher() },
      nowAt,
    )
    this.history = new LiveHistory(this.engine, LIMITS)
  }

  /** Applies a turn of the log that was published before. */
  apply(turn: Turn): void {
    applyTurn(this.engine, turn)
    this.history.endTurn()
  }

  /** Writes a checkpoint. @param position number of the last turn that was applied */
  save(path: string, position: number): void {
    const { seq, lastTurnAt } = this.engine
    const file = new CheckpointWriter(path, { position, seq, at: lastTurnAt })
    try {
      this.engine.save(file)
      this.history.save(file)
      file.finish()
    } catch (error) {
      file.abandon()
      throw error
    }
  }

  /** Reads a checkpoint into a state without turns. Throws {@link ImageFault}, or an error of the system. */
  load(path: string, position: number): void {
    const file = new CheckpointReader(path)
    try {
      if (file.header.position !== position) {
        throw new ImageFault(`it is the checkpoint of turn ${Number(file.header.position)}`)
      }
      this.engine.load(file)
      this.history.load(file)
      file.end()
    } finally {
      file.close()
    }
  }
}
