// Unit costs for the model of `scale.ts`, out of what the benches have printed. Each names the bench that it is from, and how it
// is derived; what no bench has measured is not here, but an assumption of the model (`scale-model.ts`).

type Json = Readonly<Record<string, unknown>>

/** A row that is not there, and what to run to get it. */
export class MissingRow extends Error {}

/** Lines of JSON, as benches print them; the last row of several alike is taken. */
export class Rows {
  private readonly rows: readonly Json[]

  constructor(texts: readonly string[]) {
    this.rows = texts.flatMap((text) =>
      text
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => JSON.parse(line) as Json),
    )
  }

  /** Parts of a bench's rows (its `results`, `rows` or `sizes`) that a condition holds for; the newest first. */
  parts(bench: string, list: string, is: (part: Json) => boolean, run: string): Json[] {
    const found = this.rows
      .filter((row) => row['bench'] === bench)
      .toReversed()
      .flatMap((row) => (Array.isArray(row[list]) ? (row[list] as Json[]) : []))
      .filter(is)
    if (found.length === 0) throw new MissingRow(`no row of bench/${bench} fits; run: node dist/bench/${run}`)
    return found
  }

  /** Machines of all rows, to be shown with the result. */
  get machines(): string[] {
    const of = (row: Json): unknown => row['cpu'] ?? (row['machine'] as Json | undefined)?.['cpu']
    return [...new Set(this.rows.map((row) => String(of(row) ?? 'unknown')))]
  }

  /** The row of a bench that prints its figures at the top. */
  whole(bench: string, run: string): Json {
    const found = this.rows.findLast((row) => row['bench'] === bench)
    if (found === undefined) throw new MissingRow(`no row of bench/${bench}; run: node dist/bench/${run}`)
    return found
  }
}

/** A number in a row, by its path; `median` is taken where there is a spread. */
const numberAt = (part: Json, path: string, run: string): number => {
  let value: unknown = part
  for (const name of path.split('.')) value = (value as Json | undefined)?.[name]
  if (typeof value === 'object' && value !== null && 'median' in value) value = value.median
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new MissingRow(`its row has no number ${path}; run: node dist/bench/${run}`)
  return value
}

export const FSYNCS = ['no', 'everysec', 'always'] as const
export type Fsync = (typeof FSYNCS)[number]

export interface SportShare {
  readonly sport: string
  readonly quotes: number
  readonly changes: number
}

/** Times are CPU time, µs. */
export interface Units {
  /** A price that is observed, at the process that reads its SEND, beyond {@link applyUs}. */
  readonly ingestUs: number
  /** Octets of a SEND for each of its prices. */
  readonly sendOctetsPerPrice: number
  /** A price of the log, at each process: decoded, on the board, in its own file log. */
  readonly applyUs: number
  /** A change that nobody watches: numbered, in the replay ring. */
  readonly publishUs: number
  /** A turn with one SEND, at each process; what is in it is counted again, so it is an upper bound. */
  readonly turnUs: number
  /** A MESSAGE that is rendered, once for all who get it. */
  readonly renderUs: number
  /** A write to one socket. */
  readonly writeUs: number
  /** A MESSAGE of {@link frameOctets} within a write. */
  readonly frameUs: number
  readonly frameOctets: number
  readonly messageOctets: number
  readonly changesPerMessage: number
  readonly requestUs: number
  readonly requestOctets: number
  readonly connectionOctets: number
  /** Memory of a process: so much for each quote with its part of an event, and so much without any. */
  readonly quoteOctets: number
  readonly baseOctets: number
  /** A start: from a checkpoint of so many octets a quote, in so much time by the clock. */
  readonly checkpointOctetsPerQuote: number
  readonly loadUsPerQuote: number
  /** A price in an entry of the stream that has its own dictionary, and in one whose dictionary is known. */
  readonly logOctets: { readonly fresh: number; readonly known: number }
  /** One Redis: the thread that carries out commands. */
  readonly stream: StreamUnits
  /** From the append of an entry to its arrival at a reader, and from a SEND to its subscriber, by the clock. */
  readonly streamMs: number
  readonly deliveryMs: number
  readonly quotesPerEvent: number
  readonly changesPerQuoteSecond: number
  readonly sports: readonly SportShare[]
  /** Where {@link sports} is from. */
  readonly sportsFrom: string
  /** Rows that a busy machine has disturbed: what to measure again. */
  readonly doubts: readonly string[]
}

export interface StreamUnits {
  readonly appendUs: number
  readonly appendNsPerOctet: number
  readonly readUs: number
  readonly readNsPerOctet: number
  /** The process that reads. */
  readonly clientUs: number
  readonly clientNsPerOctet: number
  readonly memoryOctetsPerOctet: number
  /** A heart-beat: for itself, and for each process that its answer names. */
  readonly beatUs: number
  readonly beatMemberUs: number
  /** Octets that Redis sends to a replica of its own for an entry, beyond those of the entry. */
  readonly replicaOctets: number
}

/** Bodies of `ingest.ts`, turns of `log-codec.ts` and `log-write.ts` have so many prices. */
const PRICES_PER_BODY = 10

/** A publisher that is late sends several SENDs at once: they are one turn, and one write for each subscriber. */
const LATE_US_MAX = 5_000
const FIT_ERROR_MAX = 0.2

const RUN = {
  live: 'live.js --only P4,P6,P7',
  connections: 'connections.js',
  http: 'http.js',
  ingest: 'ingest.js',
  codec: 'log-codec.js',
  write: 'log-write.js',
  restart: 'restart.js --per-event 45 --rounds 1 --quotes N, twice: 1000000 and 4000000',
  stream: 'stream.js',
  beats: 'beats.js',
  sports: 'sports.js',
} as const

const liveUnits = (rows: Rows) => {
  const live = (is: (part: Json) => boolean): Json => rows.parts('live', 'results', is, RUN.live)[0]!
  const ingest = live((part) => part['id'] === 'P4' && part['subscribers'] === 0)
  const fanOut = live((part) => part['id'] === 'P6' && part['carrier'] === 'tcp')
  const slow = live((part) => part['id'] === 'P7' && part['sendsPerSecond'] === 2_000)
  const connections = rows.parts('connections', 'results', () => true, RUN.connections)[0]!
  const many = numberAt(rows.whole('connections', RUN.connections), 'connections', RUN.connections)
  const watchers = numberAt(connections, 'watchersPerEvent', RUN.connections)
  const sendUsFew = numberAt(connections, `cpuUsPerSend.${many}`, RUN.connections)
  const subscribers = numberAt(slow, 'subscribers', RUN.live)
  const sendUsMany = (numberAt(slow, 'serverCoreBusy.oddswire', RUN.live) * 1e6) / 2_000
  // Both are a turn with one SEND, and a write for each subscriber.
  const writeUs = Math.max(0, (sendUsMany - sendUsFew) / (subscribers - watchers))
  return {
    sendPriceUs: numberAt(ingest, 'cpuUsPerQuote.oddswire', RUN.live),
    frameUs: numberAt(fanOut, 'cpuUsPerFrame.oddswire', RUN.live),
    frameOctets: numberAt(fanOut, 'bytesPerFrame.oddswire', RUN.live),
    deliveryMs: numberAt(slow, 'p50Us.oddswire', RUN.live) / 1e3,
    writeUs,
    turnUs: Math.max(0, sendUsFew - watchers * writeUs),
    publisherLateUs: numberAt(slow, 'publisherLateMaxUs.oddswire', RUN.live),
    connectionOctets: (numberAt(connections, 'memoryMb.oddswire.growth', RUN.connections) * 1e6) / many,
  }
}

/** Two boards of different size: their difference is the price of a quote, what is left that of a process. */
const restartUnits = (rows: Rows) => {
  const starts = rows
    .parts('restart', 'results', ({ perEvent }) => perEvent === 45, RUN.restart)
    .map((part) => ({
      quotes: numberAt(part, 'quotes', RUN.restart),
      octets: numberAt(part, 'terminated.rssMb', RUN.restart) * 2 ** 20,
      readyUs: numberAt(part, 'terminated.readyMs', RUN.restart) * 1e3,
      checkpoint: numberAt(part, 'checkpointOctets', RUN.restart),
    }))
    .toSorted((a, b) => a.quotes - b.quotes)
  const [small, large] = [starts[0]!, starts.at(-1)!]
  if (large.quotes < 2 * small.quotes)
    throw new MissingRow(`two sizes of bench/restart are needed; run: node dist/bench/${RUN.restart}`)
  const per = (of: 'octets' | 'readyUs' | 'checkpoint'): number =>
    (large[of] - small[of]) / (large.quotes - small.quotes)
  const quoteOctets = per('octets')
  return {
    quoteOctets,
    baseOctets: Math.max(0, small.octets - small.quotes * quoteOctets),
    checkpointOctetsPerQuote: per('checkpoint'),
    loadUsPerQuote: per('readyUs'),
  }
}

const streamUnits = (
  rows: Rows,
  fsync: Fsync,
): StreamUnits & { readonly readMs: number; readonly errorMax: number } => {
  // Of several runs the one whose rows agree best: neighbours disturb some.
  const errorOf = (each: Json): number => numberAt(each, 'fit.main.errorMax', RUN.stream)
  const part = rows
    .parts('stream', 'results', (each) => each['fsync'] === fsync, RUN.stream)
    .reduce((a, b) => (errorOf(b) < errorOf(a) ? b : a))
  const all = part['rows'] as Json[]
  const single = all.find(({ readers }) => readers === 1) ?? all[0]!
  const largest = all.reduce((a, b) => (Number(b['octets']) > Number(a['octets']) ? b : a))
  const replication = rows.parts('stream', 'replication', () => true, RUN.stream)
  const beats = rows
    .parts('beats', 'rows', () => true, RUN.beats)
    .map((each) => ({
      members: numberAt(each, 'members', RUN.beats),
      us: numberAt(each, 'mainUsPerBeat', RUN.beats),
    }))
    .toSorted((a, b) => a.members - b.members)
  const [fewest, most] = [beats[0]!, beats.at(-1)!]
  const beatMemberUs = (most.us - fewest.us) / Math.max(1, most.members - fewest.members)
  const overhead = replication.map((each) => Number(each['octetsPerEntry']) - Number(each['octets']))
  return {
    appendUs: numberAt(part, 'fit.main.appendUs', RUN.stream),
    appendNsPerOctet: numberAt(part, 'fit.main.appendNsPerOctet', RUN.stream),
    readUs: numberAt(part, 'fit.main.readUs', RUN.stream),
    readNsPerOctet: numberAt(part, 'fit.main.readNsPerOctet', RUN.stream),
    clientUs: numberAt(part, 'fit.client.readUs', RUN.stream),
    clientNsPerOctet: numberAt(part, 'fit.client.readNsPerOctet', RUN.stream),
    memoryOctetsPerOctet: numberAt(largest, 'memoryOctetsPerEntry', RUN.stream) / Number(largest['octets']),
    beatUs: Math.max(0, fewest.us - fewest.members * beatMemberUs),
    beatMemberUs,
    replicaOctets: Math.max(...overhead),
    readMs: numberAt(single, 'readMs.p50', RUN.stream),
    errorMax: errorOf(part),
  }
}

/** Shares of quotes by the recording, where there is one; of changes by the simulator, or in proportion to the quotes. */
const sportUnits = (rows: Rows, from: 'recording' | 'simulator') => {
  const simulated = rows.parts('sports', 'rows', ({ source }) => source === 'simulator', RUN.sports)[0]!
  const recordings =
    from === 'recording' ? rows.parts('sports', 'rows', ({ source }) => source !== 'simulator', RUN.sports) : []
  const chosen = recordings[0] ?? simulated
  const sports = (chosen['sports'] as readonly { sport: string; quotes: number; changes?: number }[]).map(
    ({ sport, quotes, changes }) => ({ sport, quotes, changes: changes ?? quotes }),
  )
  const number = (path: string): number => numberAt(simulated, path, RUN.sports)
  return {
    sports,
    sportsFrom: String(chosen['source']),
    quotesPerEvent: numberAt(chosen, 'quotesPerEvent', RUN.sports),
    messageOctets: number('messageOctets'),
    changesPerMessage: number('changesPerMessage'),
    publishUs: number('publishUsPerChange'),
    renderUs: number('renderUsPerMessage'),
    changesPerQuoteSecond: number('changesPerQuoteSecond'),
  }
}

/** @throws {MissingRow} where a bench that is needed has not been run */
export const unitsOf = (rows: Rows, fsync: Fsync, sportsFrom: 'recording' | 'simulator'): Units => {
  const { sendPriceUs, publisherLateUs, ...live } = liveUnits(rows)
  const many = rows.whole('ingest', RUN.ingest)
  const body = (path: string): number => numberAt(many, `many.nsPerBody.${path}`, RUN.ingest)
  const codec = (name: string): Json => rows.parts('log-codec', 'rows', (each) => each['name'] === name, RUN.codec)[0]!
  const [known, fresh] = [codec('known'), codec('fresh')]
  const written = rows.parts('log-write', 'results', ({ sendsPerTurn }) => sendsPerTurn === 64, RUN.write)[0]!
  const odds = rows.parts('http', 'results', ({ id }) => id === 'P1', RUN.http)[0]!
  const decodeNs = numberAt(fresh, 'decodeNsPerPrice', RUN.codec)
  const boardNs = (body('engine') - body('scanner')) / PRICES_PER_BODY
  const applyUs = (decodeNs + boardNs + numberAt(written, 'cpuNsPerChange.interval', RUN.write)) / 1e3
  const { readMs, errorMax, ...stream } = streamUnits(rows, fsync)
  return {
    ...live,
    ...restartUnits(rows),
    ...sportUnits(rows, sportsFrom),
    applyUs,
    sendOctetsPerPrice: numberAt(many, 'many.bodyBytes', RUN.ingest) / PRICES_PER_BODY,
    ingestUs: Math.max(0, sendPriceUs - applyUs),
    requestUs: numberAt(odds, 'cpuUsPerRequest.limited', RUN.http),
    requestOctets: numberAt(odds, 'bodyBytes', RUN.http),
    logOctets: {
      fresh: numberAt(fresh, 'octetsPerRecord', RUN.codec) / PRICES_PER_BODY,
      known: numberAt(known, 'octetsPerRecord', RUN.codec) / PRICES_PER_BODY,
    },
    stream,
    streamMs: readMs,
    doubts: [
      ...(publisherLateUs > LATE_US_MAX
        ? [`P7 of bench/live: its publisher was late by ${publisherLateUs} µs, so a write may be taken for too cheap`]
        : []),
      ...(errorMax > FIT_ERROR_MAX
        ? [`bench/stream: costs with appendfsync ${fsync} deviate from the rows by ${Math.round(errorMax * 100)} %`]
        : []),
    ],
  }
}
