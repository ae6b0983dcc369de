// Recovery: from the log of the data folder to the state that the last process had published.

import { join } from 'node:path'
import { type Fault, fault, messageOf } from '../access/fault.ts'
import * as clock from '../clock.ts'
import type { Settings } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { UnfitImage } from '../domain/image.ts'
import { DISK, type Disk } from '../log/disk.ts'
import type { FileLog, Witness } from '../log/file-log.ts'
import { LogFault } from '../log/log-fault.ts'
import { PartReader } from '../log/part-reader.ts'
import { QuickWriter } from '../log/quick-writer.ts'
import { NEW_LOG, openFileLog, type Recovered } from '../log/recovery.ts'
import { TurnDecoder } from '../log/turn-decoder.ts'
import { TurnEncoder } from '../log/turn-encoder.ts'
import { WitnessFile } from '../log/witness-file.ts'
import { rulesOf, State, type StateSettings } from './state.ts'
import { warmUp } from './warm-up.ts'

/** Nothing was warmed up yet in this process. */
let isCold = true

const warmUpOnce = (): void => {
  if (isCold) warmUp()
  isCold = false
}

/** The folder of the log in a data folder. */
export const logFolder = (dataDir: string): string => join(dataDir, 'log')

/** Beside the folder of the log: how far it was. */
export const witnessPath = (dataDir: string): string => join(dataDir, 'log-position.json')

export interface RecoveredState {
  readonly state: State
  readonly log: FileLog
  /** The turn of the checkpoint that was loaded; 0: none. */
  readonly checkpoint: number
  /** Turns that were applied after it. */
  readonly turns: number
  /** The former process has ended in order. */
  readonly wasClosed: boolean
  readonly tookMs: number
  /** A line for the log, once it is clear that the service starts; undefined: it was reported. */
  readonly text: string | undefined
}

/** Dictionaries of a segment: as many texts and sightings as the board holds, within the bounds of the format. */
export const newEncoder = ({ eventsMax, labelsMax }: Pick<Settings, 'eventsMax' | 'labelsMax'>): TurnEncoder =>
  new TurnEncoder({
    textsMax: Math.min(LIMITS.logTextsMax, Math.max(2 ** 16, labelsMax + 8 * eventsMax)),
    sightingsMax: Math.min(LIMITS.logSightingsMax, Math.max(2 ** 16, 4 * eventsMax)),
  })

/** What was found, and what customers see of it. */
const startText = ({ log, checkpoint, newEpoch }: Recovered, turns: number, tookMs: number): string => {
  const { epoch, position } = log
  if (newEpoch === NEW_LOG) return `the log is new: epoch ${epoch} begins`
  const from = checkpoint === 0 ? `${turns} turns` : `the checkpoint of turn ${checkpoint} and ${turns} turns`
  const state = position === 0 ? 'the board is empty' : `the board is that of turn ${position}`
  const read = `${state} (${from} in ${(tookMs / 1_000).toFixed(1)} s)`
  if (newEpoch === undefined) return `the log goes on in epoch ${epoch}: ${read}`
  return `epoch ${epoch} begins, because ${newEpoch}: ${read}, and live subscribers that resume get a reset`
}

/** What recovery needs of the machine. */
export interface RecoveryParts {
  readonly disk: Disk
  readonly witness: Witness
  /** A state without turns, which reads its checkpoint from this disk. */
  readonly newState: (nowAt: number, disk: Disk) => State
}

export type RecoverySettings = StateSettings & Pick<Settings, 'dataDir' | 'fsync' | 'fsyncEveryMs' | 'warmUp'>

/** The machine itself. */
export const partsOf = (settings: RecoverySettings): RecoveryParts => ({
  disk: {
    ...DISK,
    parts: new PartReader(),
    ...(settings.fsync === 'always' ? {} : { quick: new QuickWriter(LIMITS.logNowMsMax) }),
  },
  witness: new WitnessFile(witnessPath(settings.dataDir)),
  newState: (nowAt, disk) => new State(settings, nowAt, disk),
})

/** @param report called with a line for the operator */
export const recover = async (
  settings: RecoverySettings,
  report: (level: 'info' | 'warn' | 'error', message: string) => void,
  { disk, witness, newState }: RecoveryParts = partsOf(settings),
): Promise<RecoveredState | Fault> => {
  const startedMs = clock.elapsedMs()
  const nowAt = clock.now()
  let state = newState(nowAt, disk)
  let turns = 0
  try {
    const opened = await openFileLog({
      folder: logFolder(settings.dataDir),
      rules: rulesOf(settings),
      fsync: settings.fsync,
      fsyncEveryMs: settings.fsyncEveryMs,
      encoder: newEncoder(settings),
      newDecoder: () => new TurnDecoder(),
      witness,
      disk,
      useCheckpoint: async (path, turn) => {
        try {
          const loaded = state.load(path, turn)
          // While threads read: this one would wait.
          if (settings.warmUp) setImmediate(warmUpOnce)
          await loaded
          return undefined
        } catch (error) {
          const { code, syscall } = error as NodeJS.ErrnoException
          // Octets that the disk cannot give are damaged; what may not be read, for example, is not.
          if (error instanceof UnfitImage || (syscall !== undefined && code !== 'EIO')) throw error
          // Some of it may have been read.
          state = newState(nowAt, disk)
          return LogFault.ofCheckpoint(path, error)
        }
      },
      apply: (turn) => {
        turns++
        state.apply(turn)
      },
    })
    if (opened instanceof LogFault) return fault(opened.message)
    // There is no checkpoint yet.
    if (settings.warmUp) warmUpOnce()
    const { log, checkpoint, newEpoch, faults, aside } = opened
    const tookMs = clock.elapsedMs() - startedMs
    for (const { message } of faults) report('error', message)
    if (aside !== undefined) {
      report('warn', `damaged files of the log are kept in ${aside}: delete it when it is no longer of interest`)
    }
    const text = startText(opened, turns, tookMs)
    const isUsual = newEpoch === undefined || newEpoch === NEW_LOG
    // The next start does not say why this epoch has begun, even if this one is refused for another reason.
    if (!isUsual) report('warn', text)
    state.engine.epoch = log.epoch
    state.engine.resetCounts()
    return { state, log, checkpoint, turns, wasClosed: opened.wasClosed, tookMs, text: isUsual ? text : undefined }
  } catch (error) {
    if (error instanceof UnfitImage) return fault(error.message)
    return fault(`the log in ${logFolder(settings.dataDir)} cannot be opened (${messageOf(error)})`)
  } finally {
    disk.parts?.close()
  }
}
