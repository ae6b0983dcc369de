// P10 (bench/README.md): pauses of the event loop of the real service, while a checkpoint of a large board is made (and
// segments are begun and deleted), while many quotes arrive at once, while many fall due within a minute, while those of
// sources that have gone are suspended, while an event of 250 KB changes with every turn, and while 10 000 subscribers reconnect at once.
//
// Where all connect over WebSocket, so they do to bare uWebSockets.js (ceiling-fanout.ts), in turn: `bare` is what it takes alone.
//
//   node dist/bench/pauses.js [--quotes 5000000] [--per-event 500,45] [--due 1000000] [--due-seconds 60]
//                             [--arriving 1000000] [--gone 500000] [--subscribers 10000]
//                             [--only checkpoint,arrive,due,gone,large,reconnect]
//                             [--storms snapshot-tcp,snapshot-ws,resume-tcp] [--repeats 2] [--break-ms 500]

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LIMITS } from '../src/limits.ts'
import { filledBoard } from './filled-board.ts'
import { prepareKeys, readEventIds } from './live-service.ts'
import { buildLoad, endServer, Load, newOrigin, portOf } from './load.ts'
import type { Pauses } from './pause-meter.ts'
import { leaveOut } from './peer.ts'
import { ENVIRONMENT, onCore, type Server, SERVER_CORE, wrk } from './process.ts'
import { machine, median, print, rounded } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    quotes: { type: 'string', default: '5000000' },
    'per-event': { type: 'string', default: '500,45' },
    due: { type: 'string', default: '1000000' },
    'due-seconds': { type: 'string', default: '60' },
    arriving: { type: 'string', default: '1000000' },
    gone: { type: 'string', default: '500000' },
    subscribers: { type: 'string', default: '10000' },
    storms: { type: 'string', default: 'snapshot-tcp,snapshot-ws,resume-tcp' },
    repeats: { type: 'string', default: '2' },
    'break-ms': { type: 'string', default: '500' },
    only: { type: 'string', default: 'checkpoint,arrive,due,gone,large,reconnect' },
    folder: { type: 'string', default: tmpdir() },
  },
})
const quotes = Number(flags.quotes)
const wanted = flags.only.split(',')

const here = dirname(fileURLToPath(import.meta.url))
const MAIN = join(here, '..', 'src', 'main.js')
const BARE = join(here, 'ceiling-fanout.js')
const METER = join(here, 'pause-meter.js')

/** Room for the quotes of the publisher. */
const ROOM = 20_000
const FED_EVENTS = 1_024
const QUOTES_PER_SEND = 10
const ARRIVING_PER_SEND = 100
const SENDS_PER_SECOND = 5_000
const IDLE_MS = 1_000
/** What a start does behind its ready line takes some 50 ms. A feed that has lost its connection is back later than that. */
const BEHIND_READY_MS = 250
const AHEAD_PER_SECOND = 4 * SENDS_PER_SECOND
const AHEAD_MS = 1_200
const CHECKPOINT_SECONDS_MAX = 180

/** The event of 250 KB: so many books of {@link ARRIVING_PER_SEND} quotes. One of them changes, more often than turns end. */
const LARGE_BOOKS = 25
const LARGE_SENDS_PER_SECOND = 500
const LARGE_SUBSCRIBERS = 20
const LARGE_READERS = 16
/** Of a piece. */
const LARGE_SECONDS = 1

/** Two subscribers an event, and changes meanwhile. */
const RECONNECT_SENDS_PER_SECOND = 2_000
const RECONNECT_SECONDS_MAX = 30
/** To close thousands of connections is work of its own. */
const STORM_REST_MS = 500

interface Metered {
  readonly server: Server
  /** Pauses since it was called before. */
  pauses(): Promise<Pauses>
}

const start = (dataDir: string, quotesMax: number, ...more: readonly string[]): Promise<Metered> => {
  const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0', '--log-level', 'warn']
  const serve = [
    'serve',
    '--data-dir',
    dataDir,
    '--quotes-max',
    String(quotesMax),
    '--bookmaker-share',
    '1',
    ...ports,
    ...more,
  ]
  return startMetered(MAIN, serve)
}

const startMetered = async (script: string, words: readonly string[]): Promise<Metered> => {
  // Threads besides the first (the checkpoint's) may use the other core, as on a machine of customers.
  const child = spawn(process.execPath, ['--import', METER, script, ...words], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  for await (const line of createInterface({ input: child.stdout! })) {
    child.stdout!.resume()
    const server = { process: child, ready: JSON.parse(line) }
    const pauses = (): Promise<Pauses> =>
      new Promise((resolve) => {
        child.once('message', (answer) => resolve(answer as Pauses))
        child.send('report')
      })
    await pauses()
    return { server, pauses }
  }
  throw new Error(`${script} ended before it was ready`)
}

/** How often a phase is asked for its pauses: what one part has that the others have not is chance. */
const PIECES = 3

const LISTED = 6

/** Of pieces of a phase: the most of all, the median of the other quantiles, and each of both. */
const pooledPauses = (pieces: readonly Pauses[]) => {
  const sum = (of: (piece: Pauses) => number): number => pieces.reduce((total, piece) => total + of(piece), 0)
  const quantiles = (of: (piece: Pauses) => Pauses['cpuMs']) => {
    const each = (name: keyof Pauses['cpuMs']): number[] => pieces.map((piece) => of(piece)[name])
    const [max, p999] = [each('max'), each('p999')]
    const middle = (['p50', 'p90', 'p99', 'p999'] as const).map((name) => [name, rounded(median(each(name)))])
    return { ...Object.fromEntries(middle), p999Rounds: p999, max: Math.max(...max), maxRounds: max }
  }
  return {
    ticks: sum(({ ticks }) => ticks),
    cpuMs: quantiles(({ cpuMs }) => cpuMs),
    wallMs: quantiles(({ wallMs }) => wallMs),
    over5: sum(({ over5 }) => over5),
    longest: pieces
      .flatMap(({ longest }) => longest)
      .toSorted((a, b) => b[0] - a[0])
      .slice(0, LISTED),
  }
}

const fill = (dataDir: string, words: Readonly<Record<string, number>>): void => {
  const args = Object.entries(words).flatMap(([name, value]) => [`--${name}`, String(value)])
  const [file, all] = onCore(SERVER_CORE, process.execPath, join(here, 'fill-board.js'), dataDir, ...args)
  execFileSync(file, all, { stdio: ['ignore', 'ignore', 'inherit'] })
}

const checkpointsIn = (dataDir: string): string =>
  readdirSync(join(dataDir, 'log'))
    .filter((name) => name.endsWith('.ckpt'))
    .join()

/** A data folder with keys, below a new folder. */
const newData = (folder: string, name: string, books = 1) => {
  const parent = join(folder, name)
  mkdirSync(parent)
  const slugs = Array.from({ length: books }, (_, number) => `book_${number}`)
  return { keys: prepareKeys(parent, slugs), dataDir: join(parent, 'oddswire') }
}

/** Sends each of so many events once. */
const sendOnce = async (program: string, flags: Parameters<typeof Load.start>[2], events: number): Promise<void> => {
  const feed = await Load.start(program, 'pub', { ...flags, events, receipts: 256, rate: 5_000 })
  for (let receipts = 0; receipts < events; ) {
    await sleep(20)
    receipts += (await feed.count()).receipts
  }
  await feed.stop()
}

const measureCheckpoint = async (folder: string, program: string, perEvent: number) => {
  const { keys, dataDir } = newData(folder, `checkpoint-${perEvent}`)
  const quotesMax = quotes + ROOM
  const filled = filledBoard(folder, quotes, perEvent)
  cpSync(join(filled.dataDir, 'log'), join(dataDir, 'log'), { recursive: true })
  // A turn of now: what was filled a minute ago is of sources that have gone, and would be suspended meanwhile, two hundred
  // thousand quotes a second.
  fill(dataDir, { quotes, 'per-event': perEvent, 'quotes-max': quotesMax, tail: 1 })
  const { server, pauses } = await start(dataDir, quotesMax)
  try {
    await sleep(IDLE_MS)
    const idle = await pauses()
    const newest = checkpointsIn(dataDir)
    const of = {
      ...{ port: portOf(server, 'stomp'), key: keys.feedKey, dest: '/feed/book_0', origin: newOrigin() },
      ...{ events: FED_EVENTS, quotes: QUOTES_PER_SEND },
    }
    // A checkpoint is due by the octets of the log: half of them are written ahead. Events are new then, and known afterwards.
    const ahead = await Load.start(program, 'pub', { ...of, receipts: 256, rate: AHEAD_PER_SECOND })
    await sleep(AHEAD_MS)
    await ahead.stop()
    await pauses()
    const feed = await Load.start(program, 'pub', { ...of, rate: SENDS_PER_SECOND })
    await sleep(1_000)
    const fed = await pauses()
    const startedMs = performance.now()
    while (checkpointsIn(dataDir) === newest) {
      if (performance.now() - startedMs > CHECKPOINT_SECONDS_MAX * 1_000) throw new Error('no checkpoint was made')
      await sleep(100)
    }
    // What it deletes comes after it.
    await sleep(1_000)
    const checkpoint = await pauses()
    const { sent } = await feed.stop()
    return {
      id: 'P10',
      during: 'checkpoint',
      perEvent,
      quotes,
      changesPerSecond: SENDS_PER_SECOND * QUOTES_PER_SEND,
      seconds: Math.round((performance.now() - startedMs) / 1_000),
      sent,
      idle,
      fed,
      checkpoint,
    }
  } finally {
    await endServer(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const measureArrivals = async (folder: string, program: string) => {
  const { keys, dataDir } = newData(folder, 'arrive')
  const arriving = Number(flags.arriving)
  const { server, pauses } = await start(dataDir, arriving + ROOM)
  try {
    const events = arriving / ARRIVING_PER_SEND
    await sleep(BEHIND_READY_MS)
    // The first ticks of the feed count, too.
    await pauses()
    const startedMs = performance.now()
    const feed = await Load.start(program, 'pub', {
      ...{ port: portOf(server, 'stomp'), key: keys.feedKey, dest: '/feed/book_0', origin: newOrigin() },
      ...{ events, quotes: ARRIVING_PER_SEND, receipts: 256 },
    })
    const pieces: Pauses[] = []
    for (let sent = 0; sent < events; ) {
      await sleep(50)
      sent += (await feed.count()).receipts
      if (sent >= ((pieces.length + 1) * events) / PIECES) pieces.push(await pauses())
    }
    const arrivals = pooledPauses(pieces)
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10
    feed.kill()
    return { id: 'P10', during: 'arrivals', quotes: arriving, seconds, arrivals }
  } finally {
    await endServer(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const measureDue = async (folder: string) => {
  const { dataDir } = newData(folder, 'due')
  const due = Number(flags.due)
  const withinSeconds = Number(flags['due-seconds'])
  // Filled and read within this time, before the first of them is due.
  const leadSeconds = 3 + Math.ceil(due / 15_000)
  const filledMs = performance.now()
  fill(dataDir, {
    quotes: due,
    'per-event': 45,
    'quotes-max': due + ROOM,
    'due-after': leadSeconds,
    'due-within': withinSeconds,
  })
  const { server, pauses } = await start(dataDir, due + ROOM)
  try {
    const leadMs = leadSeconds * 1_000 - (performance.now() - filledMs)
    if (leadMs < 0) throw new Error('filling took too long')
    await sleep(leadMs)
    const before = await pauses()
    const pieces: Pauses[] = []
    for (let piece = 0; piece < PIECES; piece++) {
      await sleep((withinSeconds / PIECES + (piece === PIECES - 1 ? 1 : 0)) * 1_000)
      pieces.push(await pauses())
    }
    return { id: 'P10', during: 'due', quotes: due, withinSeconds, before, due: pooledPauses(pieces) }
  } finally {
    await endServer(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Before a walk: a start, and what it does behind its ready line, take less. */
const GONE_LEAD_SECONDS = 3

/** How many quotes the service has suspended. */
const suspendedIn = async (server: Server): Promise<number> => {
  const metrics = await (await fetch(`http://127.0.0.1:${portOf(server, 'admin')}/metrics`)).text()
  return Number(/oddswire_changes_total\{change="suspended"\} (\d+)/.exec(metrics)![1])
}

/** All quotes are of sources that no configuration names, whose minute is over some seconds after the service has started. */
const measureGone = async (folder: string, program: string) => {
  const { keys, dataDir } = newData(folder, 'gone')
  const gone = Number(flags.gone)
  const endedAgo = LIMITS.formerMsMax / 1_000 - GONE_LEAD_SECONDS
  fill(dataDir, { quotes: gone, 'per-event': 500, 'quotes-max': gone + ROOM, 'ended-ago': endedAgo })
  const { server, pauses } = await start(dataDir, gone + ROOM)
  let feed: Load | undefined
  try {
    feed = await Load.start(program, 'pub', {
      ...{ port: portOf(server, 'stomp'), key: keys.feedKey, dest: '/feed/book_0', origin: newOrigin() },
      ...{ events: FED_EVENTS, quotes: QUOTES_PER_SEND, rate: SENDS_PER_SECOND },
    })
    await sleep(BEHIND_READY_MS)
    await pauses()
    const pieces: Pauses[] = []
    const seconds = GONE_LEAD_SECONDS + (gone / LIMITS.walkVisitsMax) * (LIMITS.walkEveryMs / 1_000)
    for (let piece = 0; piece < PIECES; piece++) {
      await sleep((seconds / PIECES) * 1_000)
      pieces.push(await pauses())
    }
    const suspended = await suspendedIn(server)
    if (suspended < gone / 2) throw new Error(`only ${suspended} quotes of ${gone} were suspended`)
    return { id: 'P10', during: 'gone', quotes: gone, suspended, seconds, gone: pooledPauses(pieces) }
  } finally {
    feed?.kill()
    await endServer(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const measureLarge = async (folder: string, program: string) => {
  const { keys, dataDir } = newData(folder, 'large', LARGE_BOOKS)
  const { server, pauses } = await start(dataDir, ROOM)
  const [port, http] = [portOf(server, 'stomp'), portOf(server, 'http')]
  const of = { port, key: keys.feedKey, quotes: ARRIVING_PER_SEND, origin: newOrigin() }
  const loads: Load[] = []
  try {
    for (let book = 0; book < LARGE_BOOKS; book++) await sendOnce(program, { ...of, dest: `/feed/book_${book}` }, 1)
    const [id] = await readEventIds(http, keys.customerKey, 1)
    const topic = { port, key: keys.customerKey, dest: `/topic/odds.football.*.${id}`, n: LARGE_SUBSCRIBERS }
    loads.push(await Load.start(program, 'sink-tcp', topic))
    const rate = LARGE_SENDS_PER_SECOND
    loads.push(await Load.start(program, 'pub', { ...of, dest: '/feed/book_0', events: 1, rate }))
    const url = `http://127.0.0.1:${http}/api/v1/events/${id}/odds?transport=live`
    const headers = [`Authorization: Bearer ${keys.customerKey}`]
    const octets = (await (await fetch(url, { headers: { authorization: `Bearer ${keys.customerKey}` } })).text())
      .length
    const read = (seconds: number) => wrk(url, { connections: LARGE_READERS, seconds, headers })
    // What is compiled, and what grows once.
    read(1)
    await pauses()
    const pieces: (Pauses & { readonly perSecond: number; readonly failed: number })[] = []
    for (let piece = 0; piece < PIECES; piece++) {
      const { perSecond, failed } = read(LARGE_SECONDS)
      pieces.push({ ...(await pauses()), perSecond, failed })
    }
    const large = pooledPauses(pieces)
    const perSecond = rounded(median(pieces.map((piece) => piece.perSecond)))
    const failed = Math.max(...pieces.map((piece) => piece.failed))
    const [sink, feed] = await Promise.all(loads.map((load) => load.count()))
    const counts = { frames: sink!.frames, lost: sink!.closed + sink!.errors, sent: feed!.sent }
    return { id: 'P10', during: 'large', octets, readsPerSecond: perSecond, failed, ...counts, large }
  } finally {
    for (const load of loads) load.kill()
    await endServer(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** What one of the times showed in which all connect at once. */
interface Storm extends Readonly<Record<'receipts' | 'frames' | 'lost' | 'seconds', number>> {
  readonly reconnect: Pauses
}

const MESSAGE_BYTES = 400

/** Has so many connect at once, and ends them. */
const storm = async (
  { pauses }: Metered,
  program: string,
  what: string,
  flags: Parameters<typeof Load.start>[2] & { readonly n: number },
): Promise<Storm> => {
  await pauses()
  const startedMs = performance.now()
  const sink = await Load.start(program, what, { ...flags, 'at-once': true })
  try {
    let [receipts, frames, lost] = [0, 0, 0]
    while (receipts < flags.n && performance.now() - startedMs < RECONNECT_SECONDS_MAX * 1_000) {
      await sleep(50)
      const counted = await sink.count()
      receipts += counted.receipts
      frames += counted.frames
      lost = counted.closed
    }
    const seconds = Math.round((performance.now() - startedMs) / 100) / 10
    return { receipts, frames, lost, seconds, reconnect: await pauses() }
  } finally {
    sink.kill()
    await sleep(STORM_REST_MS)
  }
}

const measureReconnect = async (folder: string, program: string) => {
  const { keys, dataDir } = newData(folder, 'reconnect')
  const subscribers = Number(flags.subscribers)
  const events = Math.ceil(subscribers / 2)
  // All from one address, which stands for many.
  const atOnce = ['--unconnected-max', String(subscribers), '--address-unconnected-max', String(subscribers)]
  const ours = await start(dataDir, events * QUOTES_PER_SEND + ROOM, ...atOnce)
  const { server } = ours
  const bare = await startMetered(BARE, [String(MESSAGE_BYTES), '--idle'])
  const [port, http] = [portOf(server, 'stomp'), portOf(server, 'http')]
  const of = { port, key: keys.feedKey, dest: '/feed/book_0', quotes: QUOTES_PER_SEND, origin: newOrigin() }
  let feed: Load | undefined
  try {
    await sendOnce(program, of, events)
    const ids = join(folder, 'reconnect-ids')
    writeFileSync(ids, (await readEventIds(http, keys.customerKey, events)).join('\n'))
    const readSeq = async (): Promise<string> => {
      const init = { headers: { authorization: `Bearer ${keys.customerKey}` } }
      const { headers } = await fetch(`http://127.0.0.1:${http}/api/v1/events?limit=1`, init)
      return headers.get('x-odds-seq')!.trim()
    }
    feed = await Load.start(program, 'pub', { ...of, events, rate: RECONNECT_SENDS_PER_SECOND })
    await sleep(1_000)
    const kinds = flags.storms.split(',').map((kind) => {
      const [from, carrier] = kind.split('-') as [string, string]
      return { from, what: `sink-${carrier}`, storms: [] as Storm[], bareStorms: [] as Storm[] }
    })
    for (const { from, what, storms, bareStorms } of Array.from(
      { length: Number(flags.repeats) },
      () => kinds,
    ).flat()) {
      const more = from === 'snapshot' ? 'snapshot:true,' : `from-seq:${await readSeq()},`
      await sleep(Number(flags['break-ms']))
      const dest = '/topic/odds.football.book_0.%'
      const at = { port: what === 'sink-tcp' ? port : http, key: keys.customerKey, dest, ids, more, n: subscribers }
      storms.push(await storm(ours, program, what, at))
      if (what === 'sink-ws')
        bareStorms.push(await storm(bare, program, what, { ...at, port: portOf(bare.server, 'http') }))
    }
    const pooled = (storms: readonly Storm[]) => pooledPauses(storms.map(({ reconnect }) => reconnect))
    return kinds.map(({ from, what, storms, bareStorms }) => ({
      ...{ id: 'P10', during: 'reconnect', from, what, subscribers },
      ...storms[0]!,
      reconnect: pooled(storms),
      ...(bareStorms.length === 0 ? {} : { bare: pooled(bareStorms) }),
    }))
  } finally {
    feed?.kill()
    await endServer(server)
    await endServer(bare.server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const folder = mkdtempSync(join(flags.folder, 'oddswire-bench-'))
try {
  const program = buildLoad(folder)
  const results: object[] = []
  if (program === undefined) leaveOut('all of P10 but what falls due', 'there is no C compiler (gcc)')
  else {
    if (wanted.includes('large')) results.push(await measureLarge(folder, program))
    if (wanted.includes('reconnect')) results.push(...(await measureReconnect(folder, program)))
    if (wanted.includes('arrive')) results.push(await measureArrivals(folder, program))
    if (wanted.includes('gone')) results.push(await measureGone(folder, program))
    if (wanted.includes('checkpoint')) {
      for (const perEvent of flags['per-event'].split(',').map(Number)) {
        results.push(await measureCheckpoint(folder, program, perEvent))
      }
    }
  }
  if (wanted.includes('due')) results.push(await measureDue(folder))
  print({ bench: 'pauses', target: 'P10: no pause of the event loop over 5 ms', ...machine(), results })
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
