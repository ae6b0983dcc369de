// The plans that `scale.ts` compares, each a step past the one before (docs/scale.md), and what all its parts need together.

import { type Assumptions, dividedToFit, type LogPart, logPerSport, needsOf, oneLog, treeOf } from './scale-model.ts'
import type { Units } from './scale-units.ts'

/** Processes of a plan, and what they need together. Octets of the network are those on the wire. */
export interface Plan {
  readonly plan: string
  readonly logs: number
  readonly regions: number
  readonly processes: number
  readonly relays: number
  /** Each log has two: one that writes and its replica; each other region has one of its own. */
  readonly redis: number
  readonly cores: number
  readonly memoryGb: number
  readonly machines: number
  /** What decides on the number of machines. */
  readonly decidedBy: 'cores' | 'memory' | 'network'
  readonly connections: number
  readonly messagesPerSecond: number
  readonly logMbps: number
  /** Of one Redis, the busiest. */
  readonly redisBusy: number
  readonly redisOutGbps: number
  readonly feedsMbps: number
  readonly betweenRegionsMbps: number
  readonly subscribersGbps: number
  /** Of one process, the busiest: with the log alone, and with what it serves. */
  readonly applyBusy: number
  readonly processBusy: number
  readonly processGb: number
  readonly catchUpSeconds: number
  /** From a SEND to a subscriber in the same place: what the log and the relays add. */
  readonly addedMs: number
  /** Why it does not work; empty: it does, by what was measured. */
  readonly breaks: readonly string[]
}

interface Shape {
  readonly plan: string
  readonly parts: readonly LogPart[]
  readonly regions: number
  readonly hasTrees: boolean
  /** Undefined: as many as are needed. */
  readonly processes?: number
  readonly hasLog: boolean
}

const sum = <Of>(of: readonly Of[], figure: (each: Of) => number): number =>
  of.reduce((all, each) => all + figure(each), 0)

const max = <Of>(of: readonly Of[], figure: (each: Of) => number): number => Math.max(...of.map(figure))

const planOf = (shape: Shape, units: Units, assumed: Assumptions): Plan => {
  const { plan, parts, regions, hasTrees, hasLog } = shape
  const places = parts.flatMap((part) =>
    Array.from({ length: regions }, (_, region) => {
      const terms = { share: 1 / regions, feeds: region === 0 }
      const needs = needsOf(part, units, assumed, {
        ...terms,
        ...(shape.processes ? { processes: shape.processes } : {}),
      })
      const tree = hasTrees ? treeOf(needs, units, assumed) : { levels: [], degree: 0, addedMs: 0 }
      return { needs, tree, region }
    }),
  )
  const needs = places.map((place) => place.needs)
  const relays = sum(places, ({ tree }) => sum(tree.levels, (n) => n))
  const processes = sum(needs, (each) => each.processes)
  const redis = hasLog ? parts.length * (regions + 1) : 0
  const readersOf = ({ needs: each, tree }: (typeof places)[number]): number => tree.levels[0] ?? each.processes
  const redisBusyOf = (place: (typeof places)[number]): number =>
    place.needs.appendBusy + place.needs.beatBusy + readersOf(place) * place.needs.readerBusy
  const octets =
    sum(needs, (each) => each.processes * each.processOctets) +
    // A relay has the board as any replica, and no subscribers.
    sum(places, ({ needs: each, tree }) => sum(tree.levels, (n) => n) * each.processOctets) +
    (hasLog ? sum(needs, ({ redisOctets }) => redisOctets) * (1 + 1 / regions) : 0)
  const cores = (processes + relays) * (1 + assumed.threadCores) + redis
  const wire = assumed.wireShare * 8
  const redisOut = hasLog ? sum(places, (place) => readersOf(place) * place.needs.logOctetsPerSecond) * wire : 0
  const followed =
    wire *
    sum(places, ({ needs: each, tree }) =>
      hasLog ? (each.processes + sum(tree.levels, (n) => n)) * each.logOctetsPerSecond : 0,
    )
  const delivered = sum(needs, ({ deliveredOctetsPerSecond }) => deliveredOctetsPerSecond) * wire
  const home = places.filter(({ region }) => region === 0).map((place) => place.needs)
  const log = sum(home, ({ logOctetsPerSecond }) => logOctetsPerSecond)
  const entries = sum(home, ({ turnsPerSecond }) => turnsPerSecond)
  const byWhat = {
    cores: cores / assumed.machineCores,
    memory: octets / 1e9 / (assumed.machineGb * assumed.machineShare),
    // Whoever follows a log reads it once, from a Redis or from a relay.
    network: (delivered + followed) / 1e9 / (assumed.machineGbps * assumed.machineShare),
  }
  const [decidedBy, machines] = (Object.entries(byWhat) as [Plan['decidedBy'], number][]).toSorted(
    ([, a], [, b]) => b - a,
  )[0]!
  const breaks = [...new Set(needs.flatMap((each) => each.breaks.map((why) => `${each.name}: ${why}`)))]
  if (hasLog) {
    for (const place of places) {
      if (readersOf(place) <= place.needs.readersMax) continue
      const busy = Math.round(redisBusyOf(place) * 100)
      breaks.push(
        `${place.needs.name}: ${readersOf(place)} readers, with appends and heart-beats, take ${busy} % of one Redis`,
      )
    }
  }
  for (const each of needs)
    if (each.processOctets > assumed.machineGb * assumed.machineShare * 1e9)
      breaks.push(`${each.name}: one process does not fit into a machine`)
  return {
    plan,
    logs: hasLog ? parts.length : 0,
    regions,
    processes,
    relays,
    redis,
    cores,
    memoryGb: octets / 1e9,
    // Two in each region, so that one may fail.
    machines: hasLog ? Math.max(2 * regions, Math.ceil(machines)) : 1,
    decidedBy,
    connections: sum(needs, ({ connections }) => connections),
    messagesPerSecond: sum(needs, ({ messagesPerSecond }) => messagesPerSecond),
    logMbps: (log * wire) / 1e6,
    redisBusy: hasLog ? max(places, redisBusyOf) : 0,
    redisOutGbps: redisOut / 1e9,
    feedsMbps: (assumed.changesPerSecond * assumed.observedPerChange * units.sendOctetsPerPrice * wire) / 1e6,
    betweenRegionsMbps: ((regions - 1) * (log + entries * units.stream.replicaOctets) * wire) / 1e6,
    subscribersGbps: delivered / 1e9,
    applyBusy: max(needs, ({ applyBusy }) => applyBusy),
    processBusy: max(needs, ({ processBusy }) => processBusy),
    processGb: max(needs, ({ processOctets }) => processOctets) / 1e9,
    catchUpSeconds: max(needs, ({ catchUpSeconds }) => catchUpSeconds),
    addedMs: (hasLog ? units.streamMs : 0) + max(places, ({ tree }) => tree.addedMs),
    breaks: [...new Set(breaks)],
  }
}

/** The plans for one size of service, each a step past the one before. */
export const plansOf = (units: Units, assumed: Assumptions): Plan[] => {
  const sports = logPerSport(units, assumed)
  const parts = dividedToFit(sports, units, assumed)
  const { regions } = assumed
  const shapes: readonly Shape[] = [
    { plan: '1 one process', parts: oneLog(), regions: 1, hasTrees: false, processes: 1, hasLog: false },
    { plan: '2 replicas of one log', parts: oneLog(), regions: 1, hasTrees: false, hasLog: true },
    { plan: '2b with a tree', parts: oneLog(), regions: 1, hasTrees: true, hasLog: true },
    { plan: '3 a log per sport', parts: sports, regions: 1, hasTrees: false, hasLog: true },
    { plan: '3b large sports in parts', parts, regions: 1, hasTrees: false, hasLog: true },
    { plan: '4 in regions', parts, regions, hasTrees: false, hasLog: true },
    { plan: '5 in regions, trees', parts, regions, hasTrees: true, hasLog: true },
  ]
  return shapes.map((shape) => planOf(shape, units, assumed))
}

/** What the event loop of one process holds by itself. Its memory and its connections are not looked at. */
export const holdsAlone = (
  units: Units,
  assumed: Assumptions,
): Readonly<Record<'subscribers' | 'changesPerSecond', number>> => {
  const fits = (changed: Partial<Assumptions>): boolean =>
    needsOf(oneLog()[0]!, units, { ...assumed, ...changed }, { share: 1, feeds: true, processes: 1 }).processBusy <=
    assumed.busyMax
  const largest = (name: 'subscribers' | 'changesPerSecond', base: Partial<Assumptions>): number => {
    let [from, to] = [0, assumed[name] * 10]
    while (to - from > to / 1_000) {
      const middle = (from + to) / 2
      if (fits({ ...base, [name]: middle })) from = middle
      else to = middle
    }
    return Math.floor(from)
  }
  // Each with little of the other, so that it is the one that decides.
  return {
    subscribers: largest('subscribers', { changesPerSecond: 20_000, requestsPerSecond: 1_000, allShare: 0 }),
    changesPerSecond: largest('changesPerSecond', { subscribers: 1_000, requestsPerSecond: 1_000, allShare: 0 }),
  }
}
