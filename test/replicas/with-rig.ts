// A test with its own Redis and its own processes: whatever the test does to them, the history must be right at its end.

import assert from 'node:assert/strict'
import { SEED } from '../random.ts'
import { type RedisServer, startRedis } from '../redis-server.ts'
import { Rig, type RigOptions } from './rig.ts'

/**
 * SENDs a second of each feed, where a test asks for no other rate: hundreds a second in all, of which some are always under way.
 * Where a moment of many is what is tested, 400: as many as can be confirmed (rate 0) cost all of the machine, for as long as a
 * test waits for the start of a process.
 */
const RATE = 100

export interface Terms extends Partial<Omit<RigOptions, 'redisUrl'>> {
  /** Of redis-server. */
  readonly redis?: readonly string[]
  /** The URL for the processes, where it is not that of the Redis. */
  readonly urlOf?: (redis: RedisServer) => Promise<string>
}

/** Epochs that a run may see, and whether desks may be told to begin anew. */
export interface Expected {
  readonly epochs: number
}

/** Runs under load; then compares all that was seen, and all that the processes have. */
export const withRig = async (
  { redis: options = [], urlOf, ...rest }: Terms,
  { epochs }: Expected,
  run: (rig: Rig, redis: RedisServer) => Promise<void>,
): Promise<void> => {
  const redis = await startRedis(...options)
  let rig: Rig | undefined
  try {
    const redisUrl = urlOf === undefined ? redis.url : await urlOf(redis)
    rig = new Rig({ redisUrl, seed: SEED, rate: RATE, ...rest })
    await rig.begin()
    await rig.receipts(100)
    await run(rig, redis)
    await rig.check()
    assert.deepEqual(rig.violations.lines, [], `seed ${SEED}`)
    assert(rig.epochs.length <= epochs, `seed ${SEED}: epochs ${rig.epochs.join(', ')}`)
    if (epochs === 1) assert.deepEqual(rig.resets, [], `seed ${SEED}`)
    assert(rig.history.compared > 0, 'answers of REST were compared')
  } finally {
    await rig?.end()
    await redis.remove()
  }
}
