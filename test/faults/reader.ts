// A customer of REST: reads events in turn, notes what it saw at which seq, and counts what was answered.

import { Agent, get, type IncomingMessage } from 'node:http'
import { type Json, list } from '../json.ts'
import { readPoint } from '../stomp/desk.ts'
import type { Violations } from './fault.ts'
import { sightingOf } from './publisher.ts'
import { numberOf, type Record } from './record.ts'

export interface Reply {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export const request = (port: number, path: string, key: string, agent: Agent): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const options = {
      port,
      host: '127.0.0.1',
      path: `/api/v1${path}`,
      agent,
      headers: { authorization: `Bearer ${key}` },
    }
    const sent = get(options, (answer) => {
      let text = ''
      answer
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }))
        .on('error', reject)
        .on('aborted', () => reject(new Error('the answer was not complete')))
    })
    sent.on('error', reject)
  })

/** The numbers that an answer about the odds of an event shows, by bookmaker. */
export const shownIn = (text: string, violations: Violations): ReadonlyMap<string, number> => {
  const body = JSON.parse(text) as Json
  const shown = new Map<string, number>()
  for (const market of list(body.data?.markets)) {
    for (const book of list(market.bookmakers)) {
      const numbers = new Set(list(book.outcomes).map(({ odds }) => numberOf(Number(odds))))
      violations.check(numbers.size === 1, () => `half of an observation is shown: ${text}`)
      shown.set(String(book.slug), [...numbers][0]!)
    }
  }
  return shown
}

export class Reader {
  answered = 0
  /** Requests without an answer: the connection was closed or refused. */
  broken = 0
  /** Answers that are no 200, by status. */
  readonly others = new Map<number, number>()
  /** As the latest answer says; undefined: the plan is unlimited. */
  used: number | undefined
  private readonly key: string
  private readonly record: Record
  private readonly violations: Violations
  private isReading = false
  private loops: Promise<unknown> = Promise.resolve()

  constructor(key: string, record: Record, violations: Violations) {
    this.key = key
    this.record = record
    this.violations = violations
  }

  /** Reads until {@link stop}, or until the server does not answer any more. */
  start(port: number, connections: number, goesOn = false): void {
    this.isReading = true
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const loop = async (first: number): Promise<void> => {
      const { eventIds } = this.record
      for (let event = first; this.isReading; event = (event + connections) % eventIds.length) {
        if (!(await this.read(port, event, agent)) && !goesOn) return
      }
    }
    this.loops = Promise.all(Array.from({ length: connections }, (_, n) => loop(n))).finally(() => agent.destroy())
  }

  async stop(): Promise<void> {
    this.isReading = false
    await this.loops
  }

  /** Reads all events once, and checks that nothing is missing that was confirmed or seen. */
  async audit(port: number, leastSeq = this.record.seqSeen): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (const [event, id] of this.record.eventIds.entries()) {
      if (id === undefined) continue
      const reply = await request(port, `/events/${id}/odds`, this.key, agent)
      const point = reply.headers['x-odds-seq']
      this.count(reply)
      if (reply.status !== 200 && reply.status !== 404) {
        this.violations.add(`GET of event ${event}: ${reply.status} ${reply.text}`)
        continue
      }
      if (typeof point === 'string') {
        const { epoch, seq } = readPoint(point)
        this.record.sawEpoch(epoch, 'REST')
        this.violations.check(seq >= leastSeq, () => `REST is at seq ${seq}, a client has seen ${leastSeq}`)
      }
      const shown = reply.status === 404 ? new Map<string, number>() : shownIn(reply.text, this.violations)
      for (const books of this.record.books) this.record.checkShown(books[event]!, shown.get(books[event]!.bookmaker))
    }
    agent.destroy()
  }

  /**
   * Reads whatever events there are, and checks that each price was one at some time.
   * @returns the epoch, and how many books are shown
   */
  async auditSent(port: number): Promise<{ readonly epoch: string; readonly books: number }> {
    const { record, violations } = this
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let books = 0
    try {
      const reply = await request(port, '/events?limit=200', this.key, agent)
      this.count(reply)
      if (reply.status !== 200) throw new Error(`GET /events: ${reply.status} ${reply.text}`)
      for (const { id, homeTeam } of list((JSON.parse(reply.text) as Json).data)) {
        const event = record.eventIds.findIndex((_, each) => sightingOf(each).home === String(homeTeam))
        const odds = await request(port, `/events/${id}/odds`, this.key, agent)
        this.count(odds)
        for (const [slug, number] of shownIn(odds.text, violations)) {
          books++
          const book = record.bookOf(slug, event)
          if (book === undefined) violations.add(`a price that nobody has sent: ${odds.text}`)
          else record.checkSent(book, number)
        }
      }
      return { epoch: readPoint(String(reply.headers['x-odds-seq'])).epoch, books }
    } finally {
      agent.destroy()
    }
  }

  /** @returns whether the server has answered */
  private async read(port: number, event: number, agent: Agent): Promise<boolean> {
    const { record, violations } = this
    const id = record.eventIds[event]
    const path = id === undefined ? '/sports' : `/events/${id}/odds`
    let reply: Reply
    try {
      reply = await request(port, path, this.key, agent)
    } catch {
      this.broken++
      return false
    }
    this.count(reply)
    if (reply.status !== 200 || id === undefined) return true
    const { epoch, seq } = readPoint(String(reply.headers['x-odds-seq']))
    if (!record.sawEpoch(epoch, 'REST')) return true
    const shown = shownIn(reply.text, violations)
    for (const books of record.books) record.sawInRest(books[event]!, seq, shown.get(books[event]!.bookmaker))
    return true
  }

  private count({ status, headers }: Reply): void {
    if (status === 200 || status === 404) this.answered++
    if (status !== 200) this.others.set(status, (this.others.get(status) ?? 0) + 1)
    const remaining = headers['x-ratelimit-remaining']
    if (typeof remaining === 'string') this.used = Number(headers['x-ratelimit-limit']) - Number(remaining)
  }
}
