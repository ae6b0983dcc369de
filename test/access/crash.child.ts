// Admits requests as fast as it can and appends one byte to a file for each that was admitted, until it is killed or
// every organization is refused for its limit; then it ends cleanly. Arguments: data folder, then SECRET:FILE pairs.

import { openSync, writeSync } from 'node:fs'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { Access } from '../../src/access/access.ts'
import { isFault } from '../../src/access/fault.ts'
import { LIMITS } from '../../src/limits.ts'
import { isRefusal } from '../../src/domain/refusal.ts'

const AT = Date.UTC(2026, 10, 20, 12, 30)

const [dataDir, ...pairs] = process.argv.slice(2)
if (dataDir !== undefined) {
  const limits = { ...LIMITS, credentialsMax: 100, ledgerDeadlineMs: 10_000 }
  const access = await Access.open({ dataDir, numberOf: () => 1, now: () => AT, limits })
  if (isFault(access)) throw new Error(access.fault)
  process.stdout.write('ready\n')
  await Promise.all(
    pairs.map(async (pair) => {
      const [secret, file] = pair.split(':') as [string, string]
      const descriptor = openSync(file, 'a')
      const caller = access.gate.identify(undefined, secret, AT)
      if (isRefusal(caller)) throw new Error(caller.message)
      for (;;) {
        const admission = await access.gate.admit(caller, 'rest', AT)
        if (admission.refusal?.refused === 'rate_limit_exceeded') return
        if (admission.refusal === undefined) writeSync(descriptor, '.')
        // As requests do: a few in one turn of the event loop.
        if (Math.random() < 0.2) await nextIteration()
      }
    }),
  )
  await access.close()
}
