// The load programs tell on themselves: what they sent late by their own fault, and how much of a core they used.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildLoad, type Counted, endServer, Load, loadMarks, newOrigin, portOf } from '../../bench/load.ts'
import { type Server, startServer } from '../../bench/process.ts'
import { isInstalled } from '../../bench/peer.ts'
import { ROOT, testsWith } from '../root.ts'

const test = testsWith('load programs', isInstalled('gcc', '--version') ? false : 'there is no C compiler (gcc)')

const folder = mkdtempSync(join(tmpdir(), 'oddswire-load-'))
after(() => rmSync(folder, { recursive: true }))

const HELD_MS = 30
/** Of what was due in the middle of that, too, but for a rounding of timers. */
const LATE_MS_MIN = HELD_MS - 5

const HOLDS_MAX = 50

/**
 * What a load has counted when it was held for a moment, in which nothing can be sent. Several times, if need be: where the
 * server had not answered yet either, it is the server's fault.
 */
const heldCount = async (load: Load, hasSent: (count: Counted) => boolean): Promise<Counted> => {
  while (!hasSent(await load.count()));
  for (let hold = 1; ; hold++) {
    load.process.kill('SIGSTOP')
    await sleep(HELD_MS)
    load.process.kill('SIGCONT')
    // It may answer once before it sends again.
    for (const count of [await load.count(), await load.count()]) {
      if (hold === HOLDS_MAX || count.own_late_max_us! >= LATE_MS_MIN * 1_000) return count
    }
  }
}

const checkHeld = (count: Counted): void => {
  const told = JSON.stringify(count)
  assert(count.own_late_max_us! >= LATE_MS_MIN * 1_000, told)
  assert(count.late_max_us >= count.own_late_max_us!, told)
  assert(count.late! > 0 && count.late! <= count.sent, told)
  assert(count.busy >= 0, told)
  const marks = loadMarks([[count]])
  assert(marks.lateMs >= LATE_MS_MIN && marks.lateShare > 0)
}

const withServer = async (script: string, args: readonly string[], work: (server: Server) => Promise<void>) => {
  const server = await startServer(join(ROOT, 'dist/bench', script), args)
  try {
    await work(server)
  } finally {
    await endServer(server)
  }
}

test('a publisher that was held says so', async () => {
  const program = buildLoad(folder)!
  await withServer('relay.js', [], async (relay) => {
    const flags = { port: portOf(relay, 'stomp'), dest: '/topic/relay', origin: newOrigin() }
    const sink = await Load.start(program, 'sink-tcp', { ...flags, n: 2, sample: 1 })
    const publisher = await Load.start(program, 'pub', { ...flags, rate: 1_000 })
    try {
      checkHeld(await heldCount(publisher, ({ sent }) => sent > 0))
      let received = await sink.count()
      while (received.frames === 0) received = await sink.count()
      for (const quantile of ['p50_us', 'p90_us', 'p99_us', 'p999_us', 'max_us'] as const) {
        assert(received[quantile]! > 0, quantile)
      }
      assert(received.busy >= 0)
    } finally {
      publisher.kill()
      sink.kill()
    }
  })
})

test('a client of REST that was held says so', async () => {
  const program = buildLoad(folder, 'http-load')!
  const [body, requests] = [join(folder, 'body'), join(folder, 'requests')]
  writeFileSync(body, '{}')
  writeFileSync(requests, '/odds\tBearer key\n')
  await withServer('ceiling-http.js', [body], async (server) => {
    const load = await Load.start(program, 'get', { port: server.ready.http, requests, n: 64, rate: 1_000 })
    try {
      checkHeld(await heldCount(load, ({ frames }) => frames > 0))
      let count = await load.count()
      while (count.frames === 0) count = await load.count()
      assert(count.p90_us! >= count.p50_us! && count.p99_us! >= count.p90_us!)
    } finally {
      load.kill()
    }
  })
})

test('a load that used all of its core is marked', () => {
  const count = (busy: number) => ({ busy, sent: 100, late: 1, own_late_max_us: 2_000 }) as Counted
  const marks = loadMarks([
    [count(0.5), count(0.48)],
    [count(0.6), undefined],
    [count(0.5), count(0.5)],
  ])
  assert.deepEqual(marks, { loadCoreBusy: 0.98, loadLimited: true, lateShare: 0.02, lateMs: 4 })
  assert.equal(loadMarks([[count(0.9)]]).loadLimited, false)
})
