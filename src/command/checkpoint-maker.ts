// Makes a checkpoint from files alone: it loads the one before, and applies the turns since.

import { DISK, type Disk } from '../log/disk.ts'
import { dumpLog } from '../log/inspect.ts'
import { checkpointPath, listFolder } from '../log/log-folder.ts'
import { TurnDecoder } from '../log/turn-decoder.ts'
import { State, type StateSettings } from './state.ts'

export interface CheckpointTask {
  readonly folder: string
  readonly settings: StateSettings
  /** Number of the last turn that it holds: written, and applied by the same rules as those since the one before. */
  readonly position: number
}

/** @param newState a state without turns */
export const makeCheckpoint = async (
  { folder, settings, position }: CheckpointTask,
  disk: Disk = DISK,
  newState = (): State => new State(settings, 0, disk),
): Promise<void> => {
  const { checkpoints } = await listFolder(disk, folder)
  let state = newState()
  let last = 0
  // The newest one that can be read.
  for (const turn of checkpoints.filter((each) => each <= position).toReversed()) {
    try {
      await state.load(checkpointPath(folder, turn), turn)
      last = turn
      break
    } catch {
      state = newState()
    }
  }
  if (last < position) {
    for await (const { number, turn } of dumpLog(disk, folder, () => new TurnDecoder(), last + 1)) {
      if (number !== last + 1) throw new Error(`turn ${last + 1} is missing`)
      state.apply(turn)
      last = number
      if (last === position) break
    }
  }
  if (last !== position) throw new Error(`the log ends at turn ${last}`)
  state.save(checkpointPath(folder, position), position)
}
