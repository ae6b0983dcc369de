// A customer of REST that asks all processes the same, again and again.

import { Agent } from 'node:http'
import * as clock from '../../src/clock.ts'
import type { Violations } from '../faults/fault.ts'
import { request } from '../faults/reader.ts'
import { numberOf } from '../faults/record.ts'
import type { Server } from '../faults/server.ts'
import { type Json, list } from '../json.ts'
import type { History } from './history.ts'

/** The numbers that an answer about the odds of an event shows, by bookmaker. */
const numbersIn = (text: string, violations: Violations): ReadonlyMap<string, number> => {
  const shown = new Map<string, number>()
  for (const { bookmakers } of list((JSON.parse(text) as Json).data?.markets)) {
    for (const { slug, outcomes } of list(bookmakers)) {
      for (const { odds } of list(outcomes)) {
        const number = numberOf(Number(odds))
        const known = shown.get(String(slug)) ?? number
        violations.check(known === number, () => `half of an observation is shown: ${text}`)
        shown.set(String(slug), number)
      }
    }
  }
  return shown
}

export class RestWatch {
  /** Answers by process and status. */
  readonly statuses = new Map<string, number>()
  /** Processes that have said that the log is away. */
  readonly away = new Set<string>()
  /** When each process last answered with 200, by its name; ms. */
  readonly lastMs = new Map<string, number>()
  private readonly agents = new Map<Server, Agent>()
  private readonly key: string
  private readonly history: History
  private readonly violations: Violations
  private isOver = false
  private running: Promise<void> | undefined

  constructor(key: string, history: History, violations: Violations) {
    this.key = key
    this.history = history
    this.violations = violations
  }

  /** Reads all events in turn, of all processes at the same time. */
  start(processes: () => readonly (readonly [name: string, server: Server])[], pauseMs: number): void {
    const run = async (): Promise<void> => {
      for (let event = 0; !this.isOver; event = (event + 1) % this.history.events) {
        const all = processes()
        await Promise.all(all.map(([name, server]) => this.read(name, server, event)))
        this.history.compare()
        await new Promise((resolve) => setTimeout(resolve, all.length === 0 ? 50 : pauseMs))
      }
    }
    this.running ??= run()
  }

  async stop(): Promise<void> {
    this.isOver = true
    await this.running
    for (const agent of this.agents.values()) agent.destroy()
  }

  /** @returns status; 0: no answer. @param isFinal nothing may be older than what was confirmed */
  async read(name: string, server: Server, event: number, isFinal = false): Promise<number> {
    const { history, violations } = this
    const id = history.idOf(event)
    if (id === undefined) return 0
    const agent = this.agents.get(server) ?? new Agent({ keepAlive: true, maxSockets: 2 })
    this.agents.set(server, agent)
    let status = 0
    try {
      const reply = await request(server.ports.http, `/events/${id}/odds`, this.key, agent)
      status = reply.status
      if (reply.headers['x-odds-log'] === 'away') this.away.add(name)
      if (status === 200) {
        this.lastMs.set(name, clock.elapsedMs())
        const numbers = numbersIn(reply.text, violations)
        history.sawRest(name, event, String(reply.headers['x-odds-seq']), reply.text, numbers)
        if (isFinal) history.checkBoard(name, event, numbers)
      }
    } catch {
      // The process is gone, or ends.
    }
    const key = `${name} ${status}`
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1)
    return status
  }

  /** What a process answers to a path, for a comparison of bytes. */
  async bytes(server: Server, path: string): Promise<{ readonly seq: string; readonly text: string }> {
    const agent = new Agent({ maxSockets: 1 })
    try {
      const { status, headers, text } = await request(server.ports.http, path, this.key, agent)
      return { seq: `${status} ${String(headers['x-odds-seq'])} ${String(headers.etag)}`, text }
    } finally {
      agent.destroy()
    }
  }
}
