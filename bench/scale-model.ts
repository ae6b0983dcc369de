// What a service of a given size needs in processes, memory and bandwidth, out of unit costs (`scale-units.ts`). Arithmetic
// alone: nothing is measured here. Loads are means; what a peak needs above them is `busyMax`.

import type { Units } from './scale-units.ts'

/** What no bench has measured: each is a flag of `scale.js`. */
export const ASSUMED = {
  subscribers: 1_000_000,
  quotes: 100_000_000,
  changesPerSecond: 200_000,
  /** Prices that are observed, and are in the log, for each one that has changed. */
  observedPerChange: 2,
  /** Shares of the subscribers that watch the events of a league, and everything. The others watch some events. */
  leagueShare: 0.05,
  allShare: 0.0001,
  eventsWatched: 5,
  eventsOfLeague: 20,
  /** How much more often an event changes that somebody watches than one of the mean. */
  popularity: 10,
  /** Sports in which one subscriber watches something. */
  sportsPerSubscriber: 1.2,
  requestsPerSecond: 100_000,
  /** Turns of one log, of all its producers together. */
  turnsPerSecond: 200,
  pricesPerTurnMax: 1_000,
  /** Heart-beats of a process to its Redis. */
  beatsPerSecond: 4,
  regions: 3,
  /** How busy a process, and the thread of a Redis, may be in the mean. */
  busyMax: 0.6,
  redisBusyMax: 0.5,
  /** Connections of one process: ten thousand are measured. */
  connectionsMax: 50_000,
  /** Memory of the system for a connection, octets. */
  socketOctets: 8_192,
  /** The replay ring and the reply cache of a process, full. */
  cacheOctets: 512 * 2 ** 20,
  /** How long entries stay in the stream. */
  retentionSeconds: 3_600,
  /** Octets on the wire for one of a payload: frames of Ethernet, IP, TCP, and small writes. */
  wireShare: 1.1,
  /** Threads of a process beside its event loop, in cores. */
  threadCores: 0.25,
  machineCores: 16,
  machineGb: 128,
  machineGbps: 25,
  /** How far memory and network of a machine are used. */
  machineShare: 0.7,
} as const

export type Assumptions = { readonly [Name in keyof typeof ASSUMED]: number }

/** A part of the board with a log of its own. Shares are of all quotes, and of all changes. */
export interface LogPart {
  readonly name: string
  readonly quotes: number
  readonly changes: number
  /** Shares of the subscribers that watch events, leagues and everything which have a connection here. */
  readonly watchers: { readonly events: number; readonly league: number; readonly all: number }
}

/** One log, and all that depends on it, in one region. */
export interface LogNeeds {
  readonly name: string
  readonly turnsPerSecond: number
  readonly logOctetsPerSecond: number
  /** How busy one process is with the log alone, before it serves anybody. */
  readonly applyBusy: number
  readonly processes: number
  readonly processBusy: number
  readonly processOctets: number
  readonly connections: number
  readonly messagesPerSecond: number
  readonly deliveredOctetsPerSecond: number
  /** How busy the appends, and each reader, make the thread of its Redis; and how many readers it can have. */
  readonly appendBusy: number
  readonly readerBusy: number
  /** The same for the heart-beats of its processes. */
  readonly beatBusy: number
  readonly readersMax: number
  readonly redisOctets: number
  readonly catchUpSeconds: number
  readonly breaks: readonly string[]
}

const WHOLE: LogPart = { name: 'all', quotes: 1, changes: 1, watchers: { events: 1, league: 1, all: 1 } }

/** One log of everything. */
export const oneLog = (): LogPart[] => [WHOLE]

/** One log for each sport; a subscriber has a connection in each sport in which it watches something. */
export const logPerSport = ({ sports }: Units, { sportsPerSubscriber }: Assumptions): LogPart[] =>
  sports.map(({ sport, quotes, changes }) => {
    const events = Math.min(1, sportsPerSubscriber * changes)
    return { name: sport, quotes, changes, watchers: { events, league: changes, all: 1 } }
  })

/** Divides a log by league into equal parts. A subscriber of events has a connection in each part where one of them is. */
export const divided = (part: LogPart, parts: number, assumed: Assumptions): LogPart[] => {
  const { eventsWatched, sportsPerSubscriber } = assumed
  const met = 1 - (1 - 1 / parts) ** (eventsWatched / sportsPerSubscriber)
  const { events, league, all } = part.watchers
  return Array.from({ length: parts }, (_, n) => ({
    name: parts === 1 ? part.name : `${part.name}-${n + 1}`,
    quotes: part.quotes / parts,
    changes: part.changes / parts,
    // Whoever watches everything has a connection in each part.
    watchers: { events: events * met, league: league / parts, all },
  }))
}

/** Each log divided until to follow it, and to render all of it, takes at most half of what a process may be busy. */
export const dividedToFit = (parts: readonly LogPart[], units: Units, assumed: Assumptions): LogPart[] =>
  parts.flatMap((part) => {
    const { applyBusy, groupsPerSecond } = flowOf(part, units, assumed)
    const full = applyBusy + groupsPerSecond * units.renderUs * 1e-6
    return divided(part, Math.max(1, Math.ceil(full / (assumed.busyMax / 2))), assumed)
  })

/** What one log carries, and what every process that follows it has to do. */
const flowOf = (part: LogPart, units: Units, assumed: Assumptions) => {
  const changes = assumed.changesPerSecond * part.changes
  const prices = changes * assumed.observedPerChange
  const turnsPerSecond = Math.max(assumed.turnsPerSecond, prices / assumed.pricesPerTurnMax)
  const logOctetsPerSecond = prices * units.logOctets.fresh
  const { clientUs, clientNsPerOctet } = units.stream
  const us =
    prices * units.applyUs +
    changes * units.publishUs +
    turnsPerSecond * (units.turnUs + clientUs) +
    logOctetsPerSecond * clientNsPerOctet * 1e-3
  const groupsPerSecond = changes / units.changesPerMessage
  return { changes, prices, turnsPerSecond, logOctetsPerSecond, groupsPerSecond, applyBusy: us * 1e-6 }
}

/** Messages, writes and connections of the subscribers of a log. @param share of all of them, that are in this region */
const deliveryOf = (part: LogPart, share: number, units: Units, assumed: Assumptions) => {
  const { groupsPerSecond, turnsPerSecond } = flowOf(part, units, assumed)
  const { subscribers, leagueShare, allShare, eventsWatched, eventsOfLeague, popularity } = assumed
  const events = (assumed.quotes * part.quotes) / units.quotesPerEvent
  const perEvent = Math.min(popularity, events) * (groupsPerSecond / events)
  const here = subscribers * share
  // Of the events that somebody watches so many are in this log; a connection here has its part of them.
  const kinds = [
    {
      connections: here * (1 - leagueShare - allShare) * part.watchers.events,
      messages: here * (1 - leagueShare - allShare) * part.changes * eventsWatched * perEvent,
    },
    {
      connections: here * leagueShare * part.watchers.league,
      messages: here * leagueShare * part.changes * eventsOfLeague * perEvent,
    },
    {
      connections: here * allShare * part.watchers.all,
      messages: here * allShare * part.watchers.all * groupsPerSecond,
    },
  ]
  const sum = (of: (kind: (typeof kinds)[number]) => number): number => kinds.reduce((all, kind) => all + of(kind), 0)
  return {
    connections: sum(({ connections }) => connections),
    messages: sum(({ messages }) => messages),
    messagesOfAll: kinds[2]!.messages,
    // The messages of a turn leave by one write.
    writes: sum(({ connections, messages }) => Math.min(messages, connections * turnsPerSecond)),
  }
}

const PROCESSES_MAX = 1_000_000

/**
 * Processes that serve one log in one region.
 * @param share of subscribers and requests that are here; `feeds`: whether the SENDs are read here
 * @param processes undefined: as many as are needed
 */
export const needsOf = (
  part: LogPart,
  units: Units,
  assumed: Assumptions,
  { share, feeds, processes }: { share: number; feeds: boolean; processes?: number },
): LogNeeds => {
  const { prices, turnsPerSecond, logOctetsPerSecond, groupsPerSecond, applyBusy } = flowOf(part, units, assumed)
  const delivery = deliveryOf(part, share, units, assumed)
  const requests = assumed.requestsPerSecond * share * part.changes
  const servedUs =
    delivery.messages * units.frameUs * (units.messageOctets / units.frameOctets) +
    delivery.writes * units.writeUs +
    requests * units.requestUs +
    (feeds ? prices * units.ingestUs : 0)
  /** A process renders what somebody on it watches, each group once. */
  const busyWith = (n: number): number =>
    applyBusy + (servedUs / n + Math.min(delivery.messages / n, groupsPerSecond) * units.renderUs) * 1e-6
  // It falls with n: halved until the least is found.
  const least = Math.max(1, Math.ceil(delivery.connections / assumed.connectionsMax))
  let [from, to] = [least, PROCESSES_MAX]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (busyWith(middle) <= assumed.busyMax) to = middle
    else from = middle + 1
  }
  const breaks: string[] = []
  let n = processes ?? from
  if (busyWith(PROCESSES_MAX) > assumed.busyMax) {
    breaks.push(
      `to follow the log takes ${Math.round(applyBusy * 100)} % of a core in every process, and to render it more`,
    )
    n = processes ?? least
  } else if (processes !== undefined && busyWith(processes) > assumed.busyMax) {
    breaks.push(`${Math.ceil(busyWith(processes))} cores of work for ${processes} event loop`)
  }
  if (delivery.connections / n > assumed.connectionsMax)
    breaks.push(`${Math.round(delivery.connections / n)} connections in one process`)
  const quotes = assumed.quotes * part.quotes
  const processOctets =
    units.baseOctets +
    quotes * units.quoteOctets +
    assumed.cacheOctets +
    (delivery.connections / n) * (units.connectionOctets + assumed.socketOctets)
  const { stream } = units
  const entryOctets = logOctetsPerSecond / turnsPerSecond
  const appendBusy = turnsPerSecond * (stream.appendUs + entryOctets * stream.appendNsPerOctet * 1e-3) * 1e-6
  const readerBusy = turnsPerSecond * (stream.readUs + entryOctets * stream.readNsPerOctet * 1e-3) * 1e-6
  if (appendBusy > assumed.redisBusyMax)
    breaks.push(`the appends alone take ${Math.round(appendBusy * 100)} % of a Redis`)
  // Each answer names all processes: it grows by the square.
  const beatBusy = n * assumed.beatsPerSecond * (stream.beatUs + n * stream.beatMemberUs) * 1e-6
  if (beatBusy > assumed.redisBusyMax)
    breaks.push(`heart-beats of ${n} processes take ${Math.round(beatBusy * 100)} % of the thread of one Redis`)
  const readersMax = Math.max(0, Math.floor((assumed.redisBusyMax - appendBusy - beatBusy) / readerBusy))
  const loadSeconds = quotes * units.loadUsPerQuote * 1e-6
  return {
    name: part.name,
    turnsPerSecond,
    logOctetsPerSecond,
    applyBusy,
    processes: n,
    processBusy: busyWith(n),
    processOctets,
    connections: delivery.connections,
    messagesPerSecond: delivery.messages,
    deliveredOctetsPerSecond: delivery.messages * units.messageOctets + requests * units.requestOctets,
    appendBusy,
    readerBusy,
    beatBusy,
    readersMax,
    redisOctets: logOctetsPerSecond * assumed.retentionSeconds * stream.memoryOctetsPerOctet,
    // While it loads and reads on, the log goes on, too.
    catchUpSeconds: applyBusy < 1 ? loadSeconds / (1 - applyBusy) : Number.POSITIVE_INFINITY,
    breaks,
  }
}

/** Relays between a Redis and its processes: replicas that take no SENDs and serve replicas instead of subscribers. */
export interface Tree {
  /** Relays of each level, nearest to the Redis first. */
  readonly levels: readonly number[]
  /** Replicas that one relay serves. */
  readonly degree: number
  readonly addedMs: number
}

/** Levels until the Redis serves no more than it can. An entry costs a relay as much as a write of so many octets. */
export const treeOf = (needs: LogNeeds, units: Units, assumed: Assumptions): Tree => {
  const { turnsPerSecond, logOctetsPerSecond, applyBusy, readersMax } = needs
  const childUs = turnsPerSecond * units.writeUs + logOctetsPerSecond * (units.frameUs / units.frameOctets)
  const degree = Math.max(2, Math.floor((assumed.busyMax - applyBusy) / (childUs * 1e-6)))
  const levels: number[] = []
  for (let below = needs.processes; below > Math.max(1, readersMax); ) {
    below = Math.ceil(below / degree)
    levels.unshift(below)
  }
  return { levels, degree, addedMs: levels.length * units.deliveryMs }
}
