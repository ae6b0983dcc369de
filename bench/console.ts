// The live board in a browser: 500 changes a second on the page that is watched, frames a second, and memory.
//
//   node dist/bench/console.js [--rate 500] [--seconds 30]
//
// The real program, fed by SEND; Debian's Chromium, headless, without a graphics card: it draws with the processor, so a
// desk's own machine has more room than this.

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type CDPSession, chromium } from 'playwright-core'
import { prepareKeys } from './live-service.ts'
import { endServer, portOf } from './load.ts'
import { leaveOut } from './peer.ts'
import { startServer } from './process.ts'
import { machine, print, rounded } from './report.ts'

const { values: flags } = parseArgs({
  options: { rate: { type: 'string', default: '500' }, seconds: { type: 'string', default: '30' } },
})
const rate = Number(flags.rate)
const seconds = Number(flags.seconds)

const PROGRAM = '/usr/bin/chromium'
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url))
const BOOKMAKERS = Array.from({ length: 24 }, (_, number) => `book${String(number).padStart(2, '0')}`)
/** Lines of total goals, two outcomes each. */
const LINES = 20
const QUOTES_A_SEND = 10
/** The first seconds fill caches, and compile. */
const WARM_UP_MS = 5_000

const event = {
  sport: 'football',
  league: { key: 'bench_league', name: 'Bench League' },
  home: 'Harbour Town',
  away: 'Millbrook United',
  kickoffAt: '2031-01-01T20:00:00Z',
}

const quoteOf = (place: number, odds: number) => ({
  type: 'total_goals',
  line: 0.5 + (place >> 1),
  outcome: place % 2 === 0 ? 'over' : 'under',
  odds,
})

interface Frames {
  readonly count: number
  readonly longestMs: number
  readonly late: number
}

// In the page: gaps between frames. Late: one frame was missed.
const METER = `(() => {
  const frames = { count: 0, longestMs: 0, late: 0 }
  let before = performance.now()
  const step = (at) => {
    const gap = at - before
    before = at
    frames.count++
    if (gap > frames.longestMs) frames.longestMs = gap
    if (gap > 25) frames.late++
    requestAnimationFrame(step)
  }
  requestAnimationFrame((at) => { before = at; requestAnimationFrame(step) })
  window.takeFrames = () => { const taken = { ...frames }; frames.count = frames.longestMs = frames.late = 0; return taken }
})()`

/** CPU seconds of the page's main thread, and parts of them. */
const busyOf = async (devtools: CDPSession) => {
  const { metrics } = await devtools.send('Performance.getMetrics')
  const of = (name: string): number => metrics.find((metric) => metric.name === name)!.value
  return {
    task: of('TaskDuration'),
    script: of('ScriptDuration'),
    layout: of('LayoutDuration'),
    style: of('RecalcStyleDuration'),
  }
}

const heapOf = async (devtools: CDPSession): Promise<number> => {
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value
}

const run = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))
  const { customerKey, feedKey } = prepareKeys(folder, BOOKMAKERS)
  const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0', '--log-level', 'warn']
  const server = await startServer(MAIN, ['serve', '--data-dir', join(folder, 'oddswire'), ...ports])
  const socket = connect(portOf(server, 'stomp'), '127.0.0.1')
  socket.on('data', () => {})
  socket.write(`CONNECT\naccept-version:1.2\nheart-beat:0,0\npasscode:${feedKey}\n\n\0`)
  let sends = 0
  const send = (bookmaker: string, quotes: readonly object[]): void => {
    const body = { transport: 'live', observedAt: new Date().toISOString(), event, quotes }
    socket.write(`SEND\ndestination:/feed/${bookmaker}\n\n${JSON.stringify(body)}\0`)
    sends++
  }
  for (const bookmaker of BOOKMAKERS) {
    send(
      bookmaker,
      Array.from({ length: 2 * LINES }, (_, place) => quoteOf(place, 2)),
    )
  }
  let feeding: NodeJS.Timeout | undefined
  const browser = await chromium.launch({
    executablePath: PROGRAM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable')
    await page.goto(`http://127.0.0.1:${portOf(server, 'http')}/board#key=${customerKey}`)
    await page.waitForSelector('td.cell .odds:not(:empty)')
    await page.evaluate(METER)
    await sleep(1_000)
    const idle = (await page.evaluate('takeFrames()')) as Frames
    // Sends at fixed times, whatever the last one took.
    const everyMs = (1_000 * QUOTES_A_SEND) / rate
    const startedAt = performance.now()
    const before = sends
    feeding = setInterval(() => {
      while ((sends - before) * everyMs < performance.now() - startedAt) {
        const number = sends - before
        const from = (number * QUOTES_A_SEND) % (2 * LINES)
        send(
          BOOKMAKERS[number % BOOKMAKERS.length]!,
          Array.from({ length: QUOTES_A_SEND }, (_, place) =>
            quoteOf(from + place, 1.5 + ((number * 7 + place) % 97) / 100),
          ),
        )
      }
    }, 2)
    await sleep(WARM_UP_MS)
    const heapBefore = await heapOf(devtools)
    await page.evaluate('takeFrames()')
    const busyBefore = await busyOf(devtools)
    const measuredAt = performance.now()
    const firstSend = sends
    await sleep(seconds * 1_000)
    const frames = (await page.evaluate('takeFrames()')) as Frames
    const measuredMs = performance.now() - measuredAt
    const sent = (sends - firstSend) * QUOTES_A_SEND
    const busy = await busyOf(devtools)
    const share = (part: keyof typeof busy): number => rounded(((busy[part] - busyBefore[part]) * 1_000) / measuredMs)
    const heapAfter = await heapOf(devtools)
    const shown = await page.locator('.strip dl').innerText()
    print({
      bench: 'console',
      ...machine(),
      browser: browser.version(),
      cells: BOOKMAKERS.length * 2 * LINES,
      changesPerSecond: rounded((sent * 1_000) / measuredMs),
      framesPerSecond: rounded((frames.count * 1_000) / measuredMs),
      framesPerSecondIdle: rounded(idle.count),
      framesLate: frames.late,
      longestFrameMs: rounded(frames.longestMs),
      mainThreadBusy: share('task'),
      scriptBusy: share('script'),
      layoutBusy: share('layout'),
      styleBusy: share('style'),
      heapMbBefore: rounded(heapBefore / 2 ** 20),
      heapMbAfter: rounded(heapAfter / 2 ** 20),
      seconds,
      strip: shown.replaceAll(/\s+/g, ' '),
    })
  } finally {
    clearInterval(feeding)
    socket.destroy()
    await browser.close()
    await endServer(server)
    rmSync(folder, { recursive: true, force: true })
  }
}

if (existsSync(PROGRAM)) await run()
else leaveOut('bench/console', `Debian's Chromium is not here (${PROGRAM})`)
