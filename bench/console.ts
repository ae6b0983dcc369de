// The live board in a browser: 500 changes a second on the event that is watched, frames a second, lag, and memory.
//
//   node dist/bench/console.js [--rate 500] [--seconds 20] [--only desk,wide,many] [--trace FILE]
//
// The real program, fed by SEND; Debian's Chromium, headless, without a graphics card: it draws with the processor, so a
// desk's own machine has more room than this. --trace writes where the page's CPU time went, for the browser's devtools.

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { prepareKeys } from './live-service.ts'
import { endServer, portOf } from './load.ts'
import { PageMeter } from './page-meter.ts'
import { leaveOut } from './peer.ts'
import { startServer } from './process.ts'
import { machine, print, rounded } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string', default: 'desk,wide,many' },
    trace: { type: 'string' },
  },
})
const rate = Number(flags.rate)
const seconds = Number(flags.seconds)

const PROGRAM = '/usr/bin/chromium'
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url))
const TRACED = ['devtools.timeline', 'disabled-by-default-v8.cpu_profiler']
const QUOTES_A_SEND = 10
/** The first seconds fill caches, and compile. */
const WARM_UP_MS = 3_000
const DRAIN_EVERY_MS = 2_000
/** Prices tell which SEND they came with, to the thousandth: more than can be on their way. */
const CODES = 1_000

interface Case {
  readonly name: string
  readonly bookmakers: number
  readonly rows: number
  /** In the list beside it. */
  readonly otherEvents: number
}

const CASES: readonly Case[] = [
  { name: 'desk', bookmakers: 40, rows: 45, otherEvents: 0 },
  // 250 KB as REST sends it.
  { name: 'wide', bookmakers: 20, rows: 100, otherEvents: 0 },
  { name: 'many', bookmakers: 40, rows: 45, otherEvents: 5_000 },
]

const BOOKMAKERS = Array.from({ length: 40 }, (_, number) => `book${String(number).padStart(2, '0')}`)

const eventOf = (home: string, league: number) => ({
  sport: 'football',
  league: { key: `bench_league_${league}`, name: `Bench League ${league}` },
  home,
  away: 'Millbrook United',
  kickoffAt: '2031-01-01T20:00:00Z',
})

// Lines with two outcomes each, and a market of three.
const quoteOf = (place: number, odds: number) =>
  place < 3
    ? { type: 'match_result_1x2', line: null, outcome: ['home', 'draw', 'away'][place], odds }
    : { type: 'total_goals', line: 0.5 + ((place - 3) >> 1), outcome: place % 2 === 1 ? 'over' : 'under', odds }

/** A session with the feed's key; counts what it sends. */
const openFeed = (port: number, key: string) => {
  const socket = connect(port, '127.0.0.1')
  let receipt = ''
  let confirmed = (): void => {}
  socket.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes(`receipt-id:${receipt}\n`)) confirmed()
  })
  socket.write(`CONNECT\naccept-version:1.2\nheart-beat:0,0\npasscode:${key}\n\n\0`)
  const write = (bookmaker: string, event: object, quotes: readonly object[], header = ''): void => {
    const body = { transport: 'live', observedAt: new Date().toISOString(), event, quotes }
    socket.write(`SEND\ndestination:/feed/${bookmaker}\n${header}\n${JSON.stringify(body)}\0`)
  }
  return {
    write,
    /** The same; resolves when it is on the board. */
    confirm: (bookmaker: string, event: object, quotes: readonly object[]) =>
      new Promise<void>((resolve) => {
        receipt = `r${Math.random()}`
        confirmed = resolve
        write(bookmaker, event, quotes, `receipt:${receipt}\n`)
      }),
    end: () => socket.destroy(),
  }
}

const measure = async (browser: Browser, { name, bookmakers, rows, otherEvents }: Case): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))
  const { customerKey, feedKey } = prepareKeys(folder, BOOKMAKERS)
  const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0', '--log-level', 'warn']
  const server = await startServer(MAIN, ['serve', '--data-dir', join(folder, 'oddswire'), ...ports])
  const feed = openFeed(portOf(server, 'stomp'), feedKey)
  const books = BOOKMAKERS.slice(0, bookmakers)
  const event = eventOf('Harbour Town', 0)
  const all = Array.from({ length: rows }, (_, place) => quoteOf(place, 2))
  for (let number = 0; number < otherEvents; number++) {
    feed.write(BOOKMAKERS[0]!, eventOf(`Team ${number}`, 1 + (number % 200)), [quoteOf(0, 2)])
  }
  for (const bookmaker of books) await feed.confirm(bookmaker, event, all)
  let feeding: NodeJS.Timeout | undefined
  const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
  try {
    const openedAt = performance.now()
    const address = `http://127.0.0.1:${portOf(server, 'http')}/board#key=${customerKey}`
    await page.goto(address)
    await page.locator('input[type=search]').fill('harbour')
    await page.locator('.events button').first().click()
    // Lines that are drawn or not: outcomes, and the heads of markets and of the table.
    const lines = rows + 1 + Math.ceil((rows - 3) / 2) + 1
    await page.waitForSelector(`.grid[aria-rowcount="${lines}"][aria-colcount="${bookmakers + 2}"] .odds:not(:empty)`)
    const openedMs = performance.now() - openedAt
    await page.locator('input[type=search]').fill('')
    const drawn = await page.locator('td.cell').count()
    const sentAt = new Map<string, number>()
    const meter = await PageMeter.open(browser, page, (text) => sentAt.get(Number(text).toFixed(3)))
    await meter.begin()
    await sleep(1_000)
    const { framesPerSecond: framesPerSecondIdle } = await meter.end(1)
    // Sends at fixed times, whatever the last one took.
    const everyMs = (1_000 * QUOTES_A_SEND) / rate
    const startedAt = performance.now()
    let sends = 0
    feeding = setInterval(() => {
      while (sends * everyMs < performance.now() - startedAt) {
        const number = sends++
        const odds = 1.5 + (number % CODES) / 1_000
        sentAt.set(odds.toFixed(3), performance.timeOrigin + startedAt + number * everyMs)
        // By a prime, so that each bookmaker changes every row in time.
        const from = (number * 7) % rows
        const quotes = Array.from({ length: QUOTES_A_SEND }, (_, place) => quoteOf((from + place) % rows, odds))
        feed.write(books[number % books.length]!, event, quotes)
      }
    }, 2)
    await sleep(WARM_UP_MS)
    const memory = [await meter.memory()]
    if (flags.trace !== undefined) await browser.startTracing(page, { path: flags.trace, categories: TRACED })
    await meter.begin()
    const firstSend = sends
    const until = performance.now() + seconds * 1_000
    while (performance.now() < until) {
      await sleep(Math.min(DRAIN_EVERY_MS, until - performance.now()))
      await meter.drain()
      if (memory.length === 1 && performance.now() > until - seconds * 500) memory.push(await meter.memory())
    }
    const figures = await meter.end((sends - firstSend) * QUOTES_A_SEND)
    if (flags.trace !== undefined) await browser.stopTracing()
    memory.push(await meter.memory())
    const strip = await page.locator('.strip dl').innerText()
    print({
      bench: 'console',
      case: name,
      ...machine(),
      browser: browser.version(),
      cells: bookmakers * rows,
      cellsDrawn: drawn,
      events: otherEvents + 1,
      seconds,
      openedMs: rounded(openedMs),
      framesPerSecondIdle,
      ...figures,
      // Begin, middle, end.
      heapMb: memory.map(({ heapMb }) => heapMb),
      nodes: memory.map(({ nodes }) => nodes),
      rssMb: memory.map(({ rssMb }) => rssMb),
      strip: strip.replaceAll(/\s+/g, ' '),
    })
  } finally {
    clearInterval(feeding)
    feed.end()
    await page.close()
    await endServer(server)
    rmSync(folder, { recursive: true, force: true })
  }
}

const run = async (): Promise<void> => {
  const only = new Set(flags.only.split(','))
  const browser = await chromium.launch({
    executablePath: PROGRAM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  try {
    for (const each of CASES) if (only.has(each.name)) await measure(browser, each)
  } finally {
    await browser.close()
  }
}

if (existsSync(PROGRAM)) await run()
else leaveOut('bench/console', `Debian's Chromium is not here (${PROGRAM})`)
