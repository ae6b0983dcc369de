// Holds the data folder named by its argument, and has the file named by a second one open, until it is killed.

import { openSync } from 'node:fs'
import { acquire } from '../../src/access/lock.ts'

const [, , dataDir, file] = process.argv
if (file !== undefined) openSync(file, 'r')
if (dataDir !== undefined) {
  const lock = acquire(dataDir, 0)
  process.stdout.write(JSON.stringify(lock))
  // Named in it, so that it is not collected, which would release it.
  setInterval(() => lock, 60_000)
}
