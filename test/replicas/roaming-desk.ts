// A desk that follows all prices, and resumes on whatever process it is moved to.

import { setTimeout as pause } from 'node:timers/promises'
import type { Violations } from '../faults/fault.ts'
import { Link } from '../faults/link.ts'
import type { Server } from '../faults/server.ts'
import { Desk } from '../stomp/desk.ts'
import { type ServerFrame, shownFrame } from '../stomp/strict-frames.ts'
import type { History } from './history.ts'

const TOPIC = '/topic/odds.#'
const RETRY_MS = 50

export interface RoamingDeskOptions {
  readonly name: string
  readonly key: string
  /** `quotes:numbered`: its short updates are not for the history, which compares octets. */
  readonly isNumbered: boolean
  readonly history: History
  readonly violations: Violations
  /** Chooses a process that should be there; undefined: none is. */
  readonly where: () => Server | undefined
}

export class RoamingDesk {
  desk: Desk
  messages = 0
  /** Connections so far. */
  connects = 0
  /** ERROR frames and other ends that nobody asked for, by words. */
  readonly ends = new Map<string, number>()
  private readonly options: RoamingDeskOptions
  private link: Link | undefined
  private isOver = false
  private running: Promise<void> | undefined

  constructor(options: RoamingDeskOptions) {
    this.options = options
    this.desk = this.newDesk()
  }

  get seq(): number {
    return this.desk.seq ?? 0
  }

  get isWhole(): boolean {
    return this.desk.phase === 'state'
  }

  private newDesk(): Desk {
    const numbered = this.options.isNumbered ? { isBinary: false, now: Date.now } : undefined
    return new Desk({ destination: TOPIC, numbered })
  }

  start(): void {
    this.running ??= this.run()
  }

  async stop(): Promise<void> {
    this.isOver = true
    this.link?.destroy()
    await this.running
  }

  /** Ends the connection: the next one goes where `where` says. */
  move(): void {
    this.link?.destroy()
  }

  private async run(): Promise<void> {
    const { where, key } = this.options
    while (!this.isOver) {
      const server = where()
      try {
        if (server === undefined) throw new Error('no process is there')
        await this.follow(await Link.open(server.ports.stomp, key, (frame) => this.read(frame)))
      } catch {
        await pause(RETRY_MS)
      }
    }
  }

  private async follow(link: Link): Promise<void> {
    const { desk } = this
    this.link = link
    this.connects++
    if (desk.seq === undefined) desk.awaitSnapshot()
    else desk.goOn()
    const quotes = this.options.isNumbered ? { quotes: 'numbered' } : {}
    link.send('SUBSCRIBE', { id: 'desk', destination: TOPIC, ...quotes, ...desk.resumeHeaders })
    const { error, fault } = await link.ended
    this.link = undefined
    if (fault !== undefined) this.options.violations.add(`${this.options.name}: ill-formed: ${fault.message}`)
    if (error !== undefined) {
      const what = error.headers.get('message') ?? shownFrame(error)
      this.ends.set(what, (this.ends.get(what) ?? 0) + 1)
    }
  }

  private read(frame: ServerFrame): void {
    if (frame.command !== 'MESSAGE' || this.isOver) return
    const { history, violations, name } = this.options
    const { desk } = this
    this.messages++
    const kind = frame.headers.get('kind')
    try {
      desk.apply(frame)
    } catch (error) {
      violations.add(`${name}: ${(error as Error).message}`)
      // From the beginning, so that one fault is not told again by every message after it.
      this.desk = this.newDesk()
      this.desk.resets.push(...desk.resets)
      this.link?.destroy()
      return
    }
    desk.takeTold()
    if (this.options.isNumbered) return
    if (kind === 'snapshot') history.sawInSnapshot(frame)
    else if (kind === 'snapshot-end') history.sawSnapshot(desk.epoch!, desk.seq!)
    else if (kind === 'update') history.sawMessage(name, frame)
  }
}
