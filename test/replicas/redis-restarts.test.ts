// Redis ends and comes back: with all that it had, with nothing, and with what it had before.

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { redisMissing } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import type { Rig } from './rig.ts'
import { withRig } from './with-rig.ts'

const test = testsWith('redis-server', redisMissing())

const APPENDONLY = ['--appendonly', 'yes', '--appendfsync', 'always']

/** All processes have refused since now. */
const refuses = async (rig: Rig): Promise<void> => {
  const before = new Map(rig.rest.statuses)
  await rig.until('all refuse', () =>
    rig.up.every(({ name }) => (rig.rest.statuses.get(`${name} 503`) ?? 0) > (before.get(`${name} 503`) ?? 0)),
  )
}

/** Nothing that was confirmed is lost, although nothing was sent since. */
const hasAll = async (rig: Rig): Promise<void> => {
  await rig.settled()
  for (const { name, server } of rig.up) {
    for (let event = 0; event < rig.history.events; event++) await rig.rest.read(name, server, event, true)
  }
  rig.flow()
}

test('stopped and started again with all that it had: requests are refused meanwhile, and the epoch goes on', () =>
  withRig({ redis: APPENDONLY }, { epochs: 1 }, async (rig, redis) => {
    await redis.stop()
    await refuses(rig)
    await redis.start()
    await rig.receipts(200)
  }))

test('SIGKILL with an append-only file: the epoch goes on', () =>
  withRig({ redis: APPENDONLY, rate: 0 }, { epochs: 1 }, async (rig, redis) => {
    for (let kill = 0; kill < 3; kill++) {
      await redis.kill9()
      await redis.start()
      await rig.receipts(100)
    }
  }))

test('SIGSTOP for longer than rights may be unknown: refused, then the epoch goes on', () =>
  withRig({}, { epochs: 1 }, async (rig, redis) => {
    redis.freeze()
    await refuses(rig)
    await pause(1_000)
    redis.thaw()
    await rig.receipts(200)
  }))

test('restarted empty: another epoch begins, with all that was confirmed', () =>
  withRig({}, { epochs: 2 }, async (rig, redis) => {
    rig.hold()
    await redis.kill9()
    await redis.start()
    await hasAll(rig)
    await rig.receipts(200)
    assert.equal(rig.epochs.length, 2)
  }))

test('FLUSHALL: another epoch begins, with all that was confirmed', () =>
  withRig({ processes: 3 }, { epochs: 2 }, async (rig, redis) => {
    rig.hold()
    redis.cli('FLUSHALL')
    await hasAll(rig)
    await rig.receipts(200)
    assert.equal(rig.epochs.length, 2)
  }))

test('restarted from an older dump, together with a process that was behind: nobody serves another history', () =>
  withRig({ processes: 3 }, { epochs: 2 }, async (rig, redis) => {
    const behind = rig.member('C')
    redis.cli('SAVE')
    await rig.kill(behind)
    await rig.receipts(300)
    rig.hold()
    await redis.kill9()
    await redis.start()
    const back = rig.restart(behind)
    // What it would accept it might publish under numbers that the others have published.
    rig.flow()
    await back
    await rig.receipts(200)
    rig.hold()
    await hasAll(rig)
    await rig.receipts(100)
    assert.equal(rig.epochs.length, 2)
  }))
