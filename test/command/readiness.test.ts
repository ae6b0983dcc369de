// Nobody is answered from a board that the sources have not filled yet.

import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { Readiness } from '../../src/command/readiness.ts'
import { Site } from '../feeds/site.ts'
import { done, MAIN, newFolder, writeCoverage } from '../service.ts'
import { connectFrame, converse, ServiceProcess } from './process.ts'

const folder = newFolder()
const site = new Site()
const slow = new Site()
let key: string
let feedKey: string

const startTime = new Date(clock.now() + 7_200_000).toISOString()
const matchup = (id: number): object => ({
  ...{ id, type: 'matchup', units: 'Regular', isLive: false, parentId: null, startTime },
  league: { id: 1, name: 'Unknown', sport: { id: 29, name: 'Soccer' } },
  participants: ['home', 'away'].map((alignment, order) => ({ alignment, order, name: `${alignment} of ${id}` })),
  periods: [{ period: 0, status: 'open', cutoffAt: startTime }],
})
const market = (matchupId: number): object => ({
  ...{ matchupId, type: 'total', period: 0, key: 's;0;ou;2.5', cutoffAt: startTime },
  prices: ['over', 'under'].map((designation) => ({ designation, points: 2.5, price: -110 })),
})

const polled = (name: string, at: Site, over: object = {}): object => ({
  ...{ name, kind: 'pinnacle', baseUrl: at.origin, bookmaker: name, transport: 'both', requestsPerSecond: 100 },
  groups: [{ name: 'football', matchups: 'matchups', straight: 'straight' }],
  ...{ straightIntervalSeconds: 1, matchupsIntervalSeconds: 60 },
  ...over,
})

const observedAt = new Date(clock.now() - 60_000).toISOString()

const observation = (bookmaker: string): string =>
  JSON.stringify({
    ...{ bookmaker, transport: 'both', observedAt },
    event: {
      ...{ sport: 'football', league: { key: 'l', name: 'L' }, home: `${bookmaker} home`, away: `${bookmaker} away` },
      ...{ kickoffAt: startTime, sourceId: '1' },
    },
    quotes: [{ type: 'match_result_1x2', outcome: 'home', odds: 2.1 }],
  })

/** Starts a service with sources, and an empty board. */
let services = 0
const start = (sources: readonly object[], ...args: string[]): ServiceProcess => {
  rmSync(join(folder.path, 'log'), { recursive: true, force: true })
  return restart(sources, ...args)
}

const restart = (sources: readonly object[], ...args: string[]): ServiceProcess => {
  const feeds = join(folder.path, `feeds-${++services}.json`)
  writeFileSync(feeds, JSON.stringify({ sources }))
  return new ServiceProcess(folder.path, folder.path, '--feeds', feeds, ...args)
}

before(async () => {
  for (const [index, each] of [site, slow].entries()) {
    await each.start()
    each.put('/matchups', JSON.stringify([matchup(index + 1)]))
    each.put('/straight', JSON.stringify([market(index + 1)]))
  }
  const coverage = writeCoverage(
    folder.path,
    ['slow', 'quick', 'sent', 'filed'].map((slug) => [slug, 'verified_rest_live', true, true] as const),
  )
  done(folder.path, 'coverage', 'import', coverage)
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'desk')
  feedKey = done(folder.path, 'key', 'create', '--org', 'desk', '--feed', 'sent')
})

after(async () => {
  await Promise.all([site.stop(), slow.stop()])
  folder.remove()
})

test('customers wait until the sources have delivered, and never see an empty board; feeds may send meanwhile', async () => {
  slow.be('silence')
  const off = polled('off', slow, { sourceMode: 'disabled' })
  const service = start([polled('slow', slow), polled('quick', site), off])
  try {
    const { http, stomp } = await service.ports()
    const waiting = 'not ready\n- source slow has not delivered yet\n'
    await service.until('only the slow source is waited for', async () => {
      const { status, text } = await service.admin('/readyz')
      assert.equal(status, 503)
      return text === waiting
    })
    assert.equal(await service.metric('oddswire_ready'), '0')
    const events = () =>
      fetch(`http://127.0.0.1:${http}/api/v1/events`, { headers: { authorization: `Bearer ${key}` } })
    const refused = await events()
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
    const desk = await converse(stomp, connectFrame(key), /\0/)
    assert.match(desk, /^ERROR\n(?:.*\n)*message:service_unavailable\n/)
    assert.match(desk, /starting/)
    const send = `SEND\ndestination:/feed/sent\nreceipt:1\n\n${observation('sent')}\0`
    const feed = await converse(stomp, connectFrame(feedKey) + send, /RECEIPT|ERROR/)
    assert.match(feed, /^CONNECTED[^]*RECEIPT\nreceipt-id:1/)
    assert.equal(service.isReady, false)

    // From here on every answer is a refusal, or whole.
    let isOver = false
    const totals: number[] = []
    const watching = (async () => {
      while (!isOver) {
        const response = await events()
        const { meta } = (await response.json()) as { readonly meta?: { readonly total: number } }
        if (response.status === 200) totals.push(meta!.total)
        else assert.equal(response.status, 503)
      }
    })()
    slow.be('well')
    await service.ready()
    await service.until('customers are answered', () => totals.length > 5)
    isOver = true
    await watching
    assert.deepEqual([...new Set(totals)], [3], 'both polled events, and the one that was sent')
    assert.deepEqual(await service.admin('/readyz'), { status: 200, text: 'ready\n' })
    assert.equal(await service.metric('oddswire_ready'), '1')
    assert.match(await converse(stomp, connectFrame(key), /\0/), /^CONNECTED/)
    assert.deepEqual(service.logged('ready, though'), [])
  } finally {
    assert.equal(await service.stop(), 0)
  }
})

test('after --ready-after the service is ready all the same, and the log names who has not delivered', async () => {
  slow.be('silence')
  const file = join(folder.path, 'filed.jsonl')
  writeFileSync(file, observation('filed'))
  const filed = { name: 'filed', kind: 'file', path: file, format: 'observations' }
  const service = start([polled('slow', slow), filed], '--ready-after', '1')
  try {
    await service.ready()
    const [line] = service.logged('ready, though')
    assert.deepEqual(line!.sources, ['slow'])
    assert.equal((await service.admin('/readyz')).status, 200)
  } finally {
    assert.equal(await service.stop(), 0)
  }
})

test('after a restart nobody waits for sources whose quotes are on the board, and these are suspended in time', async () => {
  slow.be('well')
  // Down after a second of silence: what it has not repeated by then is suspended.
  const terms = { lateSeconds: 1, downSeconds: 2, suspendSeconds: 0 }
  const first = start([polled('slow', slow, terms)])
  await first.ready()
  const eventsOf = async (service: ServiceProcess): Promise<number> => {
    const { http } = await service.ports()
    const reply = await fetch(`http://127.0.0.1:${http}/api/v1/events`, { headers: { authorization: `Bearer ${key}` } })
    return ((await reply.json()) as { meta: { total: number } }).meta.total
  }
  assert.equal(await eventsOf(first), 1)
  slow.be('silence')
  first.child.kill('SIGKILL')
  await first.exited
  const second = restart([polled('slow', slow, terms)], '--ready-after', '3600')
  try {
    await second.ready()
    await second.until('its quotes are suspended', async () => (await eventsOf(second)) === 0)
  } finally {
    assert.equal(await second.stop(), 0)
  }
})

test('--ready-after 0 does not wait, and says who has not delivered', async () => {
  slow.be('silence')
  const service = start([polled('slow', slow)], '--ready-after', '0')
  try {
    await service.ready()
    assert.equal(service.logged('ready, though').length, 1)
  } finally {
    assert.equal(await service.stop(), 0)
  }
})

test('a source that is known to be down is not waited for', async () => {
  const source = { name: 'filed', kind: 'file', path: 'nowhere.jsonl', format: 'observations' }
  const service = start([{ ...source, lateSeconds: 0.5, downSeconds: 1 }], '--ready-after', '3600')
  try {
    await service.ready()
    assert.deepEqual(service.logged('ready, though'), [])
  } finally {
    assert.equal(await service.stop(), 0)
  }
})

test('SIGTERM while sources are waited for ends with 0, and no customer is answered from the board on the way', async () => {
  slow.be('silence')
  const service = start([polled('slow', slow), polled('quick', site)])
  const { http } = await service.ports()
  await service.until('it waits', async () => (await service.admin('/readyz')).text.includes('source slow'))
  let isOver = false
  const statuses = new Set<number>()
  const asking = (async () => {
    while (!isOver) {
      try {
        const { status } = await fetch(`http://127.0.0.1:${http}/api/v1/events`, {
          headers: { authorization: `Bearer ${key}` },
        })
        statuses.add(status)
      } catch {
        // It accepts no more.
        return
      }
    }
  })()
  await service.until('a request was answered', () => statuses.size > 0)
  assert.equal(await service.stop(), 0)
  isOver = true
  await asking
  assert.deepEqual([...statuses], [503])
  assert.equal(service.isReady, false)
})

test('--ready-after is a whole number of seconds, an hour at most', async () => {
  for (const [value, isRight] of [
    ['0', true],
    ['3600', true],
    ['3601', false],
    ['-1', false],
    ['1.5', false],
    ['soon', false],
  ] as const) {
    const service = new ServiceProcess(folder.path, folder.path, `--ready-after=${value}`)
    if (isRight) {
      await service.ready()
      assert.equal(await service.stop(), 0)
    } else assert.equal(await service.exited, 1, `${MAIN} serve --ready-after=${value}`)
  }
})

test('readiness: what is waited for is shown, and agrees with what customers get', async () => {
  let left = ['a', 'b']
  let isHeld = true
  const readiness = new Readiness(
    () => left,
    () => isHeld,
  )
  assert.deepEqual([readiness.reasons(), readiness.isLoaded], [['the service is loading'], false])
  const stopping = new AbortController()
  const served = readiness.serve(60_000, stopping.signal)
  const held = 'bookmakers of the coverage are not in the log yet'
  assert.deepEqual(readiness.reasons(), ['source a has not delivered yet', 'source b has not delivered yet', held])
  assert.deepEqual([readiness.isLoaded, readiness.isServing], [true, false])
  left = []
  assert.deepEqual([readiness.reasons(), readiness.isServing], [[held], false])
  isHeld = false
  assert.deepEqual([readiness.reasons(), readiness.isServing], [[], true], 'at once')
  left = ['c']
  assert.deepEqual([await served, readiness.isServing], [[], true], 'a source that is added later is not waited for')
  readiness.stop()
  assert.deepEqual([readiness.reasons(), readiness.isServing], [['the service is stopping'], true])
  const aborted = new Readiness(
    () => ['a'],
    () => false,
  )
  const never = aborted.serve(60_000, stopping.signal)
  stopping.abort()
  await never
  assert.equal(aborted.isServing, false)
  const late = new Readiness(
    () => ['a'],
    () => true,
  )
  assert.deepEqual([await late.serve(0, new AbortController().signal), late.isServing], [['a'], true])
})
