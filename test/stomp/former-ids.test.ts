// Destinations that name the id of an event that was merged: at SUBSCRIBE, while it is subscribed to, at resume, and before
// the event is there. What a desk knows in the end is what the board, and so REST, answers to that id.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventDecision } from '../../src/domain/event-identity.ts'
import { QUOTE_STATUSES } from '../../src/domain/quote.ts'
import { Random, SEED } from '../random.ts'
import { bodyOf, Desk, quoteName } from './desk.ts'
import {
  bookmaker,
  type Customer,
  LiveRoom,
  type LiveRoomOptions,
  type MemoryClient,
  price,
  sighting,
} from './memory-carrier.ts'
import { CARRIERS, type Carrier } from './raw-client.ts'
import type { ServerFrame } from './strict-frames.ts'

const keyOf = (n: number): string => `source${n}:${n}`

const eventAt = (n: number) => sighting(n, { sourceKey: keyOf(n) })

/** A room in which the n-th event is known to the n-th source. */
class Site {
  readonly room: LiveRoom
  readonly customer: Customer
  private decisions: EventDecision[] = []

  constructor(limits: LiveRoomOptions['limits'] = {}) {
    this.room = new LiveRoom({ bookmakers: [bookmaker('alpha'), bookmaker('beta')], limits })
    this.customer = this.room.addCustomer('desk')
  }

  tell(n: number, slug: string, odds: number, outcome = 'home'): void {
    this.room.tell(slug, n, [price(outcome, odds)], { event: eventAt(n) })
    this.room.turn()
  }

  /** The id of the n-th event: what it was when it was seen alone. */
  idOf(n: number): string {
    return this.room.engine.sightings.knownEvent(keyOf(n))!.event.id
  }

  decide(kind: 'merge' | 'split', a: number, b: number): void {
    const keys = [keyOf(a), keyOf(b)] as const
    this.decisions.push(kind === 'merge' ? { kind, keys, swapped: false } : { kind, keys })
    this.decideAll(this.decisions)
  }

  decideAll(decisions: readonly EventDecision[]): void {
    this.decisions = [...decisions]
    this.room.turns.add({ kind: 'decide', decisions: this.decisions }, (refusal) => assert.equal(refusal, undefined))
    this.room.turn()
  }

  /** The point of the log by now. */
  get point(): string {
    const { engine } = this.room
    return `${engine.epoch}-${engine.seq}`
  }

  /** What the board answers to an id, as a desk knows it. */
  answer(id: string): Record<string, string> {
    const { reader } = this.room.engine
    const view = reader.eventOf(id)
    const quotes: Record<string, string> = {}
    for (const book of view === undefined ? [] : reader.liveBookmakers(view)) {
      reader.visitLiveBook(view!, book, this.room.nowAt, (_type, _line, outcome, odds, status) => {
        const label = JSON.parse(Buffer.from(outcome).toString())
        const name = quoteName(view!.event.id, reader.bookmakerSlug(book), 'match_result_1x2', null, label)
        quotes[name] = `${odds} ${QUOTE_STATUSES[status - 1]}`
      })
    }
    return quotes
  }
}

/** A desk that subscribes to an id. */
class Follower {
  readonly desk: Desk
  readonly frames: ServerFrame[] = []
  readonly id: string
  private readonly site: Site
  private readonly kind: Carrier
  private client: MemoryClient | undefined

  constructor(site: Site, id: string, kind: Carrier, topic = 'odds') {
    this.site = site
    this.id = id
    this.kind = kind
    const destination = topic === 'odds' ? `/topic/odds.football.*.${id}` : `/topic/${topic}.football.${id}`
    this.desk = new Desk({ destination })
  }

  subscribe(headers: Readonly<Record<string, string>>): void {
    this.client = this.site.room.connect(this.site.customer, this.kind)
    if (headers.snapshot === 'true') this.desk.awaitSnapshot()
    else if (headers['from-seq'] === undefined) this.desk.awaitChanges()
    else this.desk.goOn(Number(headers['from-seq'].split('-')[1]))
    this.client.subscribe(this.desk.options.destination, headers)
  }

  cut(): void {
    this.client?.cut()
    this.client = undefined
  }

  async take(): Promise<readonly ServerFrame[]> {
    await this.site.room.settle()
    const frames = this.client!.messages()
    for (const frame of frames) this.desk.apply(frame)
    this.frames.push(...frames)
    return frames
  }

  get quotes(): Record<string, string> {
    return Object.fromEntries([...this.desk.quotes].map(([name, { odds, status }]) => [name, `${odds} ${status}`]))
  }
}

const kindsOf = (frames: readonly ServerFrame[]): string[] => frames.map((frame) => frame.headers.get('kind')!)

/** The changes in messages, each with the event that it names. */
const changesOf = (frames: readonly ServerFrame[]): string[] =>
  frames
    .filter((frame) => frame.headers.get('kind') === 'update')
    .flatMap((frame) => {
      const { eventId, quotes } = bodyOf(frame)
      return (quotes as unknown as { change: string }[]).map(({ change }) => `${eventId} ${change}`)
    })

for (const kind of CARRIERS) {
  const newSite = (t: { after(fn: () => void): void }): Site => {
    const site = new Site()
    t.after(() => site.room.close())
    return site
  }

  /** Event 1 at alpha and event 2 at beta; 2 is merged into 1. */
  const merged = (site: Site): { readonly into: string; readonly former: string; readonly before: string } => {
    site.tell(1, 'alpha', 2)
    site.tell(2, 'beta', 3)
    const [into, former, before] = [site.idOf(1), site.idOf(2), site.point]
    assert.notEqual(into, former)
    site.decide('merge', 1, 2)
    assert.equal(site.idOf(2), into)
    return { into, former, before }
  }

  test(`a snapshot at a former id is that of what it became, and continues (${kind})`, async (t) => {
    const site = newSite(t)
    const { into, former } = merged(site)
    const follower = new Follower(site, former, kind)
    follower.subscribe({ snapshot: 'true' })
    assert.deepEqual(kindsOf(await follower.take()), ['snapshot', 'snapshot', 'snapshot-end'])
    site.tell(1, 'alpha', 2.5)
    site.tell(2, 'beta', 3.5)
    assert.deepEqual(changesOf(await follower.take()), [`${into} repriced`, `${into} repriced`])
    assert.deepEqual(follower.quotes, site.answer(former))
  })

  test(`from a point after the merge it resumes without a reset (${kind})`, async (t) => {
    const site = newSite(t)
    const { into, former } = merged(site)
    site.tell(1, 'alpha', 2.1)
    const point = site.point
    site.tell(2, 'beta', 3.5)
    const follower = new Follower(site, former, kind)
    follower.subscribe({ 'from-seq': point })
    assert.deepEqual(changesOf(await follower.take()), [`${into} repriced`])
    site.tell(1, 'alpha', 2.6)
    assert.deepEqual(changesOf(await follower.take()), [`${into} repriced`])
    assert.deepEqual(follower.desk.resets, [])
  })

  test(`from a point before the merge it gets how the former event ended, and then what it became (${kind})`, async (t) => {
    const site = newSite(t)
    const { into, former, before } = merged(site)
    site.tell(1, 'alpha', 2.5)
    const follower = new Follower(site, former, kind)
    follower.subscribe({ 'from-seq': before })
    const frames = await follower.take()
    assert.deepEqual(changesOf(frames), [`${former} aged_out`])
    assert.deepEqual(kindsOf(frames), ['update', 'reset', 'snapshot', 'snapshot', 'snapshot-end'])
    assert.deepEqual(follower.desk.resets, ['audience'])
    assert.deepEqual(follower.quotes, site.answer(former))
    site.tell(2, 'beta', 3.5)
    assert.deepEqual(changesOf(await follower.take()), [`${into} repriced`])
    assert.deepEqual(follower.quotes, site.answer(former))
  })

  test(`a subscription with a snapshot goes over when the event is merged, and back when it is split (${kind})`, async (t) => {
    const site = newSite(t)
    site.tell(1, 'alpha', 2)
    site.tell(2, 'beta', 3)
    const [into, former] = [site.idOf(1), site.idOf(2)]
    const follower = new Follower(site, former, kind)
    follower.subscribe({ snapshot: 'true' })
    await follower.take()
    site.decide('merge', 1, 2)
    const over = await follower.take()
    assert.deepEqual(changesOf(over), [`${former} aged_out`])
    assert.deepEqual(kindsOf(over), ['update', 'reset', 'snapshot', 'snapshot', 'snapshot-end'])
    assert.deepEqual(follower.quotes, site.answer(former))
    site.tell(1, 'alpha', 2.5)
    assert.deepEqual(changesOf(await follower.take()), [`${into} repriced`])
    site.decide('split', 1, 2)
    assert.equal(site.idOf(2), former, 'the id leads to its own event again')
    await follower.take()
    assert.deepEqual(follower.quotes, site.answer(former))
    assert.equal(Object.keys(follower.quotes).length, 1)
    site.tell(1, 'alpha', 2.7)
    assert.deepEqual(await follower.take(), [])
    site.tell(2, 'beta', 3.7)
    assert.deepEqual(changesOf(await follower.take()), [`${former} repriced`])
  })

  test(`a subscription to changes alone gets both, without a reset (${kind})`, async (t) => {
    const site = newSite(t)
    site.tell(1, 'alpha', 2)
    site.tell(2, 'beta', 3)
    const [into, former] = [site.idOf(1), site.idOf(2)]
    const follower = new Follower(site, former, kind)
    follower.subscribe({})
    await follower.take()
    site.decide('merge', 1, 2)
    site.tell(1, 'alpha', 2.5)
    assert.deepEqual(changesOf(await follower.take()), [`${former} aged_out`, `${into} added`, `${into} repriced`])
    assert.deepEqual(follower.desk.resets, [])
  })

  test(`before its event exists, an id leads nowhere; its subscriber is notified when it does (${kind})`, async (t) => {
    // The ids, from another life of the service.
    const past = new Site()
    past.tell(1, 'alpha', 2)
    past.tell(2, 'beta', 3)
    const [into, former] = [past.idOf(1), past.idOf(2)]
    past.room.close()

    const site = newSite(t)
    site.decideAll([{ kind: 'merge', keys: [keyOf(1), keyOf(2)], swapped: false }])
    const follower = new Follower(site, former, kind)
    const changes = new Follower(site, former, kind)
    follower.subscribe({ snapshot: 'true' })
    changes.subscribe({})
    assert.deepEqual(kindsOf(await follower.take()), ['snapshot-end'])
    site.tell(1, 'alpha', 2)
    assert.deepEqual(await follower.take(), [], 'it is not merged yet')
    site.tell(2, 'beta', 3)
    assert.equal(site.idOf(2), into)
    await follower.take()
    assert.deepEqual(follower.quotes, site.answer(former))
    assert.equal(Object.keys(follower.quotes).length, 2)
    assert.deepEqual(changesOf(await changes.take()), [`${into} added`])
    site.tell(1, 'alpha', 2.5)
    assert.deepEqual(changesOf(await follower.take()), [`${into} repriced`])
    assert.deepEqual(changesOf(await changes.take()), [`${into} repriced`])
  })

  test(`on the topic events an id has appeared when it begins to lead to an event, and gone when it ends (${kind})`, async (t) => {
    // The ids, from another life of the service.
    const past = new Site()
    past.tell(1, 'alpha', 2)
    past.tell(2, 'beta', 3)
    const [into, former] = [past.idOf(1), past.idOf(2)]
    past.room.close()

    const site = newSite(t)
    site.decideAll([{ kind: 'merge', keys: [keyOf(1), keyOf(2)], swapped: false }])
    const changes = new Follower(site, former, kind, 'events')
    const whole = new Follower(site, into, kind, 'events')
    const all = new Follower(site, '*', kind, 'events')
    const snapshot = new Follower(site, former, kind, 'events')
    for (const follower of [changes, whole, all]) follower.subscribe({})
    snapshot.subscribe({ snapshot: 'true' })
    await snapshot.take()
    const told = async (follower: Follower): Promise<string[]> =>
      (await follower.take()).map((frame) => {
        const { change, id } = bodyOf(frame)
        return [frame.headers.get('kind'), change, id].filter((text) => text !== undefined).join(' ')
      })
    site.tell(1, 'alpha', 2)
    assert.deepEqual(await told(changes), [], 'it is not merged yet')
    for (const follower of [whole, all]) assert.deepEqual(await told(follower), [`update appeared ${into}`])
    const before = site.point
    site.tell(2, 'beta', 3)
    assert.deepEqual(await told(changes), [`update appeared ${into}`])
    for (const follower of [whole, all]) assert.deepEqual(await told(follower), [], 'it is there already')
    assert.deepEqual(await told(snapshot), ['reset', `snapshot ${into}`, 'snapshot-end'])
    site.decideAll([{ kind: 'split', keys: [keyOf(1), keyOf(2)] }])
    assert.equal(site.idOf(2), former)
    assert.deepEqual(await told(changes), [`update gone ${into}`, `update appeared ${former}`])
    assert.deepEqual(await told(whole), [])
    assert.deepEqual(await told(all), [`update appeared ${former}`])
    // Both in one turn, and the event before its id.
    site.decideAll([{ kind: 'merge', keys: [keyOf(1), keyOf(2)], swapped: false }])
    assert.deepEqual(await told(changes), [
      `update changed ${former}`,
      `update gone ${former}`,
      `update appeared ${into}`,
    ])
    const late = new Follower(site, former, kind, 'events')
    late.desk.phase = 'state'
    late.subscribe({ 'from-seq': before })
    assert.deepEqual((await told(late)).slice(-3), ['reset', `snapshot ${into}`, 'snapshot-end'])
  })

  test(`an event and the id that leads to it appear in one turn: it is published once (${kind})`, async (t) => {
    const past = new Site()
    past.tell(2, 'beta', 3)
    const former = past.idOf(2)
    past.room.close()
    const site = newSite(t)
    site.decideAll([{ kind: 'merge', keys: [keyOf(1), keyOf(2)], swapped: false }])
    const follower = new Follower(site, former, kind, 'events')
    follower.subscribe({})
    for (const [n, slug] of [
      [1, 'alpha'],
      [2, 'beta'],
    ] as const) {
      site.room.tell(slug, n, [price('home', 2)], { event: eventAt(n) })
    }
    site.room.turn()
    assert.deepEqual(
      (await follower.take()).map((frame) => `${bodyOf(frame).change} ${bodyOf(frame).id}`),
      [`appeared ${site.idOf(1)}`],
    )
  })

  test(`on the topic events a former id names what it is merged into, and then is that event (${kind})`, async (t) => {
    const site = newSite(t)
    site.tell(1, 'alpha', 2)
    site.tell(2, 'beta', 3)
    const [into, former] = [site.idOf(1), site.idOf(2)]
    const follower = new Follower(site, former, kind, 'events')
    follower.subscribe({ snapshot: 'true' })
    await follower.take()
    const before = site.point
    site.decide('merge', 1, 2)
    for (const each of [follower, new Follower(site, former, kind, 'events')]) {
      if (each !== follower) {
        each.desk.events.set(former, {})
        each.desk.phase = 'state'
        each.subscribe({ 'from-seq': before })
      }
      const told = (await each.take()).map((frame) => {
        const { change, id, mergedInto } = bodyOf(frame)
        return [frame.headers.get('kind'), change, id, mergedInto].filter((text) => text !== undefined).join(' ')
      })
      assert.deepEqual(told, [
        `update changed ${former} ${into}`,
        `update gone ${former}`,
        'reset',
        `snapshot ${into}`,
        'snapshot-end',
      ])
    }
  })
}

test('desks that name ids of events that are merged and split all the time know what REST answers', async () => {
  const EVENTS = 5
  for (let run = 0; run < 12; run++) {
    const random = new Random(SEED + run)
    // Every other time all of them follow the log.
    const site = new Site({ streamedPerTopicMax: run % 2 === 0 ? 8 : 0 })
    try {
      // Ids are distinguished by their events when they come alone.
      const ids: string[] = []
      for (let n = 1; n <= EVENTS; n++) {
        site.tell(n, random.pick(['alpha', 'beta']), random.int(110, 900) / 100)
        ids.push(site.idOf(n))
      }
      const followers = ids.flatMap((id) => CARRIERS.map((kind) => new Follower(site, id, kind)))
      for (const follower of followers) follower.subscribe({ snapshot: 'true' })
      for (let step = 0; step < 120; step++) {
        const n = random.int(1, EVENTS)
        const chance = random.int(0, 99)
        if (chance < 70)
          site.tell(n, random.pick(['alpha', 'beta']), random.int(110, 900) / 100, random.pick(['home', 'away']))
        else if (chance < 85) {
          const other = random.int(1, EVENTS)
          if (other !== n) site.decide(random.pick(['merge', 'split']), n, other)
        } else {
          const follower = random.pick(followers)
          if (random.chance(0.5)) await follower.take()
          follower.cut()
          const more = random.int(0, 2)
          for (let count = 0; count < more; count++)
            site.tell(random.int(1, EVENTS), 'alpha', random.int(110, 900) / 100)
          follower.subscribe(follower.desk.phase === 'state' ? follower.desk.resumeHeaders : { snapshot: 'true' })
        }
        site.room.advance(random.int(0, 50))
        if (random.chance(0.3)) for (const follower of followers) if (random.chance(0.5)) await follower.take()
      }
      for (const follower of followers) {
        await follower.take()
        assert.deepEqual(follower.quotes, site.answer(follower.id), `id ${follower.id}`)
      }
    } catch (error) {
      if (error instanceof Error) error.message = `seed ${SEED + run}: ${error.message}`
      throw error
    } finally {
      site.room.close()
    }
  }
})
