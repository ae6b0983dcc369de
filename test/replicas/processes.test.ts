// Several processes of one service: equal bytes, crashes, desks that move, processes that are new.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Server } from '../faults/server.ts'
import { FakeHost, faketimeMissing } from '../faketime.ts'
import { redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { newFolder } from '../service.ts'
import type { Rig } from './rig.ts'
import { withRig } from './with-rig.ts'

const test = testsWith('redis-server', redisMissing())

const killOne = async (rig: Rig): Promise<void> => {
  await rig.receipts(rig.random.int(100, 500))
  const member = rig.random.pick(rig.members)
  await rig.kill(member)
  await rig.receipts(200)
  await rig.restart(member)
  await rig.receipts(200)
}

test('two processes answer with equal bytes under load, through a SIGKILL of one', () =>
  withRig({ processes: 2, rate: 400 }, { epochs: 1 }, killOne))

test('processes that were alone before have one state afterwards', () =>
  withRig({ processes: 2, wereAlone: true }, { epochs: 1 }, async (rig) => {
    const fetched = rig.members.filter(({ server }) => server.stderr.includes('a checkpoint was fetched'))
    assert.equal(fetched.length, 1)
    await rig.receipts(100)
  }))

test('three processes answer with equal bytes under load, through a SIGKILL of one', () =>
  withRig({ processes: 3, rate: 400 }, { epochs: 1 }, killOne))

test('a desk that is moved between processes misses nothing and gets no reset', () =>
  withRig({ processes: 3 }, { epochs: 1 }, async (rig) => {
    for (let move = 0; move < 30; move++) {
      await pause(rig.random.int(50, 250))
      rig.desks[move % rig.desks.length]!.move()
      await rig.receipts(20)
    }
  }))

test('a process that was at another Redis meanwhile comes back to the log of the others', async () => {
  const stray = await startRedis()
  try {
    await withRig({ processes: 3 }, { epochs: 1 }, async (rig) => {
      const member = rig.member('C')
      await rig.stop(member)
      // Its own log goes on there, in a later epoch.
      const elsewhere = new Server({ dataDir: member.dataDir, args: ['--redis-url', stray.url, '--accept-store'] })
      await elsewhere.ready()
      await elsewhere.end('SIGTERM')
      await rig.receipts(100)
      await rig.restart(member)
      assert.match(member.server.stderr, /a checkpoint was fetched from http/)
      await rig.receipts(200)
    })
  } finally {
    await stray.remove()
  }
})

test('a process whose clock is ahead does not join, and ages out nothing', async (context) => {
  const missing = faketimeMissing()
  if (missing !== false) return context.skip(missing)
  const folder = newFolder()
  const host = new FakeHost(folder.path)
  host.set(26 * 3_600_000)
  try {
    await withRig({ processes: 2 }, { epochs: 1 }, async (rig, redis) => {
      const args = ['--redis-url', redis.url, '--accept-store']
      const wrong = new Server({ dataDir: join(folder.path, 'data'), args, env: host.environment })
      await rig.until('it says why it waits', () => /the start waits: the clock is \d+ ms ahead/.test(wrong.stderr))
      await rig.receipts(200)
      await wrong.end('SIGTERM')
    })
  } finally {
    folder.remove()
  }
  return undefined
})

test('a new process catches up from the stream, and from a peer where the stream was trimmed', () =>
  withRig({ processes: 1 }, { epochs: 1 }, async (rig, redis) => {
    const fromStream = rig.add()
    await rig.ready(fromStream)
    assert.doesNotMatch(fromStream.server.stderr, /a checkpoint was fetched/)
    await rig.receipts(100)
    // The second one must not get the checkpoint that was made for the first.
    for (let n = 0; n < 2; n++) {
      redis.cli('XTRIM', '{oddswire}:log', 'MAXLEN', '3')
      const fromPeer = rig.add()
      await rig.ready(fromPeer)
      assert.match(fromPeer.server.stderr, /a checkpoint was fetched from http/)
      await rig.receipts(50)
    }
    for (const desk of rig.desks) desk.move()
    await rig.receipts(200)
  }))

test('a process with one bit flipped in its newest checkpoint does not serve another history', () =>
  withRig({ processes: 2 }, { epochs: 1 }, async (rig) => {
    const member = rig.member('B')
    await rig.stop(member)
    const folder = join(member.dataDir, 'log')
    const newest = readdirSync(folder)
      .filter((name) => name.endsWith('.ckpt'))
      .toSorted()
      .at(-1)!
    const octets = readFileSync(join(folder, newest))
    const place = rig.random.int(0, octets.length - 1)
    octets[place]! ^= 1 << rig.random.int(0, 7)
    writeFileSync(join(folder, newest), octets)
    await rig.receipts(100)
    await rig.restart(member)
    await rig.receipts(200)
  }))
