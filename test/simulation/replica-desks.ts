// Desks that move from process to process: each gets every change that it may see once and in order, and a reset only with
// another epoch.

import assert from 'node:assert/strict'
import type { Random } from '../random.ts'
import { Desk } from '../stomp/desk.ts'
import { MemoryCarrier, MemoryClient } from '../stomp/memory-carrier.ts'
import { type ServerFrame, shownFrame } from '../stomp/strict-frames.ts'
import type { Entry } from './record.ts'
import type { ReplicaProcess } from './replica-process.ts'
import type { ReplicaWorld } from './replica-world.ts'
import { TIME } from './time.ts'
import { SPORTS } from './world-data.ts'

interface Mover {
  readonly name: string
  readonly topic: 'odds' | 'status'
  readonly sport: string | undefined
  readonly desk: Desk
  at: { readonly process: ReplicaProcess; readonly client: MemoryClient } | undefined
  /** It has been compared up to this seq; undefined: not since its last snapshot. */
  checkedSeq: number | undefined
  resets: number
  /** When it has subscribed. */
  sinceMs: number
  /** What it has resumed from; undefined: it has asked for a snapshot. */
  resumedFrom: { readonly epoch: string; readonly seq: number } | undefined
  /** Whether the process knew that its key was in use at that point: a use may be lost with the process that saw it. */
  isKnown: boolean
}

/** The last three subscribe as the first three do, with numbers. */
const DESKS = 9
const EXPECTED_ERRORS = ['server_shutdown', 'service_unavailable']

export class ReplicaDesks {
  /** Events that were named to desks. */
  readonly eventIds = new Set<string>()
  private readonly world: ReplicaWorld
  private readonly movers: readonly Mover[]
  /** Bodies of messages by destination and id: all processes send the same. */
  private readonly bodies = new Map<string, string>()

  constructor(world: ReplicaWorld) {
    this.world = world
    this.movers = Array.from({ length: DESKS }, (_, n) => {
      const topic = n % 3 === 2 ? 'status' : 'odds'
      const sport = n < 3 || n >= 6 ? undefined : SPORTS[n % SPORTS.length]
      const isNumbered = n >= 6
      const name = `desk ${n}${isNumbered ? ', numbered' : ''}`
      const numbered = isNumbered ? { isBinary: false, now: () => TIME.wallMs } : undefined
      const desk = new Desk({ destination: `/topic/${topic}.${sport ?? '*'}.*.*`, conflates: false, numbered, name })
      return {
        name,
        topic,
        sport,
        desk,
        at: undefined,
        checkedSeq: undefined,
        resets: 0,
        sinceMs: 0,
        resumedFrom: undefined,
        isKnown: true,
      }
    })
  }

  /** Desks break their connections, and go to other processes. */
  move(random: Random): void {
    for (const mover of this.movers) {
      if (mover.at !== undefined && random.chance(0.3)) {
        // Some of what has arrived was not read.
        if (random.chance(0.5)) this.take(mover)
        this.leave(mover, true)
      }
      if (mover.at === undefined && random.chance(0.7)) this.come(mover, random)
    }
  }

  gone(process: ReplicaProcess): void {
    for (const mover of this.movers) {
      if (mover.at?.process !== process) continue
      this.take(mover)
      this.leave(mover, false)
    }
  }

  check(): void {
    for (const mover of this.movers) {
      this.take(mover)
      this.compare(mover)
    }
  }

  /** All is at rest: they know all, and the same. */
  checkEnd(): void {
    const pictures = new Map<string, string>()
    for (const mover of this.movers) {
      const { at, desk, name } = mover
      if (at === undefined) continue
      const { engine } = at.process.server!.state
      assert.equal(desk.epoch, engine.epoch, `${name} is in another epoch`)
      this.compare(mover, engine.seq)
      if (desk.phase !== 'state' || mover.topic !== 'odds') continue
      if (desk.numbers !== undefined) {
        this.world.count('short update', desk.counts.short)
        assert.equal(desk.numbers.size, desk.quotes.size, `${name}: a number for each quote`)
      }
      const picture = JSON.stringify([...desk.quotes].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      const known = pictures.get(desk.options.destination)
      assert(
        known === undefined || known === picture,
        `${name} has another picture than a desk with the same subscription`,
      )
      pictures.set(desk.options.destination, picture)
    }
  }

  private come(mover: Mover, random: Random): void {
    const { world } = this
    const { serving } = world
    if (serving.length === 0) return
    const process = random.pick(serving)
    const server = process.server!
    const { desk } = mover
    TIME.touch()
    TIME.as(process, () => {
      const carrier = new MemoryCarrier(random.pick(['tcp', 'websocket'] as const), () => TIME.nowMs, server.rooms)
      const client = new MemoryClient(carrier, server.broker.open(carrier), '1.2', server.broker.passes)
      mover.at = { process, client }
      mover.sinceMs = TIME.nowMs
      client.send('CONNECT', { 'accept-version': '1.2', passcode: world.book.customers[0]!.secret })
      const headers: Record<string, string> = { id: 'sub-0', destination: desk.options.destination }
      if (desk.numbers !== undefined) headers.quotes = 'numbered'
      mover.resets = desk.resets.length
      const isWhole = desk.phase !== 'snapshot' && desk.seq !== undefined
      if (isWhole) {
        world.count('resume')
        mover.resumedFrom = { epoch: desk.epoch!, seq: desk.seq! }
        mover.isKnown = this.isKnownAt(process, desk.epoch!, desk.seq!)
        headers['from-seq'] = `${desk.epoch}-${desk.seq}`
        desk.goOn()
      } else {
        mover.resumedFrom = undefined
        headers.snapshot = 'true'
        desk.awaitSnapshot()
        mover.checkedSeq = undefined
      }
      client.send('SUBSCRIBE', headers)
    })
  }

  private leave(mover: Mover, isAlive: boolean): void {
    const { at, desk } = mover
    if (at === undefined) return
    mover.at = undefined
    if (isAlive) {
      TIME.touch()
      TIME.as(at.process, () => at.client.cut())
    } else at.client.carrier.drop()
    this.compare(mover)
    if (desk.phase === 'snapshot') desk.awaitSnapshot()
  }

  private take(mover: Mover): void {
    const { at, desk, name } = mover
    if (at === undefined) return
    const { world } = this
    for (const frame of at.client.take()) {
      world.hash
        .update(frame.command)
        .update(frame.headers.get('message-id') ?? '')
        .update(frame.body)
      if (frame.command === 'ERROR') {
        const code = frame.headers.get('message')!
        world.count(`error ${code}`)
        assert(EXPECTED_ERRORS.includes(code), `${name} at ${at.process.name}: ${shownFrame(frame)}`)
        mover.at = undefined
        if (desk.phase === 'snapshot') desk.awaitSnapshot()
        this.compare(mover)
        return
      }
      if (frame.command !== 'MESSAGE') continue
      world.count('message')
      this.compareBody(frame, desk.numbers !== undefined)
      desk.apply(frame)
      if (desk.resets.length > mover.resets) this.reset(mover, at.process)
      if (frame.headers.get('kind') === 'snapshot-end') mover.checkedSeq = desk.seq
    }
    if (at.client.carrier.ending !== 'none') this.leave(mover, true)
  }

  private compareBody(frame: ServerFrame, isNumbered: boolean): void {
    const id = frame.headers.get('event-id') ?? /\.(\d+)$/.exec(frame.headers.get('destination')!)?.[1]
    if (id !== undefined) this.eventIds.add(id)
    const kind = frame.headers.get('kind') ?? 'short'
    if (kind !== 'update' && kind !== 'short') return
    const key = `${isNumbered} ${frame.headers.get('destination')} ${frame.headers.get('message-id')}`
    const body = frame.body.toString()
    const known = this.bodies.get(key)
    if (known === undefined) this.bodies.set(key, body)
    else {
      this.world.count('frames compared')
      assert.equal(body, known, `two bodies of ${key}`)
    }
  }

  private reset(mover: Mover, process: ReplicaProcess): void {
    const { desk, resumedFrom, name } = mover
    mover.resets = desk.resets.length
    mover.checkedSeq = undefined
    const reason = desk.resets.at(-1)!
    this.world.count(`reset ${reason}`)
    const { engine } = process.server!.state
    const from = resumedFrom === undefined ? 'a snapshot' : `${resumedFrom.epoch}-${resumedFrom.seq}`
    // It has waited for as long as a process may be behind.
    const hasWaited = reason === 'ahead' && TIME.nowMs - mover.sinceMs >= this.world.limits.aheadMsMax
    assert(
      hasWaited ||
        (reason === 'epoch' && resumedFrom?.epoch !== engine.epoch) ||
        (reason === 'audience' && !mover.isKnown),
      `${name}: reset ${reason} at ${process.name}, which is at ${engine.epoch}-${engine.seq}, for a desk from ${from}`,
    )
    mover.resumedFrom = undefined
  }

  private isKnownAt({ server }: ReplicaProcess, epoch: string, seq: number): boolean {
    if (epoch !== server!.state.engine.epoch) return true
    const { keyId, organization } = this.world.book.customers[0]!
    const { history } = server!.broker['channel'].rights
    return history.audiencesAt(keyId, organization, seq, () => true)?.length === 1
  }

  private sees({ topic, sport, desk }: Mover, entry: Entry): boolean {
    if (entry.change === undefined || entry.transport !== 'live') return false
    if (sport !== undefined && sport !== entry.sport) return false
    const isTransition = ['suspended', 'reopened', 'closed'].includes(entry.change)
    if (topic === 'status' && !(desk.numbers === undefined ? isTransition : entry.change !== 'repriced')) return false
    const { book } = this.world
    return book.sees(book.customers[0]!, entry.bookmaker, entry.sport, 'live')
  }

  /** Each change once, in order, up to the point that the desk has. */
  private compare(mover: Mover, upTo = mover.desk.seq): void {
    const { desk, checkedSeq, name } = mover
    if (desk.phase === 'snapshot' || upTo === undefined) return
    const told = desk.takeTold()
    if (checkedSeq === undefined) {
      mover.checkedSeq = upTo
      return
    }
    mover.checkedSeq = upTo
    const entries = this.world.entriesOf(desk.epoch!)
    const expected: string[] = []
    for (let seq = checkedSeq + 1; seq <= upTo; seq++) {
      const entry = entries.get(seq)
      assert(entry !== undefined, `${name} knows seq ${upTo} of epoch ${desk.epoch}, and nobody has published ${seq}`)
      if (this.sees(mover, entry)) expected.push(entry.text)
    }
    this.world.count('desk compared')
    const texts = told.filter(({ seq }) => seq > checkedSeq).map(({ text }) => text)
    assert.deepEqual(texts, expected, `${name}: its changes from ${checkedSeq} to ${upTo} of epoch ${desk.epoch}`)
  }
}
