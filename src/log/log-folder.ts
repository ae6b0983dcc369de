// The names of files in the folder of the log.

import { join } from 'node:path'
import { call, type Disk, removeFile } from './disk.ts'

const DIGITS = 16
const PATTERN = /^(\d{16})\.(seg|ckpt)$/
const UNFINISHED = /^(\d{16}\.(seg|ckpt)|probe)\.(tmp|part)$/
const DAMAGED = /^damaged-([0-9a-z]+)$/
/** Of files that could not be used although nothing was lost. */
const SPARED = 'damaged-files'

const fileName = (number: number, ending: string): string => `${String(number).padStart(DIGITS, '0')}.${ending}`

/** @param first number of its first turn */
export const segmentPath = (folder: string, first: number): string => join(folder, fileName(first, 'seg'))

/** @param turn number of the last turn that it contains */
export const checkpointPath = (folder: string, turn: number): string => join(folder, fileName(turn, 'ckpt'))

/** Where files of the log are moved when an epoch begins because of them. */
export const damagedFolder = (folder: string, epoch: string): string => join(folder, `damaged-${epoch}`)

export const sparedFolder = (folder: string): string => join(folder, SPARED)

export interface Listing {
  /** Numbers in their names, ascending. */
  readonly segments: readonly number[]
  readonly checkpoints: readonly number[]
  /** Epochs that began because of damaged files. */
  readonly damagedEpochs: readonly string[]
  /** Names of files that were not completed. */
  readonly unfinished: readonly string[]
}

export const listFolder = async (disk: Disk, folder: string): Promise<Listing> => {
  const names = await call<string[]>((done) => disk.readdir(folder, done))
  const numbersOf = (ending: string): number[] =>
    names
      .flatMap((name) => {
        const match = PATTERN.exec(name)
        return match?.[2] === ending ? [Number(match[1])] : []
      })
      .toSorted((a, b) => a - b)
  return {
    segments: numbersOf('seg'),
    checkpoints: numbersOf('ckpt'),
    damagedEpochs: names.flatMap((name) => (name === SPARED ? [] : (DAMAGED.exec(name)?.slice(1) ?? []))),
    // Files of others stay.
    unfinished: names.filter((name) => UNFINISHED.test(name)),
  }
}

export const removeUnfinished = async (disk: Disk, folder: string, { unfinished }: Listing): Promise<void> => {
  for (const name of unfinished) await removeFile(disk, join(folder, name))
}

/** Epochs are times in base 36: the longer is the later, then the greater. */
export const isLaterEpoch = (epoch: string, than: string): boolean =>
  epoch.length === than.length ? epoch > than : epoch.length > than.length

/** An epoch that is later than all of these. */
export const newEpoch = (nowMs: number, former: readonly string[]): string => {
  let epoch = Math.floor(nowMs).toString(36)
  for (const each of former) {
    if (!isLaterEpoch(epoch, each)) epoch = (Number.parseInt(each, 36) + 1).toString(36)
  }
  return epoch
}
