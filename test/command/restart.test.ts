// A restart forgets nothing: neither after SIGTERM nor after SIGKILL.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { command, done, newFolder, writeCoverage } from '../service.ts'
import { connectFrame, converse, ServiceProcess } from './process.ts'

const folder = newFolder()
let key: string
let feedKey: string
const kickoffAt = new Date(clock.now() + 7_200_000).toISOString()
let sent = 0

/** A SEND of a price, numbered by its odds. */
const sendFrame = (odds: number, status = 'open'): string => {
  const observation = {
    ...{ bookmaker: 'book', transport: 'both', observedAt: new Date(clock.now()).toISOString() },
    event: {
      ...{ sport: 'football', league: { key: 'l', name: 'L' }, home: 'Averano', away: 'Drelletta', kickoffAt },
      ...{ sourceId: '1' },
    },
    quotes: [{ type: 'match_result_1x2', outcome: 'home', odds, status }],
  }
  return `SEND\ndestination:/feed/book\nreceipt:${++sent}\n\n${JSON.stringify(observation)}\0`
}

/** Sends a price; resolves when its RECEIPT is there. */
const send = async (service: ServiceProcess, odds: number, status?: string): Promise<void> => {
  const { stomp } = await service.ports()
  const frame = sendFrame(odds, status)
  const answer = await converse(stomp, connectFrame(feedKey) + frame, /RECEIPT|ERROR/)
  assert.match(answer, new RegExp(`RECEIPT\\nreceipt-id:${sent}\\n`))
}

interface Answer {
  readonly seq: string
  readonly tag: string
  readonly body: string
}

const get = async (service: ServiceProcess, path: string): Promise<Answer> => {
  const { http } = await service.ports()
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`http://127.0.0.1:${http}/api/v1/${path}`, { headers })
  assert.equal(response.status, 200)
  const { headers: given } = response
  return { seq: given.get('x-odds-seq')!, tag: given.get('etag')!, body: await response.text() }
}

/** What a desk gets that resumes from a point, up to a message with these odds. */
const resume = async (service: ServiceProcess, from: string, odds: number): Promise<string> => {
  const { stomp } = await service.ports()
  const subscribe = `SUBSCRIBE\nid:0\ndestination:/topic/odds.#\nfrom-seq:${from}\n\n\0`
  return converse(stomp, connectFrame(key) + subscribe, new RegExp(`"odds":${odds}[,}]|ERROR`))
}

const start = async (...args: string[]): Promise<ServiceProcess> => {
  const service = new ServiceProcess(folder.path, folder.path, '--warm-up', 'true', ...args)
  await service.ready()
  return service
}

before(() => {
  const coverage = writeCoverage(folder.path, [['book', 'verified_rest_live', true, true] as const])
  done(folder.path, 'coverage', 'import', coverage)
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'desk')
  feedKey = done(folder.path, 'key', 'create', '--org', 'desk', '--feed', 'book')
})

after(() => folder.remove())

test('what was seen is there after a kill and after SIGTERM, and a desk resumes without a gap', async () => {
  let service = await start()
  // A point from before the first use of a key may be another key's: it is answered with a reset after a restart.
  await get(service, 'events')
  await send(service, 2.01)
  const [event] = (JSON.parse((await get(service, 'events')).body) as { data: { id: string }[] }).data
  let odds = 2.01
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
    odds = Math.round(odds * 100 + 1) / 100
    const from = (await get(service, 'events')).seq
    await send(service, odds)
    const before = await get(service, `events/${event!.id}/odds`)
    service.child.kill(signal)
    await service.exited
    service = await start()
    const now = await get(service, `events/${event!.id}/odds`)
    assert.deepEqual(now, before, `after ${signal}`)
    odds = Math.round(odds * 100 + 1) / 100
    await send(service, odds)
    const stream = await resume(service, from, odds)
    assert.doesNotMatch(stream, /kind:reset/)
    const seen = [...stream.matchAll(/message-id:(\S+)\n/g)].map(([, id]) => id!.split('-'))
    const prices = [...stream.matchAll(/"odds":([\d.]+)/g)].map(([, price]) => Number(price))
    assert.deepEqual(prices, [Math.round(odds * 100 - 1) / 100, odds], `after ${signal}`)
    const [epoch, seq] = from.split('-')
    assert.deepEqual(
      seen.map(([of]) => of),
      [epoch, epoch],
    )
    const prevs = [...stream.matchAll(/\nprev:\S+-(\d+)\n/g)].map(([, prev]) => Number(prev))
    assert(prevs[0]! <= Number(seq), 'nothing is missing before the first')
    assert.equal(prevs[1], Number(seen[0]![1]), 'nothing is missing between')
  }
  assert.equal(await (service.child.kill('SIGTERM'), service.exited), 0)
  // At SIGTERM a checkpoint of all was written.
  assert(readdirSync(join(folder.path, 'log')).some((name) => name.endsWith('.ckpt')))
})

test('a checkpoint that does not fit the limits is refused, and nothing is lost', async () => {
  const small = command(
    folder.path,
    'serve',
    '--quotes-max',
    '1',
    '--http-port',
    '0',
    '--stomp-port',
    '0',
    '--admin-port',
    '0',
  )
  assert.equal(small.code, 1)
  assert.match(small.stderr, /^oddswire: [^\n]*--quotes-max[^\n]*\n$/)
  const service = await start('--quotes-max', '2000')
  try {
    const { body } = await get(service, 'events')
    assert.equal((JSON.parse(body) as { meta: { total: number } }).meta.total, 1)
  } finally {
    assert.equal(await service.stop(), 0)
  }
})
