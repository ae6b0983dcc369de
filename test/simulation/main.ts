// npm run simulate: see the help text.

import './time.ts'
import { parseArgs } from 'node:util'
import { reportOf, shrink } from './shrink.ts'
import { RunFailure, runReplicas, runSeed } from './simulate.ts'

const HELP = `npm run simulate -- [--seeds N] [--first SEED] [--minutes M] [--seed S] [--replicas N]

Runs the service in simulated time, on a simulated disk, with all that can happen to it, and compares it with a naive twin.
  --seeds N      so many seeds (default 20)
  --first SEED   the first of them (default 1)
  --minutes M    simulated minutes of each (default 10)
  --seed S       this one alone
  --replicas N   so many processes that share a log, on a simulated Redis that fails, instead of one
  --long         do not look for the shortest list of steps that fails

After three seeds that fail it ends, with exit code 1.`

const readFlags = () => {
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string', default: '20' },
        first: { type: 'string', default: '1' },
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string' },
        replicas: { type: 'string' },
        long: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`)
    return process.exit(2)
  }
}

const { values } = readFlags()

const numberOf = (name: 'seeds' | 'first' | 'minutes' | 'seed' | 'replicas'): number => {
  const value = Number(values[name])
  if (Number.isInteger(value) && value > 0) return value
  console.error(`--${name} must be a whole number from 1 on, not "${values[name]}"\n\n${HELP}`)
  process.exit(2)
}

const shown = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([what, count]) => `${what} ${count}`)
    .join(', ')

const run = async (): Promise<number> => {
  if (values.help === true) {
    console.log(HELP)
    return 0
  }
  const minutes = numberOf('minutes')
  const first = values.seed === undefined ? numberOf('first') : numberOf('seed')
  const count = values.seed === undefined ? numberOf('seeds') : 1
  const runOf = values.replicas === undefined ? runSeed : runReplicas(numberOf('replicas'))
  const totals = new Map<string, number>()
  let simulatedMs = 0
  let failed = 0
  for (let seed = first; seed < first + count; seed++) {
    try {
      const result = await runOf(seed, minutes)
      simulatedMs += result.simulatedMs
      for (const [what, times] of result.counts) totals.set(what, (totals.get(what) ?? 0) + times)
    } catch (error) {
      if (!(error instanceof RunFailure)) throw error
      failed++
      console.error(reportOf(values.long === true ? error : await shrink(error, minutes, 150, runOf)))
      if (failed >= 3) break
    }
  }
  const { user, system } = process.cpuUsage()
  const cpuS = (user + system) / 1e6
  console.log(
    `${count} seeds, ${(simulatedMs / 3_600_000).toFixed(2)} simulated hours, ${cpuS.toFixed(1)} s of CPU, ${failed} failed`,
  )
  console.log(shown(totals))
  return failed === 0 ? 0 : 1
}

process.exit(await run())
