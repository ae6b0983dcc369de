// A thread that makes a checkpoint, so that the server does not pause. It sees nothing of the server but its files.

import { parentPort, workerData } from 'node:worker_threads'
import type { CheckpointTask } from './checkpoint-maker.ts'
import { yieldThread } from './thread-priority.ts'

// First of all: to load the rest is half of the work of a small checkpoint.
yieldThread()
const { makeCheckpoint } = await import('./checkpoint-maker.ts')
await makeCheckpoint(workerData as CheckpointTask)
parentPort!.postMessage('done')
