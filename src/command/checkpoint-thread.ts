// A thread that makes a checkpoint: it loads the one before and applies the turns since, so that the server does not
// pause. It sees nothing of the server but its files.

import { parentPort, workerData } from 'node:worker_threads'
import { DISK } from '../log/disk.ts'
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

const { folder, settings, position } = workerData as CheckpointTask

const { checkpoints } = await listFolder(DISK, folder)
let state = new State(settings, 0)
let last = 0
// The newest one that can be read.
for (const turn of checkpoints.filter((each) => each <= position).toReversed()) {
  try {
    state.load(checkpointPath(folder, turn), turn)
    last = turn
    break
  } catch {
    state = new State(settings, 0)
  }
}
if (last < position) {
  for await (const { number, turn } of dumpLog(DISK, folder, () => new TurnDecoder(), last + 1)) {
    if (number !== last + 1) throw new Error(`turn ${last + 1} is missing`)
    state.apply(turn)
    last = number
    if (last === position) break
  }
}
if (last !== position) throw new Error(`the log ends at turn ${last}`)
state.save(checkpointPath(folder, position), position)
parentPort!.postMessage('done')
