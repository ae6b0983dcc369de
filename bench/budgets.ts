// What one client may ask for, and how long the process is busy with it at a time: prices that conflation has held and that
// are all due at once, a flood of SUBSCRIBEs, a snapshot of everything. Pauses are CPU time between two looks at the sockets.
//
//   node dist/bench/budgets.js [--quotes 1000000]

import { parseArgs } from 'node:util'
import { LIMITS } from '../src/limits.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { frameBytes } from '../src/stomp/frame-writer.ts'
import type { Session } from '../src/stomp/session.ts'
import { InProcess, Sink } from './in-process.ts'
import { observationOf, QUOTES_PER_BOOK } from './quotes.ts'
import { machine, print, rounded } from './report.ts'

const { values: flags } = parseArgs({ options: { quotes: { type: 'string', default: '1000000' } } })
const quotes = Number(flags.quotes)
const events = Math.ceil(quotes / QUOTES_PER_BOOK)
const SEED = 29
const CONFLATE_MS = 1_000

/** CPU time of this process so far, ms. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Lets the event loop turn until `isDone`. What each turn of it cost: CPU time, and by the clock. */
const pausesUntil = async (isDone: () => boolean) => {
  const cpu: number[] = []
  const wall: number[] = []
  // A small board is done within the turn of the request: one turn is measured at least.
  do {
    const cpuBefore = cpuMs()
    const before = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    cpu.push(cpuMs() - cpuBefore)
    wall.push(performance.now() - before)
  } while (!isDone())
  cpu.sort((a, b) => a - b)
  wall.sort((a, b) => a - b)
  const at = (sorted: readonly number[], share: number): number =>
    rounded(sorted[Math.floor(sorted.length * share)] ?? 0)
  return {
    turns: cpu.length,
    totalMs: rounded(cpu.reduce((sum, ms) => sum + ms, 0)),
    pauseMs: { p50: at(cpu, 0.5), p99: at(cpu, 0.99), max: rounded(cpu.at(-1) ?? 0) },
    pauseByClockMs: { p50: at(wall, 0.5), p99: at(wall, 0.99), max: rounded(wall.at(-1) ?? 0) },
  }
}

const rssMb = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20)

const world = await InProcess.open(quotes + QUOTES_PER_BOOK, 1)
const { engine, broker } = world

/** New prices of everything, turn by turn. */
const sendAll = async (seed: number): Promise<void> => {
  const random = new SeededRandom(seed)
  for (let event = 0; event < events; event++) {
    const refusal = engine.observe(observationOf(event, 0, world.nowAt, 'live', random), world.nowAt)
    if (refusal !== undefined) throw new Error(refusal.message)
    if (event % 64 < 63) continue
    engine.turn(world.nowAt)
    // Whoever has fallen behind reads on.
    if (event % 1_024 === 1_023) await new Promise((resolve) => setImmediate(resolve))
  }
  engine.turn(world.nowAt)
}

const subscribe = (session: Session, headers: Readonly<Record<string, string>>): void =>
  world.receive(session, frameBytes('SUBSCRIBE', Object.entries({ destination: '/topic/odds.#', ...headers }), '1.2'))

await sendAll(SEED)

const heldPrices = async () => {
  const sink = new Sink()
  const session = world.connect('customer', sink)
  subscribe(session, { id: 'held', 'conflate-ms': String(CONFLATE_MS) })
  const rssBefore = rssMb()
  await sendAll(SEED + 1)
  const delivered = sink.bytes
  world.nowAt += 1
  await sendAll(SEED + 2)
  // Some had the same price twice by chance, and were not delivered before.
  const first = sink.bytes
  if (first > delivered * 1.05) throw new Error('prices were not held')
  const memoryMb = rounded(session.conflationBytes / 2 ** 20)
  const rssHeldMb = rssMb() - rssBefore
  world.nowAt += CONFLATE_MS
  // Its timer runs by the real clock.
  while (sink.bytes === first) await new Promise((resolve) => setTimeout(resolve, 1))
  const pauses = await pausesUntil(() => broker.passes.waiting === 0)
  const released = Math.round((sink.bytes - first) / (delivered / quotes))
  if (released < quotes * 0.8) throw new Error(`${released} prices were released`)
  session.closed()
  return { heldPrices: quotes, memoryMb, rssHeldMb, ...pauses }
}

const floods = async () => {
  const session = world.connect('customer', new Sink())
  const pair = (n: number): Buffer[] => [
    frameBytes(
      'SUBSCRIBE',
      [
        ['id', `s${n}`],
        ['destination', '/topic/odds.*.book_0.*'],
        ['types', 'btts'],
      ],
      '1.2',
    ),
    frameBytes('UNSUBSCRIBE', [['id', `s${n}`]], '1.2'),
  ]
  const bytes = Buffer.concat(Array.from({ length: 10_000 }, (_, n) => pair(n)).flat())
  session.receive(bytes)
  const pauses = await pausesUntil(() => !session.hasInput)
  session.closed()
  return { frames: 20_000, bytes: bytes.length, ...pauses }
}

const snapshot = async (headers: Readonly<Record<string, string>>) => {
  const sink = new Sink()
  const session = world.connect('customer', sink)
  subscribe(session, { id: 'snapshot', snapshot: 'true', ...headers })
  const pauses = await pausesUntil(() => broker.passes.waiting === 0)
  session.closed()
  return { quotes, bytes: sink.bytes, ...pauses }
}

print({
  bench: 'budgets',
  target: 'R16: no pause over 5 ms for whatever one client asks for',
  seed: SEED,
  ...machine(),
  shareMsMax: LIMITS.shareMsMax,
  passMsMax: LIMITS.passMsMax,
  heldPrices: await heldPrices(),
  subscribeFlood: await floods(),
  snapshot: await snapshot({}),
  snapshotOfFewTypes: await snapshot({ types: 'correct_score' }),
  snapshotMsgpack: await snapshot({ 'content-type': 'application/msgpack' }),
})
await world.close()
