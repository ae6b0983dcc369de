// What the heart-beats of the processes that share a log cost its Redis (bench/README.md): each answer names all of them.
//
//   node dist/bench/beats.js [--seconds 1] [--members 3,30,100,300]

import { parseArgs } from 'node:util'
import { BEAT } from '../src/log/stream-scripts.ts'
import { startRedis } from '../test/redis-server.ts'
import { isInstalled, leaveOut, versionOf } from './peer.ts'
import { machine, print, rounded } from './report.ts'
import { connect, redisCpu } from './stream-redis.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    members: { type: 'string', default: '3,30,100,300' },
  },
})
const seconds = Number(flags.seconds)

const BEATS_PER_SECOND = 4
const WARM_UP_SECONDS = 0.2
/** As long as what a process says of itself. */
const SAID = JSON.stringify({ applied: 123_456_789, peer: 'http://replica-1.example:9091', rules: 'abcdef0123456789' })

const measure = async (url: string, pid: number, members: number) => {
  const redis = await connect(url)
  await redis.call('DEL', redis.key('members'))
  const beat = (n: number) => redis.run(BEAT, ['members', 'leader', 'meta', 'producer'], [`process-${n}`, SAID, 0])
  for (let n = 0; n < members; n++) await beat(n)
  const beatFor = async (forSeconds: number): Promise<number> => {
    const until = performance.now() + forSeconds * 1e3
    let beats = 0
    while (performance.now() < until) await beat(beats++ % members)
    return beats
  }
  await beatFor(WARM_UP_SECONDS)
  const before = redisCpu(pid).main
  const beats = await beatFor(seconds)
  const us = ((redisCpu(pid).main - before) * 1e6) / beats
  const answer = await beat(0)
  redis.close()
  const named = (answer as readonly unknown[])[4]
  if (!Array.isArray(named) || named.length !== 2 * members) throw new Error('an answer does not name all members')
  return {
    members,
    mainUsPerBeat: rounded(us),
    answerOctets: JSON.stringify(answer).length,
    // All of them, four times a second.
    redisBusy: rounded(members * BEATS_PER_SECOND * us * 1e-6),
  }
}

const measureAll = async (): Promise<void> => {
  const server = await startRedis('--appendonly', 'yes')
  try {
    const rows: object[] = []
    for (const members of flags.members.split(',').map(Number))
      rows.push(await measure(server.url, server.pid!, members))
    print({ bench: 'beats', seconds, redis: versionOf('redis-server', '--version'), ...machine(), rows })
  } finally {
    await server.remove()
  }
}

if (isInstalled('redis-server', '--version')) await measureAll()
else leaveOut('bench/beats', 'redis-server is not installed')
