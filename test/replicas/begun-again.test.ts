// A service that begins again within its process, because the log that is shared was emptied: what was is freed.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { type Keys, makeStore } from '../faults/rig.ts'
import { Server } from '../faults/server.ts'
import { until } from '../feeds/waiting.ts'
import { redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import type { MemoryReport } from './memory-report.ts'

const test = testsWith('redis-server', redisMissing())

const TIMES = 4

const AGAIN = 'the log that is shared is another one'

/** A session of STOMP over WebSocket. */
const openDesk = async (port: number, key: string): Promise<WebSocket> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/stomp`, 'v12.stomp')
  const subscribed = new Promise((resolve, reject) => {
    socket.on('message', (data) => String(data).startsWith('RECEIPT') && resolve(undefined))
    socket.once('close', () => reject(new Error('the desk was closed')))
  })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send(`CONNECT\naccept-version:1.2\npasscode:${key}\n\n\0`)
  socket.send('SUBSCRIBE\nid:1\ndestination:/topic/odds.#\nreceipt:1\n\n\0')
  await subscribed
  return socket
}

/** @returns the status, once all has been read */
const ask = (port: number, path: string, key: string, agent: Agent): Promise<number | undefined> =>
  new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port, path, agent, headers: { authorization: `Bearer ${key}` } },
      (response) => response.resume().once('end', () => resolve(response.statusCode)),
    )
    request.once('error', () => resolve(undefined))
  })

test('a service that begins again leaves neither memory nor descriptors of the former one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-again-'))
  const redis = await startRedis()
  const agent = new Agent({ keepAlive: true })
  let server: Server | undefined
  let desk: WebSocket | undefined
  try {
    makeStore(folder)
    const keys = JSON.parse(readFileSync(join(folder, 'keys.json'), 'utf8')) as Keys
    const running = new Server({
      dataDir: join(folder, 'data'),
      args: ['--redis-url', redis.url, '--demo'],
      env: { NODE_OPTIONS: `--import=${join(dirname(fileURLToPath(import.meta.url)), 'memory-report.js')}` },
    })
    server = running
    await running.ready()

    const used = async (): Promise<void> => {
      const { http, admin } = running.ports
      // Requests are counted once a new log is trusted.
      await until('it answers', async () => (await ask(http, '/api/v1/events', keys.reader, agent)) === 200)
      await until('it is ready', async () => (await ask(admin, '/readyz', '', agent)) === 200)
      desk = await openDesk(http, keys.desk)
    }
    const reported = async (): Promise<MemoryReport> => {
      const from = running.stdout.length
      running.child.kill('SIGUSR2')
      return until('it reports', () => {
        const line = running.stdout.slice(from).split('\n').slice(0, -1).at(-1)
        return line !== undefined && (JSON.parse(line) as MemoryReport)
      })
    }

    await used()
    const first = await reported()
    for (let times = 1; times <= TIMES; times++) {
      const closed = new Promise((resolve) => desk!.once('close', resolve))
      redis.cli('FLUSHALL')
      await until('it begins again', () => running.stderr.split(AGAIN).length - 1 >= times)
      await closed
      await used()
    }
    let last: MemoryReport | undefined
    // A thread that has ended, and sockets of clients that are gone, take a moment. What each beginning leaves is left TIMES times:
    // fewer are what the first report was too early for, as a segment that is prepared and a thread that begins later.
    await until(
      'all of the former services is freed',
      async () => {
        last = await reported()
        return last.buffers < 1.5 * first.buffers && last.descriptors.length < first.descriptors.length + TIMES
      },
      () => ({ first, last }),
      30_000,
    )
    assert.equal(await running.end('SIGTERM'), 0)
  } finally {
    agent.destroy()
    desk?.terminate()
    await server?.end('SIGKILL')
    await redis.remove()
    rmSync(folder, { recursive: true, force: true })
  }
})
