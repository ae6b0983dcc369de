// A thread that makes a checkpoint, so that the server does not pause. It sees nothing of the server but its files.

import { parentPort, workerData } from 'node:worker_threads'
import { type CheckpointTask, makeCheckpoint } from './checkpoint-maker.ts'
import { yieldThread } from './thread-priority.ts'

yieldThread()
await makeCheckpoint(workerData as CheckpointTask)
parentPort!.postMessage('done')
