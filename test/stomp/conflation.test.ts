// Conflation (docs/live-protocol.md 3.5): at most one price per quote in so many ms, the latest; a status never merged
// away, reordered or delayed. Against a naive twin that has the same changes, and the cases one by one.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { Random, SEED } from '../random.ts'
import { Desk } from './desk.ts'
import { bookmaker, LiveRoom, type MemoryClient, price } from './memory-carrier.ts'

const BOOKS = ['alpha', 'beta']
const ALL = '/topic/odds.*.*.*'

let room: LiveRoom

afterEach(() => room.close())

const newRoom = (): LiveRoom => new LiveRoom({ bookmakers: BOOKS.map((slug) => bookmaker(slug)) })

interface Shown {
  readonly at: number
  readonly text: string
  readonly change: string
}

/** A subscription and what it has been shown, when. */
class Watch {
  readonly desk: Desk
  readonly shown: Shown[] = []
  readonly client: MemoryClient
  private readonly headers: Readonly<Record<string, string>>

  constructor(client: MemoryClient, headers: Readonly<Record<string, string>>) {
    this.client = client
    this.headers = headers
    this.desk = new Desk({ destination: ALL, conflates: headers['conflate-ms'] !== undefined })
    if (headers.snapshot === 'true') this.desk.awaitSnapshot()
    else this.desk.awaitChanges()
    client.subscribe(ALL, headers)
  }

  take(): void {
    for (const { frame, at } of this.client.carrier.arrived.splice(0)) {
      if (frame.command !== 'MESSAGE') continue
      this.desk.apply(frame)
      for (const { text, change } of this.desk.takeTold()) this.shown.push({ at, text, change })
    }
  }

  /** Breaks the connection and resumes on another one from the last message. */
  resume(client: MemoryClient): Watch {
    this.take()
    this.client.cut()
    const { seq } = this.desk
    const next = new Watch(client, { ...this.headers, snapshot: 'false', ...this.desk.resumeHeaders })
    for (const [name, quote] of this.desk.quotes) next.desk.quotes.set(name, quote)
    next.desk.phase = 'state'
    next.desk.epoch = this.desk.epoch
    next.desk.goOn(seq)
    return next
  }
}

/** The name of the quote within a change's text: all but the change, the odds, the status and the time. */
const quoteOf = (text: string): string => text.split(' ').slice(1, -3).join(' ')

interface Rule {
  shownAt: number
  held: Shown | undefined
}

/** Conflation, said plainly: of changes in order, with the times at which they came, what is shown when. */
const conflated = (changes: readonly Shown[], ms: number, endAt: number): Map<string, Shown[]> => {
  const shown = new Map<string, Shown[]>()
  const rules = new Map<string, Rule>()
  const show = (quote: string, rule: Rule, change: Shown): void => {
    rule.shownAt = change.at
    rule.held = undefined
    shown.set(quote, [...(shown.get(quote) ?? []), change])
  }
  const release = (at: number): void => {
    for (const [quote, rule] of rules) {
      const dueAt = rule.shownAt + ms
      if (rule.held !== undefined && dueAt <= at) show(quote, rule, { ...rule.held, at: dueAt })
    }
  }
  for (const [n, change] of changes.entries()) {
    release(change.at)
    const quote = quoteOf(change.text)
    const rule = rules.get(quote) ?? { shownAt: Number.NEGATIVE_INFINITY, held: undefined }
    rules.set(quote, rule)
    const next = changes.slice(n + 1).find(({ text, at }) => at === change.at && quoteOf(text) === quote)
    if (change.change === 'repriced') {
      if (next?.change === 'repriced') continue
      if (change.at < rule.shownAt + ms) rule.held = change
      else show(quote, rule, change)
    } else show(quote, rule, change)
  }
  release(endAt)
  return shown
}

const byQuote = (shown: readonly Shown[]): Map<string, Shown[]> => {
  const quotes = new Map<string, Shown[]>()
  for (const each of shown) quotes.set(quoteOf(each.text), [...(quotes.get(quoteOf(each.text)) ?? []), each])
  return quotes
}

const sorted = (shown: Map<string, readonly Shown[]>): [string, string[]][] =>
  [...shown].map(([quote, all]): [string, string[]] => [quote, all.map(({ at, text }) => `${at} ${text}`)]).sort()

test('what is shown when is what the plain rule says, for several delays side by side', () => {
  const random = new Random(SEED)
  room = newRoom()
  const customer = room.addCustomer('desk')
  const plain = new Watch(room.connect(customer), {})
  // The longest first: the others must not wait for it.
  const delays = [10_000, 500, 100, 37, 1]
  const watches = delays.map((ms) => new Watch(room.connect(customer), { 'conflate-ms': String(ms) }))
  for (let step = 0; step < 4_000; step++) {
    for (let count = random.int(0, 3); count > 0; count--) {
      const outcome = random.pick(['home', 'draw', 'away'])
      const status = random.chance(0.9) ? 'open' : random.pick(['suspended', 'closed', 'open'] as const)
      room.tell(random.pick(BOOKS), random.int(1, 2), [price(outcome, 1 + random.int(1, 20) / 10, status)])
    }
    room.turn()
    for (let ms = random.chance(0.9) ? random.int(1, 20) : random.int(1, 300); ms > 0; ms--) room.advance(1)
  }
  for (let ms = 0; ms < 10_001; ms++) room.advance(1)
  plain.take()
  for (const [n, watch] of watches.entries()) {
    watch.take()
    assert.deepEqual(
      sorted(byQuote(watch.shown)),
      sorted(conflated(plain.shown, delays[n]!, room.nowAt)),
      `seed ${SEED}: conflate-ms ${delays[n]}`,
    )
    assert.deepEqual(watch.desk.quotes, plain.desk.quotes, `seed ${SEED}: conflate-ms ${delays[n]}`)
  }
  assert(plain.shown.length > 2 * watches[0]!.shown.length, `seed ${SEED}: prices were merged`)
})

test('a price that is held back is shown when its time is over, however long others wait', () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  const slow = new Watch(room.connect(customer), { 'conflate-ms': '10000' })
  const tell = (odds: number): void => {
    room.tell('alpha', 1, [price('home', odds)])
    room.turn()
    room.advance(10)
  }
  tell(2)
  const fast = new Watch(room.connect(customer), { 'conflate-ms': '100' })
  tell(2.1)
  tell(2.2)
  for (let ms = 0; ms < 200; ms++) room.advance(1)
  fast.take()
  slow.take()
  assert.equal(fast.shown.at(-1)?.text.split(' ').at(-3), '2.2')
  assert.equal(slow.shown.length, 1)
})

test('a status replaces the price that was held back, at once and with the price of its moment', () => {
  room = newRoom()
  const watch = new Watch(room.connect(room.addCustomer('desk')), { 'conflate-ms': '1000' })
  room.tell('alpha', 1, [price('home', 2)])
  room.turn()
  room.tell('alpha', 1, [price('home', 2.1)])
  room.turn()
  room.tell('alpha', 1, [price('home', 2.2, 'suspended')])
  room.turn()
  watch.take()
  assert.deepEqual(
    watch.shown.map(({ change, text }) => `${change} ${text.split(' ').at(-3)}`),
    ['added 2', 'suspended 2.2'],
  )
  for (let ms = 0; ms < 3_000; ms += 100) room.advance(100)
  watch.take()
  assert.equal(watch.shown.length, 2, 'the price that was held back is gone')
})

/** A desk with a price that is held back from it: shown 2, held 2.5. */
const held = (headers: Readonly<Record<string, string>> = {}): { watch: Watch; connect: () => MemoryClient } => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  const watch = new Watch(room.connect(customer), { 'conflate-ms': '1000', ...headers })
  room.tell('alpha', 1, [price('home', 2)])
  room.turn()
  room.advance(100)
  room.tell('alpha', 1, [price('home', 2.5)])
  room.turn()
  watch.take()
  assert.deepEqual(
    [...watch.desk.quotes.values()].map(({ odds }) => odds),
    [2],
  )
  return { watch, connect: () => room.connect(customer) }
}

const oddsOf = (watch: Watch): string[] =>
  [...watch.desk.quotes.values()].map(({ odds, status }) => `${odds} ${status}`).sort()

test('a desk that is disconnected while a price is held back gets it when it resumes', async () => {
  const { watch, connect } = held()
  const next = watch.resume(connect())
  await room.settle()
  room.advance(1_000)
  next.take()
  assert.deepEqual(oddsOf(next), ['2.5 open'])
})

test('a desk that resumes after a message which overtook a held price gets that price', async () => {
  const { watch, connect } = held()
  room.advance(850)
  room.tell('beta', 1, [price('away', 3)])
  room.turn()
  const next = watch.resume(connect())
  await room.settle()
  room.advance(1_000)
  next.take()
  assert.deepEqual(oddsOf(next), ['2.5 open', '3 open'])
})

test('late timers cost a desk that is disconnected and resumes no price', async () => {
  const { watch, connect } = held()
  // The loop was busy: the price was due long ago when the next turn comes.
  room.jump(3_000)
  room.tell('beta', 1, [price('away', 3)])
  room.turn()
  const next = watch.resume(connect())
  await room.settle()
  room.advance(5_000)
  next.take()
  assert.deepEqual(oddsOf(next), ['2.5 open', '3 open'])
})

test('a desk that resumes after a late turn gets the price that was held back in it', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  const watch = new Watch(room.connect(customer), { 'conflate-ms': '10' })
  room.tell('alpha', 1, [price('home', 2)])
  room.tell('alpha', 1, [price('home', 2.5)])
  // The loop is busy: what arrived long before is recorded and held back only now, with the turn.
  room.jump(500)
  room.tell('beta', 1, [price('away', 3)])
  room.turn()
  watch.take()
  assert.deepEqual(oddsOf(watch), ['2 open', '3 open'])
  const next = watch.resume(room.connect(customer))
  await room.settle()
  room.advance(1_000)
  next.take()
  assert.deepEqual(oddsOf(next), ['2.5 open', '3 open'])
})

test('a resume after a status does not repeat the price before it', async () => {
  const { watch, connect } = held()
  room.tell('alpha', 1, [price('home', 2.5, 'suspended')])
  room.turn()
  const next = watch.resume(connect())
  await room.settle()
  next.take()
  assert.deepEqual(oddsOf(next), ['2.5 suspended'])
})

test('a resume after a quote was closed does not repeat it', async () => {
  const { watch, connect } = held()
  room.tell('alpha', 1, [price('home', 2.5, 'closed')])
  room.turn()
  const next = watch.resume(connect())
  await room.settle()
  next.take()
  assert.deepEqual(oddsOf(next), [])
})

test('a price that is held back survives a change of rights that does not concern it', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  const client = room.connect(customer)
  const destination = '/topic/odds.*.alpha.*'
  const desk = new Desk({ destination, conflates: true })
  desk.awaitSnapshot()
  client.subscribe(destination, { snapshot: 'true', 'conflate-ms': '1000' })
  await room.settle()
  for (const odds of [2, 2.5]) {
    room.tell('alpha', 1, [price('home', odds)])
    room.turn()
    room.advance(100)
  }
  // Now the desk may not see the other bookmaker any more.
  room.setEntitlement(customer, ['alpha'])
  await room.settle()
  room.advance(2_000)
  await room.settle()
  for (const frame of client.messages()) desk.apply(frame)
  assert.deepEqual(
    [...desk.quotes.values()].map(({ odds }) => odds),
    [2.5],
  )
})

test('the chain of prev does not hide a message that came before a price which was held back', () => {
  const { watch } = held()
  room.tell('beta', 1, [price('away', 3)])
  room.turn()
  room.advance(1_000)
  room.tell('beta', 1, [price('away', 3.5)])
  room.turn()
  const points = watch.client.messages().map(({ headers }) => ({
    seq: Number(headers.get('message-id')!.split('-')[1]),
    prev: Number(headers.get('prev')!.split('-')[1]),
  }))
  assert.equal(points.length, 3)
  const [before, late, after] = points
  assert(late!.seq < before!.seq, 'the price that was held back has its own seq')
  // A desk that missed the first two finds it by the third.
  assert(after!.prev >= before!.seq, `prev ${after!.prev} hides message ${before!.seq}`)
})

test('what a change of rights repeats has the seq of a message as its prev, not a point of the log', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  const client = room.connect(customer)
  client.subscribe('/topic/odds.*.alpha.*', { 'conflate-ms': '1000' })
  await room.settle()
  for (const [n, entitlement] of [['alpha'], BOOKS].entries()) {
    for (const step of [0, 1]) {
      room.tell('alpha', 1, [price('home', 2 + n + step / 10)])
      room.turn()
    }
    // The subscription does not get this one.
    room.tell('beta', 1, [price('home', 3 + n)])
    room.turn()
    room.setEntitlement(customer, entitlement)
    await room.settle()
  }
  room.advance(2_000)
  await room.settle()
  const seqOf = (text: string): number => Number(text.split('-')[1])
  const messages = client.messages()
  assert(messages.length >= 3, `${messages.length} messages`)
  let greatest = 0
  for (const { headers } of messages) {
    const prev = seqOf(headers.get('prev')!)
    assert(greatest === 0 || prev === greatest, `prev ${prev}, but the message before was ${greatest}`)
    greatest = Math.max(greatest, seqOf(headers.get('message-id')!))
  }
})

test('a price that is replayed and then released may be acknowledged as often as it came', async () => {
  const { watch, connect } = held()
  const from = `${watch.desk.epoch}-${watch.desk.seq}`
  const client = connect()
  client.subscribe(ALL, { 'conflate-ms': '1000', ack: 'client-individual', 'from-seq': from })
  await room.settle()
  room.advance(1_000)
  await room.settle()
  const messages = client.messages()
  assert(messages.length > 0)
  for (const { headers } of messages) client.send('ACK', { id: headers.get('ack') })
  await room.settle()
  assert.deepEqual(client.messages(), [], 'no ERROR')
})
