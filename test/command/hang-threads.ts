// Loaded before the program: SIGUSR2 makes every thread that it has started wait in the system, until the FIFO is opened
// that HANG_FIFO names for writing. Nothing in the process can end that wait.

import { openSync } from 'node:fs'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const channel = new BroadcastChannel('hang')
channel.unref()
if (isMainThread) process.on('SIGUSR2', () => channel.postMessage('now'))
else channel.onmessage = () => openSync(process.env.HANG_FIFO!, 'r')
