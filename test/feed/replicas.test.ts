// Sources of several processes with a real Redis and a site that counts who polls it: each source runs in one process at a
// time, whatever stops, freezes or is cut off.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { elapsedMs, now } from '../../src/clock.ts'
import type { Input } from '../../src/domain/input.ts'
import type { RedisLeasesLimits } from '../../src/feed/redis-leases.ts'
import type { SourcePlan } from '../../src/feed/running-source.ts'
import { type RedisAddress, redisAddressOf } from '../../src/redis/redis-address.ts'
import { KambiPoller } from '../../src/source/kambi/kambi-poller.ts'
import { Paces } from '../../src/source/kit/rate.ts'
import { Site } from '../feeds/site.ts'
import { until } from '../feeds/waiting.ts'
import { Random, SEED } from '../random.ts'
import { type RedisServer, redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { DIRECT, QUICK } from '../source/kit/scripted-source.ts'
import { openQuotes, Replica, SharedLog } from './replicas.ts'

const skip = redisMissing()
const test = testsWith('redis-server', skip)

const POLL_MS = 20
const START = `${new Date(now() + 3_600_000).toISOString().slice(0, 19)}Z`

const EVENT = {
  ...{ id: 1, homeName: 'Harbour', awayName: 'Kestrel', start: START },
  path: [{ termKey: 'football' }, { termKey: 'northland' }],
}

const pageOf = (odds: number): string => {
  const outcomes = ['OT_ONE', 'OT_TWO'].map((type) => ({ type, odds, status: 'OPEN' }))
  const offer = { id: 10, eventId: 1, criterion: { id: 1001159858 }, outcomes }
  return JSON.stringify({ betOffers: [offer], events: [EVENT] })
}

let server: RedisServer

before(async () => {
  if (skip === false) server = await startRedis()
})

after(async () => {
  await server?.remove()
})

/** Processes, the sources that they share, and who has run and polled which of them. */
class World {
  readonly log = new SharedLog()
  readonly site = new Site()
  readonly replicas: Replica[] = []
  /** `PROCESS SOURCE`, as the site was asked, with when by {@link elapsedMs}. */
  readonly polls: { readonly process: string; readonly source: string; readonly ms: number }[] = []
  /** What is wrong. */
  readonly faults: string[] = []
  leader = 'a'
  /** By source: the process whose connector is open. */
  private readonly open = new Map<string, string>()
  private readonly limits: RedisLeasesLimits | undefined
  private readonly address: RedisAddress
  private alive = 0
  private live = new Set<string>()

  constructor(prefix: string, limits?: RedisLeasesLimits) {
    this.limits = limits
    const address = redisAddressOf(server.url, prefix)
    assert(typeof address !== 'string')
    this.address = address
    this.site.onAsked = (url) => {
      const { pathname, searchParams } = new URL(url, 'http://site')
      const process = searchParams.get('by')!
      const source = pathname.slice(1)
      this.polls.push({ process, source, ms: elapsedMs() })
      // A request may have been on its way when its source was stopped, and not when another process had begun.
      if ((this.open.get(source) ?? process) !== process) this.faults.push(`${process} polls ${source}`)
    }
  }

  /** A process that is to run sources. */
  async add(id: string, ...sources: string[]): Promise<Replica> {
    this.alive++
    this.live.add(id)
    const replica = new Replica({
      ...{ id, log: this.log, address: this.address, processes: () => this.alive },
      ...(this.limits === undefined ? {} : { limits: this.limits, timeoutMs: 150 }),
      isLeader: () => this.leader === id && this.live.has(id),
    })
    this.replicas.push(replica)
    await replica.configure(...sources.map((source) => this.plan(id, source)))
    return replica
  }

  /** It is gone: it is not heard of any more. */
  kill(replica: Replica): void {
    replica.cut()
    this.alive--
    this.live.delete(replica.id)
  }

  plan(process: string, source: string): SourcePlan {
    const settings = {
      ...{ access: DIRECT, limits: QUICK, bookmaker: `${source}_book`, transport: 'both' as const, operator: 'op' },
      ...{ payload: { pricesMax: 1_000, textLengthMax: 200 }, eventsMax: 9, horizonMs: 86_400_000 },
      ...{ afterKickoffMs: 86_400_000, lists: [], event: null, baseUrl: `${this.site.origin}/` },
      pages: [{ path: `${source}?start={start}&by=${process}`, size: 10, pagesMax: 1, intervalMs: POLL_MS }],
    }
    return {
      terms: { name: source, lateMs: 5_000, downMs: 10_000, suspendMs: 0, behindMsMax: Number.POSITIVE_INFINITY },
      kind: 'kambi',
      budget: { pricesPerSecond: 1e6, pricesBurst: 1e6 },
      bookmakers: [`${source}_book`],
      never: null,
      input: { process, source },
      connect: (context) => {
        const holder = this.open.get(source)
        if (holder !== undefined) this.faults.push(`${process} begins ${source} while ${holder} runs it`)
        this.open.set(source, process)
        const poller = new KambiPoller(settings, context, new Paces())
        const stop = poller.stop.bind(poller)
        poller.stop = () => {
          if (this.open.get(source) === process) this.open.delete(source)
          return stop()
        }
        return poller
      },
    }
  }

  runner(source: string): Replica | undefined {
    return this.replicas.find((replica) => replica.runs(source))
  }

  /** Which process polled a source, without repetitions. */
  pollers(source: string): string[] {
    const all = this.polls.filter((poll) => poll.source === source).map(({ process }) => process)
    return all.filter((process, place) => process !== all[place - 1])
  }

  told(): string {
    const states = this.replicas.map(({ id, supervisor }) => [
      id,
      supervisor.statuses().map(({ name, state, holder }) => `${name} ${state} ${holder}`),
    ])
    return JSON.stringify({ states, faults: this.faults, seed: SEED })
  }

  async stop(): Promise<void> {
    for (const replica of this.replicas) replica.mend()
    await Promise.all(this.replicas.map((replica) => replica.stop()))
    await this.site.stop()
  }
}

const withWorld = async (
  prefix: string,
  limits: RedisLeasesLimits | undefined,
  run: (world: World) => Promise<void>,
): Promise<void> => {
  const world = new World(prefix, limits)
  await world.site.start()
  try {
    await run(world)
    assert.deepEqual(world.faults, [], `seed ${SEED}`)
  } finally {
    await world.stop()
  }
}

test('a source is polled by one process; when that is gone another one polls within 4 s, and opens what it observes', () =>
  withWorld('takeover', undefined, async (world) => {
    world.site.put('/one', pageOf(2_000))
    const a = await world.add('a', 'one')
    await until(
      'a delivers',
      () => openQuotes(a).one_book === 4,
      () => world.told(),
    )
    const [b, c] = [await world.add('b', 'one'), await world.add('c', 'one')]
    await until('all have the quotes', () => openQuotes(b).one_book === 4 && openQuotes(c).one_book === 4)
    await until(
      'b knows who runs it',
      () => b.supervisor.statusOf('one')?.holder === 'a',
      () => world.told(),
    )
    const before = world.polls.length
    await until('it is polled', () => world.polls.length > before + 20)
    assert.deepEqual(world.pollers('one'), ['a'])
    assert.equal(b.stateOf('one'), 'standby')
    await until(
      'b need not wait',
      () => b.supervisor.undelivered().length === 0,
      () => world.told(),
    )
    assert.match((await b.supervisor.refresh('one', () => {})) ?? '', /^source "one" runs in process a$/)
    assert.deepEqual(b.supervisor.elsewhere('one_book', 'football'), [{ source: 'one', process: 'a' }])
    const health = () => b.engine.stateOf('one_book')
    await until('its health is known', () => health() === 'live')
    // From now on it answers nothing: what the next process shows open, it would have made up.
    world.site.be('silence')
    world.kill(a)
    const killedMs = elapsedMs()
    world.leader = 'b'
    const next = await until(
      'another one runs it',
      () => [b, c].find((each) => each.runs('one')),
      () => world.told(),
    )
    await until(
      'it polls',
      () => world.pollers('one').length === 2,
      () => world.told(),
    )
    const first = world.polls.find(({ process }) => process === next.id)!
    assert(first.ms - killedMs < 4_000, `after ${Math.round(first.ms - killedMs)} ms`)
    assert.equal(a.runs('one'), false, 'it has stopped by its own clock')
    await until('its quotes are suspended', () => [b, c].every((each) => openQuotes(each).one_book === undefined))
    await until('it is starting', () => health() === 'starting')
    world.site.be('well')
    await until(
      'they are open again',
      () => [b, c].every((each) => openQuotes(each).one_book === 4),
      () => world.told(),
    )
    await until('it is live', () => health() === 'live')
    // It comes back, with what it wanted to say before it was gone.
    a.mend()
    await until('a has what the others have', () => openQuotes(a).one_book === 4 && a.engine.seq === b.engine.seq)
    await until('a knows who runs it', () => a.supervisor.statusOf('one')?.holder === next.id)
    assert.equal(world.pollers('one').length, 2)
  }))

/** Whether an input opens quotes that are suspect, where it is heard. */
const opens = ({ kind }: Input): boolean => kind === 'observe' || kind === 'confirm'

test('what a process says late, after another has taken its source, opens nothing', () =>
  withWorld('late', undefined, async (world) => {
    world.site.put('/one', pageOf(2_000))
    const a = await world.add('a', 'one')
    await until(
      'a delivers',
      () => openQuotes(a).one_book === 4,
      () => world.told(),
    )
    const b = await world.add('b', 'one')
    await until('b has the quotes', () => openQuotes(b).one_book === 4)
    // Its turns are on their way for longer than its lease lasts.
    a.mute()
    world.leader = 'b'
    world.site.put('/one', pageOf(3_000))
    await until('a wants to say something new', () => a.end.unsentInputs().some(opens))
    world.site.be('silence')
    await until(
      'b runs it',
      () => b.runs('one'),
      () => world.told(),
    )
    await until('b has suspended them', () => openQuotes(b).one_book === undefined)
    const length = world.log.turns.length
    a.mend()
    await until('a has said it', () => world.log.turns.length > length)
    const late = world.log.turns.slice(length).flatMap(({ inputs }) => inputs)
    assert(late.some(opens), 'otherwise nothing is tested')
    await until(
      'all have applied it',
      () => a.engine.seq === b.engine.seq && b.engine.lastTurnAt >= world.log.turns.at(-1)!.at,
    )
    assert.deepEqual([openQuotes(a), openQuotes(b)], [{}, {}])
    assert.equal(a.runs('one'), false)
  }))

test('while Redis is frozen its holder stops before the lease can have ended, and nobody runs it until Redis is back', () =>
  withWorld('frozen', undefined, async (world) => {
    world.site.put('/one', pageOf(2_000))
    const a = await world.add('a', 'one')
    await until(
      'a delivers',
      () => openQuotes(a).one_book === 4,
      () => world.told(),
    )
    const b = await world.add('b', 'one')
    await until(
      'b stands by',
      () => b.supervisor.statusOf('one')?.holder === 'a',
      () => world.told(),
    )
    server.freeze()
    try {
      const frozenMs = elapsedMs()
      await until(
        'a stops',
        () => !a.runs('one'),
        () => world.told(),
      )
      const stoppedMs = elapsedMs() - frozenMs
      assert(stoppedMs <= 2_300, `after ${Math.round(stoppedMs)} ms, of 3 s`)
      const before = world.polls.length
      await until('a lease would have ended', () => elapsedMs() - frozenMs > 4_000)
      assert.equal(world.polls.length, before, 'nobody polls')
    } finally {
      server.thaw()
    }
    const thawedMs = elapsedMs()
    await until(
      'somebody runs it',
      () => world.runner('one'),
      () => world.told(),
    )
    assert(elapsedMs() - thawedMs < 4_000)
    await until('it is open again', () => openQuotes(a).one_book === 4 && openQuotes(b).one_book === 4)
  }))

test('a process that stops in order hands its sources over at once, and one that starts has its part of them', () =>
  withWorld('order', undefined, async (world) => {
    const sources = ['s1', 's2', 's3', 's4', 's5', 's6']
    for (const source of sources) world.site.put(`/${source}`, pageOf(2_000))
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((id) => world.add(id, ...sources)))
    const counts = (): number[] => world.replicas.map(({ supervisor }) => supervisor.figures().length)
    await until(
      'all run',
      () => counts().reduce((sum, count) => sum + count) === sources.length,
      () => world.told(),
    )
    assert.deepEqual(counts(), [2, 2, 2], 'each has its part')
    await until(
      'all are open',
      () => Object.keys(openQuotes(a!)).length === sources.length,
      () => world.told(),
    )
    world.kill(a!)
    a!.mend()
    const stoppedMs = elapsedMs()
    world.leader = 'b'
    await a!.stop()
    await until('the others run them', () => b!.supervisor.figures().length + c!.supervisor.figures().length === 6)
    assert(elapsedMs() - stoppedMs < 1_500, `after ${Math.round(elapsedMs() - stoppedMs)} ms`)
    assert.deepEqual(counts().slice(1), [3, 3])
    await until(
      'all are open again',
      () => Object.values(openQuotes(b!)).join() === '4,4,4,4,4,4',
      () => world.told(),
    )
    // A configuration without one of them, first here, then there.
    await b!.configure(...sources.slice(1).map((source) => world.plan('b', source)))
    await c!.configure(...sources.slice(1).map((source) => world.plan('c', source)))
    await until('it is suspended', () => openQuotes(b!).s1_book === undefined && openQuotes(c!).s1_book === undefined)
    world.replicas.splice(0, 1)
  }))

test('quotes of a source that no process is configured to run are suspended by the leader alone', () =>
  withWorld('nobody', undefined, async (world) => {
    for (const source of ['s1', 's2']) world.site.put(`/${source}`, pageOf(2_000))
    const a = await world.add('a', 's1')
    world.leader = 'b'
    const b = await world.add('b', 's2')
    await until(
      'both deliver',
      () => Object.keys(openQuotes(b)).length === 2,
      () => world.told(),
    )
    const producers = [...b.engine.producers()].length
    await until('the leader has looked', () => world.log.turns.at(-1)!.at - world.log.turns[0]!.at > 1_500)
    assert.deepEqual([Object.keys(openQuotes(b)).length, [...b.engine.producers()].length], [2, producers])
    world.kill(a)
    await until(
      'they are suspended',
      () => openQuotes(b).s1_book === undefined,
      () => world.told(),
    )
    assert.equal(openQuotes(b).s2_book, 4)
  }))

/** Short ones, so that much happens in a few seconds. */
const SHORT: RedisLeasesLimits = {
  ...{ leaseMs: 900, leaseRenewMs: 250, leaseStopMs: 600, leaseLookMs: 40, leaseWaitMs: 80, leaseStartMs: 0 },
}

test('a Redis that is restarted empty has lost the leases: nobody takes one before its holder has stopped', () =>
  withWorld('empty', SHORT, async (world) => {
    world.site.put('/one', pageOf(2_000))
    const a = await world.add('a', 'one')
    await until(
      'a runs',
      () => openQuotes(a).one_book === 4,
      () => world.told(),
    )
    const b = await world.add('b', 'one')
    await until(
      'b stands by',
      () => b.supervisor.statusOf('one')?.holder === 'a',
      () => world.told(),
    )
    await until('b knows the run', () => b.engine.runOf('one') === a.engine.runOf('one'))
    const run = a.engine.runOf('one')
    // Its connection breaks, and it is not told that its lease is gone.
    a.cut()
    await server.kill9()
    await server.start()
    await until(
      'b runs it',
      () => b.runs('one'),
      () => world.told(),
    )
    a.mend()
    await until('all know the run', () => a.engine.runOf('one') > run && b.engine.runOf('one') > run)
    await until(
      'it is open',
      () => openQuotes(a).one_book === 4 && openQuotes(b).one_book === 4,
      () => world.told(),
    )
    assert(a.logged.some((line) => /lease was lost/.test(line)))
    assert.deepEqual(world.pollers('one'), ['a', 'b'])
  }))

test('where the memory of Redis is full, leases are renewed, and none are taken', () =>
  withWorld('full', SHORT, async (world) => {
    for (const source of ['s1', 's2']) world.site.put(`/${source}`, pageOf(2_000))
    const a = await world.add('a', 's1')
    await until(
      'it runs',
      () => a.runs('s1'),
      () => world.told(),
    )
    server.cli('CONFIG', 'SET', 'maxmemory', '1')
    try {
      await a.configure(world.plan('a', 's1'), world.plan('a', 's2'))
      const fromMs = elapsedMs()
      await until('a lease would have ended twice', () => elapsedMs() - fromMs > 2 * SHORT.leaseMs)
      assert.deepEqual([a.runs('s1'), a.runs('s2')], [true, false])
    } finally {
      server.cli('CONFIG', 'SET', 'maxmemory', '0')
    }
    await until(
      'it runs, too',
      () => a.runs('s2'),
      () => world.told(),
    )
    assert(!a.logged.some((line) => /lease was lost/.test(line)))
  }))

test('whatever is cut off, frozen or stopped, no source ever runs twice, and all run in the end', () =>
  withWorld('random', SHORT, async (world) => {
    const random = new Random(SEED)
    const sources = ['s1', 's2', 's3', 's4']
    for (const source of sources) world.site.put(`/${source}`, pageOf(2_000))
    let started = 0
    const start = (): Promise<Replica> => world.add(`p${++started}`, ...sources)
    const live = [await start(), await start(), await start()]
    world.leader = live[0]!.id
    const next = async (): Promise<void> => {
      const place = random.int(0, live.length - 1)
      const replica = live[place]!
      const untilMs = elapsedMs() + random.int(50, 1_500)
      const passed = (): boolean => elapsedMs() >= untilMs
      switch (random.int(0, 4)) {
        case 0:
          server.freeze()
          await until('a while', passed)
          server.thaw()
          break
        case 1:
          replica.cut()
          await until('a while', passed)
          replica.mend()
          break
        case 2:
          world.kill(replica)
          live[place] = await start()
          break
        case 3:
          await server.kill9()
          await until('a while', passed)
          await server.start()
          break
        default:
          world.kill(replica)
          replica.mend()
          await replica.stop()
          world.replicas.splice(world.replicas.indexOf(replica), 1)
          live[place] = await start()
      }
      world.leader = live[0]!.id
    }
    for (let step = 0; step < 12; step++) {
      await next()
      assert.deepEqual(world.faults, [], `step ${step}, seed ${SEED}`)
    }
    const open = (replica: Replica): string => Object.values(openQuotes(replica)).join()
    await until(
      'all run',
      () => sources.every((source) => live.some((each) => each.runs(source))),
      () => world.told(),
    )
    await until(
      'all are open',
      () => live.every((each) => open(each) === '4,4,4,4'),
      () => `${live.map(open)} ${world.told()}`,
    )
    await until('all have applied the same', () => new Set(live.map(({ engine }) => engine.seq)).size === 1)
  }))
