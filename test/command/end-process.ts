// Loaded before the program: SIGUSR2 throws where nothing catches it.

import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  process.on('SIGUSR2', () => {
    throw new Error('thrown by the test')
  })
}
