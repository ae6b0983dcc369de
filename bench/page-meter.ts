// What a page in Chromium costs and how smoothly it is drawn: gaps between frames, long tasks, CPU time, memory, and when a
// price that was sent stands on the screen.

import { readFileSync } from 'node:fs'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { rounded } from './report.ts'

/** A frame that takes longer than this was missed at 60 a second. */
const LATE_MS = 25

// In the page. A price is on the screen when the frame in which its text has changed is over: a message posted within the
// frame comes behind it. One cell a frame is looked at.
const METER = `(() => {
  const meter = { gaps: [], long: [], painted: [] }
  let before = 0
  const step = (at) => {
    if (before > 0) meter.gaps.push(at - before)
    before = at
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) meter.long.push(duration) })
    .observe({ entryTypes: ['longtask'] })
  const { port1, port2 } = new MessageChannel()
  let text = ''
  port1.onmessage = () => { if (text !== '') meter.painted.push([text, performance.timeOrigin + performance.now()]); text = '' }
  new MutationObserver((records) => {
    const { target } = records.findLast(({ target }) => target.parentElement?.className === 'odds') ?? {}
    if (target === undefined || text !== '') return
    text = target.nodeValue
    port2.postMessage(0)
  }).observe(document.body, { characterData: true, subtree: true })
  window.takeMeter = () => {
    const taken = { ...meter }
    Object.assign(meter, { gaps: [], long: [], painted: [] })
    return taken
  }
})()`

interface Taken {
  readonly gaps: number[]
  readonly long: number[]
  /** Text of a cell, and when it was on the screen, by the page's clock. */
  readonly painted: [text: string, at: number][]
}

interface Cpu {
  readonly task: number
  readonly script: number
  readonly layout: number
  readonly style: number
  /** CPU seconds of the processes, all their threads. */
  readonly page: number
  readonly gpu: number
}

const at = (sorted: readonly number[], share: number): number =>
  rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)

export class PageMeter {
  private readonly page: Page
  private readonly devtools: CDPSession
  private readonly processes: CDPSession
  /** What the page's clock shows minus ours, ms. */
  private readonly ahead: number
  private readonly sentAt: (text: string) => number | undefined
  private gaps: number[] = []
  private long: number[] = []
  private lags: number[] = []
  private before: Cpu
  private beganAt = performance.now()

  private constructor(
    page: Page,
    sessions: readonly [CDPSession, CDPSession],
    ahead: number,
    sentAt: PageMeter['sentAt'],
  ) {
    this.page = page
    ;[this.devtools, this.processes] = sessions
    this.ahead = ahead
    this.sentAt = sentAt
    this.before = { task: 0, script: 0, layout: 0, style: 0, page: 0, gpu: 0 }
  }

  /** @param sentAt when a price was sent that is shown as this text: epoch ms; undefined: not by this bench */
  static async open(browser: Browser, page: Page, sentAt: PageMeter['sentAt']): Promise<PageMeter> {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Performance.enable')
    await page.evaluate(METER)
    let shortest = Number.POSITIVE_INFINITY
    let ahead = 0
    for (let round = 0; round < 50; round++) {
      const asked = performance.timeOrigin + performance.now()
      const said = (await page.evaluate('performance.timeOrigin + performance.now()')) as number
      const answered = performance.timeOrigin + performance.now()
      if (answered - asked >= shortest) continue
      shortest = answered - asked
      ahead = said - (asked + answered) / 2
    }
    return new PageMeter(page, [devtools, await browser.newBrowserCDPSession()], ahead, sentAt)
  }

  /** Begins to measure. */
  async begin(): Promise<void> {
    await this.page.evaluate('takeMeter()')
    this.gaps = []
    this.long = []
    this.lags = []
    this.before = await this.cpu()
    this.beganAt = performance.now()
  }

  /** Empties what the page has noted, so that notes of minutes are no part of its heap. */
  async drain(): Promise<void> {
    const { gaps, long, painted } = (await this.page.evaluate('takeMeter()')) as Taken
    this.gaps.push(...gaps)
    this.long.push(...long)
    for (const [text, paintedAt] of painted) {
      const sent = this.sentAt(text)
      if (sent !== undefined) this.lags.push(paintedAt - this.ahead - sent)
    }
  }

  /** @param changes that were sent since it began */
  async end(changes: number) {
    await this.drain()
    const seconds = (performance.now() - this.beganAt) / 1_000
    const now = await this.cpu()
    const gaps = this.gaps.sort((a, b) => a - b)
    const lags = this.lags.sort((a, b) => a - b)
    const share = (part: keyof Cpu): number => rounded((now[part] - this.before[part]) / seconds)
    return {
      changesPerSecond: rounded(changes / seconds),
      framesPerSecond: rounded(gaps.length / seconds),
      frameMs: { p50: at(gaps, 0.5), p99: at(gaps, 0.99), max: at(gaps, 1) },
      framesLate: gaps.filter((gap) => gap > LATE_MS).length,
      longTasks: { count: this.long.length, maxMs: rounded(Math.max(0, ...this.long)) },
      lagMs: { p50: at(lags, 0.5), p99: at(lags, 0.99), max: at(lags, 1), prices: lags.length },
      mainThreadBusy: share('task'),
      scriptBusy: share('script'),
      layoutBusy: share('layout'),
      styleBusy: share('style'),
      // Drawing without a graphics card is in both.
      pageCores: share('page'),
      gpuCores: share('gpu'),
      pageCpuUsPerChange: rounded(((now.page - this.before.page) * 1e6) / changes),
    }
  }

  /** After garbage collection. */
  async memory() {
    await this.devtools.send('HeapProfiler.collectGarbage')
    const { metrics } = await this.devtools.send('Performance.getMetrics')
    const of = (name: string): number => metrics.find((metric) => metric.name === name)!.value
    const { pid } = await this.processOf('renderer')
    return {
      heapMb: rounded(of('JSHeapUsedSize') / 2 ** 20),
      nodes: of('Nodes'),
      rssMb: Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_000),
    }
  }

  private async processOf(type: string): Promise<{ readonly pid: number; readonly cpu: number }> {
    const { processInfo } = await this.processes.send('SystemInfo.getProcessInfo')
    // Pages that were closed leave spare processes behind: the one that has worked is ours.
    const busiest = processInfo.filter((each) => each.type === type).sort((a, b) => b.cpuTime - a.cpuTime)[0]
    return { pid: busiest?.id ?? 0, cpu: busiest?.cpuTime ?? 0 }
  }

  private async cpu(): Promise<Cpu> {
    const { metrics } = await this.devtools.send('Performance.getMetrics')
    const of = (name: string): number => metrics.find((metric) => metric.name === name)!.value
    return {
      task: of('TaskDuration'),
      script: of('ScriptDuration'),
      layout: of('LayoutDuration'),
      style: of('RecalcStyleDuration'),
      page: (await this.processOf('renderer')).cpu,
      gpu: (await this.processOf('GPU')).cpu,
    }
  }
}
