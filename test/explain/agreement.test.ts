// An explanation against the service itself: random worlds, callers and quotes; `shownBy` says exactly where GET odds and
// a snapshot of the live channel show the quote.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access } from '../../src/access/access.ts'
import { hashOf, type KeyKind, mintSecret } from '../../src/access/key.ts'
import { BUILT_IN_PLANS } from '../../src/access/plan.ts'
import type { Want } from '../../src/access/block-window.ts'
import { ReservingLedger } from '../../src/access/reserving-ledger.ts'
import { CHANNELS, type Scope } from '../../src/access/scope.ts'
import { type QuoteState, QuoteStates } from '../../src/board/quote-states.ts'
import { COVERAGE_STATUSES } from '../../src/domain/coverage.ts'
import { MARKET_TYPE_NUMBER, MARKET_TYPES } from '../../src/domain/market.ts'
import type { Input } from '../../src/domain/input.ts'
import { FRESHNESS_MS } from '../../src/domain/quote.ts'
import { refuse } from '../../src/domain/refusal.ts'
import type { Sport } from '../../src/domain/sport.ts'
import { type Transport, TRANSPORT_NUMBER } from '../../src/domain/transport.ts'
import { type Explanation, type ExplainParts, explain } from '../../src/explain/explanation.ts'
import type { Question } from '../../src/explain/question.ts'
import { RULES, type Way } from '../../src/explain/step.ts'
import { LIMITS } from '../../src/limits.ts'
import { errorReply } from '../../src/rest/reply.ts'
import type { Exchange } from '../../src/rest/exchange.ts'
import { Rest } from '../../src/rest/rest.ts'
import { Random, SEED } from '../random.ts'
import { RandomInputs } from '../random-inputs.ts'
import { type Json, list } from '../service.ts'
import { bodyOf } from '../stomp/desk.ts'
import { bookmaker, LiveRoom, type MemoryClient } from '../stomp/memory-carrier.ts'

const STEPS = 1_200
const BOOKS = Array.from({ length: 12 }, (_, n) => `book_${n}`)
const SPORTS: readonly Sport[] = ['football', 'tennis', 'golf']
const HOUR_MS = 3_600_000

const NOTHING = { auditId: 0, plans: [], organizations: [], keys: [], keysDeleted: [], bookmakers: null } as const

interface Customer {
  readonly n: number
  readonly keyId: string
  readonly secret: string
}

/** A quote as a question names it. */
type Named = Pick<QuoteState, 'type' | 'line' | 'outcome'>

class World {
  readonly random = new Random(SEED)
  readonly inputs = new RandomInputs(this.random)
  readonly counters = new Map<string, number>()
  readonly ledger = new ReservingLedger({
    reserve: (wants) => Promise.resolve(wants.map((want) => this.reserve(want))),
    release: () => Promise.resolve(),
    deadlineMs: 1_000,
  })
  readonly room = new LiveRoom({ ledger: this.ledger })
  readonly rest: Rest
  readonly parts: ExplainParts
  readonly states = new QuoteStates(this.room.engine.board)
  readonly customers: readonly Customer[]
  private held: MemoryClient[] = []

  constructor() {
    const { room } = this
    const access = { gate: room.gate, registry: room.registry } as unknown as Access
    this.rest = new Rest({
      engine: room.engine,
      access,
      publicUrl: 'http://localhost',
      documentUrl: '',
      targetsMax: 500,
      limits: LIMITS,
      cacheBytesMax: 1_000_000,
      pages: {},
      now: () => room.nowAt,
      onFault: (error) => {
        throw error
      },
    })
    this.parts = {
      ...LIMITS.explain,
      engine: room.engine,
      gate: room.gate,
      registry: room.registry,
      removalsOf: () => [],
      sessionRefusal: (caller, nowAt) => room.broker.refusalOf(caller, nowAt),
      isServing: () => true,
      sourceOf: () => undefined,
      ring: room.history.ring,
      now: () => room.nowAt,
    }
    this.customers = Array.from({ length: 8 }, (_, n) => ({ n, keyId: `key_${n}`, secret: mintSecret('customer') }))
    for (const customer of this.customers) this.change(customer)
    this.cover()
  }

  private reserve({ organization, kind, start, limit, amount }: Want) {
    const window = `${organization} ${kind} ${start}`
    const before = this.counters.get(window) ?? 0
    const granted = Math.max(0, Math.min(amount, limit - before))
    this.counters.set(window, before + granted)
    return { before, granted }
  }

  private someBooks(probability: number): string[] {
    return BOOKS.filter(() => this.random.chance(probability))
  }

  /** Gives a customer other rights. Rights are mostly wide: each rule should be the one that hides at times. */
  change({ n, keyId, secret }: Customer): void {
    const { random, room } = this
    const desk = BUILT_IN_PLANS.find(({ name }) => name === 'desk')!
    const plan = {
      ...desk,
      name: `plan_${n}`,
      liveEnabled: random.chance(0.85),
      hourlyLimit: random.chance(0.6) ? 0 : random.int(1, 12),
      monthlyQuota: random.chance(0.6) ? 0 : random.int(1, 40),
      liveConnectionsMax: random.chance(0.7) ? 0 : 1,
    }
    const scope: Scope = {
      channels: random.chance(0.8) ? null : CHANNELS.filter(() => random.chance(0.6)),
      bookmakers: random.chance(0.8) ? null : this.someBooks(0.7),
      sports: random.chance(0.8) ? null : SPORTS.filter(() => random.chance(0.7)),
    }
    const kind: KeyKind = random.chance(0.02) ? 'feed' : 'customer'
    room.gate.apply({
      ...NOTHING,
      plans: [plan],
      organizations: [
        {
          id: `org_${n}`,
          name: `o${n}`,
          plan: plan.name,
          entitlement: random.chance(0.7) ? '*' : this.someBooks(0.8),
        },
      ],
      keys: [
        {
          id: keyId,
          name: '',
          hash: hashOf(secret),
          kind,
          organization: `org_${n}`,
          scope,
          createdAt: 0,
          createdBy: 'command',
          lastUsedAt: null,
          expiresAt: random.chance(0.92) ? null : room.nowAt + random.int(-1_000, 2 * HOUR_MS),
          revokedAt: random.chance(0.02) ? room.nowAt : null,
        },
      ],
    })
  }

  cover(): void {
    const { random } = this
    const bookmakers = BOOKS.filter(() => random.chance(0.95)).map((slug) =>
      bookmaker(slug, {
        sport: random.chance(0.9) ? '*' : 'football',
        status: random.chance(0.85) ? 'verified_rest_live' : random.pick(COVERAGE_STATUSES),
        restAvailable: random.chance(0.9),
        liveAvailable: random.chance(0.9),
      }),
    )
    this.room.gate.apply({ ...NOTHING, bookmakers })
  }

  /** Something happens. Returns how many questions are worth asking then. */
  step(): number {
    const { random, room } = this
    for (let n = random.int(5, 30); n > 0; n--) {
      room.turns.add(this.input())
    }
    if (random.chance(0.1)) this.suspendEvent()
    room.turn()
    if (random.chance(0.25)) this.change(random.pick(this.customers))
    if (random.chance(0.03)) this.cover()
    if (random.chance(0.1)) this.hold()
    // At times the board has not aged out yet what is stale.
    const isLong = random.chance(0.05)
    room.jump(isLong ? random.int(0, FRESHNESS_MS / 3) : random.int(0, 60_000))
    if (!isLong && random.chance(0.5)) room.turn()
    room.sweep()
    return isLong ? 6 : 1
  }

  private input(): Input {
    const { random, room } = this
    const input = this.inputs.next(room.nowAt)
    if (input.kind === 'observe') {
      const { bookmaker: slug } = input.observation
      return {
        ...input,
        observation: { ...input.observation, bookmaker: BOOKS.includes(slug) ? slug : random.pick(BOOKS) },
      }
    }
    if (input.kind !== 'decide') return input
    // Whole bookmakers are suspended rarely: they would hide most quotes for long.
    const isRare = random.chance(0.9)
    return { ...input, decisions: input.decisions.filter((each) => each.kind !== 'suspend' || !isRare) }
  }

  private suspendEvent(): void {
    const { random, room } = this
    const event = room.engine.reader.eventAt(random.int(1, room.engine.reader.eventNumbersEnd))?.event.id ?? '1'
    room.turns.add({ kind: 'decide', decisions: [{ kind: 'suspend', bookmaker: random.pick(BOOKS), event }] })
  }

  /** A session that goes on uses a live connection of its organization. */
  private hold(): void {
    const { random, room } = this
    if (this.held.length > 3) this.held.shift()!.cut()
    const client = room.open()
    client.send('CONNECT', { 'accept-version': '1.2', passcode: random.pick(this.customers).secret })
    this.held.push(client)
  }

  question(): Question & { readonly secret: string } {
    const { random, room } = this
    const { keyId, secret } = random.pick(this.customers)
    const transport = random.pick<Transport>(['rest', 'live'])
    const views = Array.from({ length: room.engine.reader.eventNumbersEnd }, (_, n) => room.engine.reader.eventAt(n))
    const there = views.filter((each) => each !== undefined)
    const view = there.length === 0 ? undefined : random.pick(there)
    const event =
      view === undefined || random.chance(0.05)
        ? String(random.int(1, 99))
        : random.pick([view.event.id, view.event.id, ...view.formerIds])
    const found = BOOKS.map((slug) => {
      const number = room.engine.reader.bookmakerNumber(slug)
      return { slug, quotes: view === undefined ? [] : this.states.find(view, number, TRANSPORT_NUMBER[transport], {}) }
    }).filter(({ quotes }) => quotes.length > 0)
    const known = found.length > 0 && random.chance(0.93) ? random.pick(found) : undefined
    const quote: Named =
      known === undefined || random.chance(0.05)
        ? { type: MARKET_TYPE_NUMBER.get('total_goals')!, line: 2.5, outcome: 'over' }
        : random.pick(known.quotes)
    return {
      secret,
      key: random.pick([keyId, secret, hashOf(secret)]),
      event,
      bookmaker: known?.slug ?? random.pick([...BOOKS, 'nobody']),
      transport,
      market: MARKET_TYPES[quote.type]!,
      line: quote.line,
      outcome: quote.outcome,
    }
  }

  async restShows(of: Question, secret: string): Promise<boolean> {
    const filter = this.random.chance(0.5) ? `&bookmaker=${of.bookmaker}` : ''
    const exchange: Exchange = {
      method: 'get',
      path: `/api/v1/events/${of.event}/odds`,
      rawQuery: `transport=${of.transport}${filter}`,
      authorization: undefined,
      apiKey: secret,
      ifNoneMatch: undefined,
      acceptEncoding: undefined,
      origin: undefined,
      fault: undefined,
      operation: 'none',
      reply: errorReply(refuse('service_unavailable', '')),
      head: errorReply(refuse('service_unavailable', '')).head,
      admission: undefined,
    }
    await this.rest.answer(exchange, this.room.nowAt)
    const body = JSON.parse(Buffer.from(exchange.reply.body).toString('utf8')) as Json
    return (body.data !== undefined ? list(body.data?.markets) : [])
      .filter(({ type, line }) => String(type) === of.market && Object.is(lineOf(line), of.line ?? null))
      .flatMap(({ bookmakers }) => list(bookmakers))
      .filter(({ slug }) => String(slug) === of.bookmaker)
      .flatMap(({ outcomes }) => list(outcomes))
      .some(({ outcome }) => String(outcome) === of.outcome)
  }

  async liveShows(of: Question, secret: string): Promise<boolean> {
    const { room, random } = this
    const client = room.open()
    client.send('CONNECT', { 'accept-version': '1.2', passcode: secret })
    await room.settle()
    const [first] = client.take()
    if (first?.command !== 'CONNECTED') return false
    const sport = room.engine.reader.eventOf(of.event)?.event.sport ?? 'football'
    const destination = random.pick([`*.*.${of.event}`, `${sport}.${of.bookmaker}.${of.event}`])
    client.subscribe(`/topic/odds.${destination}`, { snapshot: 'true' })
    await room.settle()
    const frames = client.take()
    client.cut()
    assert(
      frames.some(({ command, headers }) => command === 'ERROR' || headers.get('kind') === 'snapshot-end'),
      'a snapshot ends, or is refused',
    )
    return frames
      .filter(({ headers }) => headers.get('kind') === 'snapshot')
      .map(bodyOf)
      .filter((body) => String(body.bookmaker) === of.bookmaker)
      .flatMap(({ quotes }) => list(quotes))
      .some(
        ({ type, line, outcome }) =>
          String(type) === of.market && Object.is(lineOf(line), of.line ?? null) && String(outcome) === of.outcome,
      )
  }

  close(): void {
    for (const client of this.held) client.cut()
    this.room.close()
  }
}

const lineOf = (line: Json | undefined): number | null =>
  line === undefined || line === null || String(line) === 'null' ? null : Number(line) + 0

/** Each book of several quotes is as visible as the most visible of them. */
const checkWhole = ({ parts }: World, question: Question, one: Explanation, at: string): void => {
  const whole = explain(parts, { ...question, market: undefined, line: undefined, outcome: undefined })
  for (const way of one.shownBy)
    assert(whole.shownBy.includes(way), `${at}: the book is hidden and a quote of it is not`)
  const ways = new Set(whole.quotes.flatMap((quote) => [...quote.shownBy]))
  if (whole.quoteCount <= whole.quotes.length) assert.deepEqual(new Set(whole.shownBy), ways, at)
}

const check = async (world: World, step: number, seen: Map<string, number>): Promise<void> => {
  const isBlind = world.random.chance(0.02)
  if (isBlind) world.room.gate.refuseAll('Access rights cannot be checked just now')
  const { secret, ...question } = world.question()
  const at = `seed ${SEED}, step ${step}: ${JSON.stringify(question)}`
  const explanation = explain(world.parts, question)
  checkWhole(world, question, explanation, at)
  const inBrief = explain(world.parts, question, { reader: 'customer' })
  assert.deepEqual(inBrief.shownBy, explanation.shownBy, at)
  const shown: Way[] = []
  if (await world.restShows(question, secret)) shown.push('rest')
  if (question.transport === 'live' && (await world.liveShows(question, secret))) shown.push('live')
  const text = explanation.steps.map(({ rule, hides, detail }) => `${rule} [${hides.join()}] ${detail}`).join('\n')
  assert.deepEqual(explanation.shownBy, shown, `${at}\n${text}`)
  assert.equal(explanation.hiddenBy === null, shown.length > 0, at)
  const hidden = explanation.hiddenBy ?? `shown ${shown.join()}`
  seen.set(hidden, (seen.get(hidden) ?? 0) + 1)
  if (isBlind) world.room.gate.refuseAll(undefined)
}

test('an explanation says where a quote is shown: exactly where GET odds and a live snapshot show it', async () => {
  const world = new World()
  const seen = new Map<string, number>()
  try {
    for (let step = 0; step < STEPS; step++) {
      for (let questions = world.step(); questions > 0; questions--) await check(world, step, seen)
    }
  } finally {
    world.close()
  }
  // Otherwise the world is too narrow to prove anything.
  for (const rule of RULES) {
    if (rule !== 'source')
      assert((seen.get(rule) ?? 0) > 0, `seed ${SEED}: ${rule} never hid a quote: ${[...seen].join()}`)
  }
  for (const shown of ['shown rest', 'shown rest,live', 'shown live']) {
    assert((seen.get(shown) ?? 0) > 20, `seed ${SEED}: ${shown}: ${[...seen].join()}`)
  }
})
