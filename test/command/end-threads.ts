// Loaded before the program: SIGUSR2 ends every thread that it has started, as running out of memory does.

import { createRequire, syncBuiltinESMExports } from 'node:module'
import { isMainThread, type Worker } from 'node:worker_threads'

if (isMainThread) {
  const threads = createRequire(import.meta.url)('node:worker_threads') as { Worker: typeof Worker }
  const started = new Set<Worker>()
  threads.Worker = class extends threads.Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given)
      started.add(this)
      this.once('exit', () => started.delete(this))
    }
  }
  syncBuiltinESMExports()
  process.on('SIGUSR2', () => {
    for (const worker of started) void worker.terminate()
  })
}
