// The state behind the log: what follows from its turns, and from nothing else. The server has one, and so has whatever
// makes a checkpoint.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Settings } from '../config.ts'
import { ImageFault } from '../domain/image.ts'
import type { StoreInput, Turn } from '../domain/input.ts'
import { Engine, type EngineOptions } from '../engine/engine.ts'
import { applyTurn } from '../engine/inputs.ts'
import { NameMatcher } from '../identity/matcher.ts'
import { LIMITS } from '../limits.ts'
import { CheckpointReader, CheckpointWriter } from '../log/checkpoint.ts'
import { DISK, type ReadDisk } from '../log/disk.ts'
import { LiveHistory } from '../stomp/live-history.ts'

/** Settings that influence how turns are applied. */
export type StateSettings = Pick<Settings, 'quotesMax' | 'eventsMax' | 'labelsMax' | 'bookmakerShare'>

/** The rooms that say what a turn does. */
const ROOMS = ['domain', 'identity', 'board', 'engine'] as const

/**
 * A digest of the program that applies turns. Another version may give the same turns other events or seqs, so turns that
 * were first applied by another one begin a new epoch. After SIGTERM there are none: an upgrade keeps the epoch.
 */
const programDigest = (): string => {
  const hash = createHash('sha256')
  for (const room of ROOMS) {
    const folder = new URL(`../${room}/`, import.meta.url)
    for (const name of readdirSync(folder).toSorted()) {
      if (/\.js(?:on)?$/.test(name)) hash.update(`${room}/${name}\n`).update(readFileSync(new URL(name, folder)))
    }
  }
  return hash.digest('base64url').slice(0, 22)
}

/** All that the engine is told, but for the matcher, which is part of the program. */
const engineLimits = (settings: StateSettings, limits: typeof LIMITS): Omit<EngineOptions, 'matcher'> => ({
  quotesMax: settings.quotesMax,
  eventsMax: settings.eventsMax,
  labelsMax: settings.labelsMax,
  bookmakerShare: settings.bookmakerShare,
  sourceIdsPerEvent: limits.sourceIdsPerEvent,
  bookQuotesMax: limits.bookQuotesMax,
  skewMsMax: limits.skewMsMax,
  bookmakersMax: limits.bookmakersMax,
  wheelVisitsMax: limits.wheelVisitsMax,
  walkVisitsMax: limits.walkVisitsMax,
  walkEveryMs: limits.walkEveryMs,
  quietMsMin: limits.quietMsMin,
})

/** Two spellings of an event have memory from the start, up to a million: 71 MB, which the system gives when they are written. */
const spellingsOf = (eventsMax: number): number => Math.min(2 * eventsMax, 2 ** 20)

let digest: string | undefined

const programRules = (): string => (digest ??= programDigest())

/** The rules by which turns are applied, and the limits that influence it: equal texts, equal results. */
export const rulesOf = (settings: StateSettings): string =>
  [programRules(), ...Object.values(engineLimits(settings, LIMITS))].join(' ')

export class State {
  readonly engine: Engine
  readonly history: LiveHistory
  /** Changes of the store that were accepted, as far as they are known: the store may not have made the last ones. */
  readonly storeInputs: StoreInput[] = []
  private readonly disk: ReadDisk

  constructor(settings: StateSettings, nowAt: number, disk: ReadDisk = DISK, limits: typeof LIMITS = LIMITS) {
    this.disk = disk
    const matcher = new NameMatcher({ rules: programRules(), expected: spellingsOf(settings.eventsMax) })
    this.engine = new Engine({ ...engineLimits(settings, limits), matcher }, nowAt)
    this.history = new LiveHistory(this.engine, limits)
  }

  /** Applies a turn of the log that was published before. */
  apply(turn: Turn): void {
    applyTurn(this.engine, turn, (input, _place, refusal) => {
      if (input.kind === 'store' && refusal?.field !== 'expects') this.storeInputs.push(input)
    })
  }

  /** Writes a checkpoint. @param position number of the last turn that was applied */
  save(path: string, position: number): void {
    const { seq, lastTurnAt } = this.engine
    const file = new CheckpointWriter(path, { position, seq, at: lastTurnAt }, undefined, this.disk)
    try {
      this.engine.save(file)
      this.history.save(file)
      file.finish()
    } catch (error) {
      file.abandon()
      throw error
    }
  }

  /** Reads a checkpoint into a state without turns. Rejects with {@link ImageFault}, or an error of the system. */
  async load(path: string, position: number): Promise<void> {
    const file = new CheckpointReader(path, this.disk)
    try {
      if (file.header.position !== position) {
        throw new ImageFault(`it is the checkpoint of turn ${Number(file.header.position)}`)
      }
      this.engine.load(file)
      if (this.engine.lastStore !== undefined) this.storeInputs.push(this.engine.lastStore)
      this.history.load(file)
      file.end()
    } finally {
      await file.finish()
    }
  }
}
