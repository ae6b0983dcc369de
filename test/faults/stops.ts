// SIGSTOP and SIGCONT under load, and steps of the system's clock: the service goes on, and all agree.

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from './fault.ts'
import { Rig } from './rig.ts'

const SHORT_MS = 5_000
const LONG_MS = 30_000

/** After a pause or a step: all goes on, nothing is lost; nor by a kill after it. */
const checkAfter = async (rig: Rig, what: string): Promise<void> => {
  const { violations, subscriber, publishers } = rig
  await rig.receipts(500)
  const ended = [...publishers, subscriber].filter(({ link }) => link!.hasEnded)
  violations.check(ended.length === 0, () => `${what}: ${ended.length} sessions have ended`)
  await rig.quiet()
  await rig.settled()
  await rig.reader.audit(rig.server.ports.http)
  rig.flow()
}

const restart = async (rig: Rig): Promise<void> => {
  await rig.server.end('SIGKILL')
  await rig.gone()
  await rig.start()
  await rig.reader.audit(rig.server.ports.http)
  await rig.connectDesk()
  await rig.connectPublishers()
  await rig.receipts(1)
  await rig.quiet()
  await rig.settled()
}

export const stops: Fault = {
  name: 'stop',
  promise: 'a process that was stopped for a while goes on: no session ends, nothing is lost, the epoch stays',
  async run({ isLong, runs = isLong ? 5 : 1, seed, folder, store }) {
    const ms = isLong ? LONG_MS : SHORT_MS
    const rig = new Rig({ folder, store, seed })
    const { violations, random, subscriber } = rig
    await rig.begin()
    for (let run = 1; run <= runs && violations.count === 0; run++) {
      await rig.receipts(random.int(1, 1_000))
      rig.server.signal('SIGSTOP')
      // The length of the fault itself.
      await pause(ms)
      rig.server.signal('SIGCONT')
      await checkAfter(rig, `stopped for ${ms} ms`)
    }
    await restart(rig)
    violations.check(subscriber.desk.resets.length === 0, () => `reset ${subscriber.desk.resets}`)
    await rig.end()
    return { runs, seen: `${ms / 1_000} s each, ${rig.record.receipts} receipts`, violations: violations.lines }
  },
}

const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
]

const STEPS = ['+1h', '-1h', '+25h', '-25h', '+0']

export const clockSteps: Fault = {
  name: 'clock',
  promise:
    'steps of the system clock by ±1 h and ±25 h under load: no session ends, nothing is lost or refused, the epoch stays',
  async run({ isLong, runs = isLong ? 25 : STEPS.length, seed, folder, store }) {
    const library = LIBRARIES.find((path) => existsSync(path))
    if (library === undefined) return { skipped: 'libfaketime is not installed' }
    const rig = new Rig({ folder, store, seed })
    const { violations, subscriber } = rig
    const file = join(folder, 'time')
    const step = (offset: string): void => writeFileSync(file, `${offset}\n`)
    step('+0')
    await rig.begin({
      env: {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: '1',
        // As with the real clock: only the time of day steps.
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
        FAKETIME_DONT_RESET: '1',
        NO_FAKE_STAT: '1',
      },
    })
    for (let run = 0; run < runs && violations.count === 0; run++) {
      await rig.receipts(200)
      const offset = STEPS[run % STEPS.length]!
      step(offset)
      await checkAfter(rig, `a step to ${offset}`)
    }
    await restart(rig)
    violations.check(subscriber.desk.resets.length === 0, () => `reset ${subscriber.desk.resets}`)
    await rig.end()
    return { runs, seen: `${rig.record.receipts} receipts`, violations: violations.lines }
  },
}
