// Points that are ahead of this process: a client comes from another one that shares the log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AwaitedPoints } from '../../src/stomp/awaited.ts'
import { redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { RawClient } from './raw-client.ts'
import { HOME, World } from './world.ts'

const shared = testsWith('redis-server', redisMissing())

test('what waits goes on once, when its point is reached or its time is over', () => {
  let nowMs = 0
  const gone: string[] = []
  const points = new AwaitedPoints(100, () => nowMs)
  points.add(5, () => gone.push('five'))
  points.add(9, () => gone.push('nine'))
  points.look(4)
  assert.deepEqual(gone, [])
  points.look(5)
  assert.deepEqual(gone, ['five'])
  nowMs = 100
  points.look(5)
  points.look(9)
  assert.deepEqual(gone, ['five', 'nine'])
  assert.equal(new AwaitedPoints(0, () => nowMs).waits, false)
})

shared(
  'a SUBSCRIBE from a point ahead goes on from there, and gets a reset where the log does not reach it',
  async () => {
    const redis = await startRedis()
    const world = await World.start({ flags: ['--redis-url', redis.url] })
    const fixture = await world.event(world.book())
    const [epoch, seq] = (await world.restSeq()).split(/-(?=\d+$)/) as [string, string]
    const open = async (ahead: number): Promise<RawClient> => {
      const client = await RawClient.open(world.endpoint, 'tcp', '1.2')
      await client.connect({ passcode: world.deskKey })
      await client.subscribe(fixture.topic(), { id: 'a', 'from-seq': `${epoch}-${Number(seq) + ahead}` })
      return client
    }
    const near = await open(1)
    const far = await open(1_000_000)
    await fixture.observe([{ ...HOME, odds: 2 }])
    await fixture.observe([{ ...HOME, odds: 3 }])
    const message = await near.message()
    assert.equal(message.headers.get('kind'), 'update')
    // The first of the two changes is the point itself.
    assert.match(message.body.toString(), /"odds":3\b/)
    const reset = await far.message()
    assert.deepEqual([reset.headers.get('kind'), reset.body.toString()], ['reset', '{"reason":"ahead"}'])
    for (const client of [near, far]) client.destroy()
    // It was delivered all up to its point elsewhere.
    const leaving = await open(1_000_000)
    await leaving.barrier()
    const stopped = world.stop()
    const { error } = await leaving.error()
    assert.equal(error.headers.get('resume-from'), `${epoch}-${Number(seq) + 1_000_000}`)
    await stopped
    await redis.remove()
  },
)
