// Sources and operators: what they give the engine.

import { NO_PRODUCER } from '../../src/domain/feed-source.ts'
import type { Input } from '../../src/domain/input.ts'
import * as clock from '../../src/clock.ts'
import type { Random } from '../random.ts'
import { TIME } from './time.ts'
import type { World } from './world.ts'
import type { MarketType } from '../../src/domain/market.ts'
import { BOOKS, SPORTS } from './world-data.ts'

const inputOf = (world: World, random: Random): Input =>
  world.options.hasIdentity && random.chance(0.7)
    ? world.inputs.next(clock.now())
    : world.reports.input(random, clock.now())

const add = (world: World, input: Input): void => {
  const { server } = world
  // Decisions are the store's.
  if (input.kind === 'decide') {
    if (server !== undefined) world.book.decide(input.decisions)
  } else server?.turns.add(input)
}

const give = (world: World, random: Random): void => {
  if (world.server?.isStopping !== false || world.server.turns.isFull) return
  add(world, inputOf(world, random))
}

const some = (world: World, random: Random): void => {
  for (let count = random.int(1, 4); count > 0; count--) give(world, random)
}

const burst = (world: World, random: Random): void => {
  for (let count = random.int(50, 400); count > 0; count--) give(world, random)
}

/** A checkpoint while statements are still on their way to quotes, and a start from it. */
const burstAndKill = (world: World, random: Random): void => {
  burst(world, random)
  const { processes } = world
  TIME.after(random.int(0, 12), () => world.checkpoint(random))
  TIME.after(random.int(60, 400), () => {
    if (processes === world.processes) world.kill('kill -9')
  })
}

const commit = (world: World, random: Random): void => {
  const { server, reports } = world
  if (server?.isStopping !== false) return
  const nowAt = clock.now()
  const observations = Array.from({ length: random.int(1, 3) }, () => reports.observation(random, nowAt, null))
  server.turns.add({ kind: 'commit', observations })
  for (const observation of observations) {
    if (random.chance(0.2)) server.turns.add({ kind: 'observe', observation, producer: NO_PRODUCER, doubt: undefined })
  }
}

const suspend = (world: World, random: Random): void => {
  const { book, record } = world
  const others = book.decisions.filter((decision) => decision.kind !== 'suspend' || random.chance(0.5))
  const events = record.twin.events
  const event = events.length > 0 && random.chance(0.5) ? random.pick(events).id : null
  if (random.chance(0.6)) book.decide([...others, { kind: 'suspend', bookmaker: random.pick(BOOKS), event }])
  else book.decide(others)
}

/** Many prices at once, as when a match begins. */
const reprice = (world: World, random: Random): void => {
  const { server, record } = world
  if (server?.isStopping !== false || server.turns.isFull) return
  const quotes = record.twin.quotes.filter(({ status }) => status !== 'closed').slice(0, 120)
  for (const { event, bookmaker, transport, type, line, outcome, producer } of quotes) {
    if (random.chance(0.3)) continue
    const price = {
      type: type as MarketType,
      line,
      outcome,
      odds: 1 + random.int(1, 900) / 100,
      status: 'open',
    } as const
    const observation = {
      bookmaker,
      transport,
      observedAt: clock.now(),
      event: event.sighting,
      prices: [price],
      others: 'keep',
    } as const
    add(world, { kind: 'observe', observation, producer: record.twin.nameOf(producer), doubt: undefined })
  }
}

const rights = (world: World, random: Random): void => {
  const { book, desks, server } = world
  const customer = random.pick(book.customers)
  // A process that begins learns it with the rest.
  if (server?.isStopping !== false) return
  const someBooks = BOOKS.filter(() => random.chance(0.7))
  world.count('rights change')
  switch (random.int(0, 3)) {
    case 0:
      return desks.changeRights(customer, () => book.setEntitlement(customer, random.chance(0.4) ? '*' : someBooks))
    case 1:
      return desks.changeRights(customer, () =>
        book.setScope(customer, {
          channels: null,
          bookmakers: random.chance(0.5) ? null : someBooks,
          sports: random.chance(0.6) ? null : SPORTS.filter(() => random.chance(0.7)),
        }),
      )
    case 2:
      return desks.changeRights(customer, () => book.replaceKey(customer))
    default:
      return desks.changeRights(undefined, () => book.toggleCoverage(random.pick(BOOKS)))
  }
}

export const SENDERS = {
  reprice: [4, reprice],
  rights: [4, rights],
  input: [100, some],
  burst: [0.5, burst],
  burstAndKill: [0.6, burstAndKill],
  commit: [10, commit],
  suspend: [4, suspend],
} as const
