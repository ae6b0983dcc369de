// Several processes of one service: equal bytes, crashes, desks that move, processes that are new.

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { SEED } from '../random.ts'
import { redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { Rig, type RigOptions } from './rig.ts'

const test = testsWith('redis-server', redisMissing())

const withRig = async (options: Partial<RigOptions>, run: (rig: Rig) => Promise<void>): Promise<void> => {
  const redis = await startRedis()
  const rig = new Rig({ redisUrl: redis.url, seed: SEED, ...options })
  try {
    await rig.begin()
    await run(rig)
    await rig.check()
    assert.deepEqual(rig.violations.lines, [], `seed ${SEED}`)
  } finally {
    await rig.end()
    await redis.remove()
  }
}

const killsAndBytes = async (rig: Rig): Promise<void> => {
  for (let round = 0; round < 2; round++) {
    await rig.receipts(rig.random.int(200, 1_000))
    const member = rig.members[rig.random.int(0, rig.members.length - 1)]!
    await rig.kill(member)
    await rig.receipts(200)
    await rig.restart(member)
    await rig.receipts(200)
  }
  assert.equal(rig.epochs.length, 1, `seed ${SEED}: epochs ${rig.epochs.join(', ')}`)
  assert.deepEqual(rig.resets, [], `seed ${SEED}`)
}

test('two processes answer with equal bytes under load, through a SIGKILL of each', () =>
  withRig({ processes: 2 }, killsAndBytes))

test('three processes answer with equal bytes under load, through a SIGKILL of each', () =>
  withRig({ processes: 3 }, killsAndBytes))

test('a desk that is moved between processes misses nothing and gets no reset', () =>
  withRig({ processes: 3 }, async (rig) => {
    for (let move = 0; move < 30; move++) {
      await pause(rig.random.int(50, 250))
      rig.desks[move % rig.desks.length]!.move()
      await rig.receipts(50)
    }
    assert.equal(rig.epochs.length, 1, `seed ${SEED}`)
    assert.deepEqual(rig.resets, [], `seed ${SEED}`)
  }))
