// Holds the data folder named by its argument until it is killed.

import { acquire } from '../../src/access/lock.ts'

const dataDir = process.argv[2]
if (dataDir !== undefined) {
  const lock = acquire(dataDir, 0)
  process.stdout.write(JSON.stringify(lock))
  setInterval(() => {}, 60_000)
}
