// P1 to P12: what is measured for each target, by which programs in which form, which figures of their JSON count, and what
// they should reach. And the other benches, with the smallest form in which each still shows that it runs.

/** A program of dist/bench without its ending, and its arguments. Programs with the same words run once for all targets. */
export type Words = readonly [program: string, ...args: string[]]

/**
 * How often a form goes through all of its programs. Each pass has new processes, and another stretch of time: what differs from
 * process to process, and from minute to minute, is in the noise of a figure then.
 */
export const PASSES: Readonly<Record<Form, number>> = { full: 2, short: 1, smoke: 1 }

/** How a bench is run: as long as the figures need, short for comparison with the last commit, or only to see that it runs. */
export type Form = 'full' | 'short' | 'smoke'

export interface Figure {
  readonly name: string
  /** Where it is in the rows of JSON (bench/figures.ts). Its rounds are beside it, as `…Rounds`. */
  readonly at: string
  readonly better: 'more' | 'less'
  readonly goal?: number
  /** Of the passes the worst counts, not the median. */
  readonly isWorst?: boolean
  /** Left out: a ratio. */
  readonly unit?: string
  /** The ceiling or the peer of the ratio. */
  readonly beside?: string
  /** What the ratio is made of: ours, the other's, and their unit. */
  readonly ours?: string
  readonly other?: string
  readonly of?: string
  /**
   * The least change, as a share, that is called a regression, whatever the rounds say: 0.05 where it is left out. Given, the
   * figure is compared without rounds, too.
   */
  readonly floor?: number
  /**
   * Of a program that is in one pass, whose rounds share a process and a minute: by what share of the middle one the figures of three
   * equal runs were off, either way. The widest of four sets of three full runs on two processors, without those in which another
   * program had the machine.
   */
  readonly betweenRuns?: number
}

export interface Target {
  readonly id: string
  readonly what: string
  readonly full: readonly Words[]
  /** Left out: it is not in the short form, since it takes too long. */
  readonly short?: readonly Words[]
  readonly smoke: readonly Words[]
  readonly figures: readonly Figure[]
}

const BARE_HTTP = 'bare uWebSockets.js'
const PARSING = 'decoding and JSON.parse'
const RELAY = 'a bare relay'
const ARRAYS = 'bare typed arrays'

const cpuPerRequest = (name: string, other: string) => ({
  ours: `cpuUsPerRequest.${name}.median`,
  other: `cpuUsPerRequest.${other}.median`,
  of: 'µs',
})

/** Figures of a result of `results`. */
const within = (place: string, figures: readonly Figure[]): readonly Figure[] =>
  figures.map(({ at, ours, other, ...rest }) => ({
    ...rest,
    at: `${place}.${at}`,
    ...(ours !== undefined && { ours: `${place}.${ours}` }),
    ...(other !== undefined && { other: `${place}.${other}` }),
  }))

const latencyFigures = (rate: number, name: string): readonly Figure[] =>
  within(
    `results[id=P7][sendsPerSecond=${rate}]`,
    (['p50', 'p99'] as const).map((quantile) => ({
      name: `${quantile}, ${name}`,
      at: `toRelay.${quantile}`,
      better: 'less',
      goal: 1.3,
      beside: RELAY,
      ours: `${quantile}Us.oddswire.median`,
      other: `${quantile}Us.relay.median`,
      of: 'µs',
      floor: quantile === 'p50' ? 0.15 : 0.5,
    })),
  )

/** Over TCP: the service, and a bare relay that takes the same SENDs and answers them, but reads none of them. */
const ingestFigures = (subscribers: number, name: string, goal?: number): readonly Figure[] =>
  within(
    `results[id=P4][subscribers=${subscribers}]`,
    // A relay without a subscriber says nothing of a target.
    (['oddswire', ...(subscribers === 0 ? [] : ['least'])] as const).map((which) => ({
      name: which === 'least' ? `the same, a bare relay, ${name}` : `TCP with receipts, ${name}`,
      at: which === 'least' ? 'least.toCeiling.byCpu' : 'toCeiling.byCpu',
      better: 'more',
      ...(which === 'oddswire' && goal !== undefined && { goal }),
      beside: PARSING,
      ours: `cpuUsPerQuote.${which}.median`,
      other: 'cpuUsPerQuote.ceiling.median',
      of: 'µs a quote',
    })),
  )

/** Many WebSocket subscribers: 5 000, since 40 000 need more file descriptors than most systems give. */
const busyFigures = within('results[id=busy][deliveriesPerSecond=200000]', [
  {
    name: 'p99, 200 000 deliveries/s over WebSocket',
    at: 'oddswire.p99Us.median',
    better: 'less',
    goal: 50_000,
    unit: 'µs',
    beside: BARE_HTTP,
    other: 'ceiling.p99Us.median',
    of: 'µs',
    betweenRuns: 0.22,
  },
])

/** Among 100 k the figures fall into groups, by how V8 has compiled what a process runs. */
const boardFigures = (quotes: number, size: string, betweenRuns = 0.1): readonly Figure[] =>
  within(`sizes[quotes=${quotes}]`, [
    {
      name: `known, ${size}`,
      at: 'knownToBare',
      better: 'more',
      goal: 0.75,
      beside: ARRAYS,
      ours: 'knownPerSecondM',
      other: 'bareKnownPerSecondM',
      of: 'M/s',
      floor: 0.1,
      betweenRuns,
    },
    {
      name: `new, ${size}`,
      at: 'newToBare',
      better: 'more',
      goal: 0.75,
      beside: ARRAYS,
      ours: 'newPerSecondM',
      other: 'bareNewPerSecondM',
      of: 'M/s',
      betweenRuns,
    },
    {
      name: `the same, the least board, known, ${size}`,
      at: 'leastKnownToBare',
      better: 'more',
      beside: ARRAYS,
      ours: 'leastKnownPerSecondM',
      other: 'bareKnownPerSecondM',
      of: 'M/s',
      floor: 0.1,
      betweenRuns,
    },
    {
      name: `the same, the least board, new, ${size}`,
      at: 'leastNewToBare',
      better: 'more',
      beside: ARRAYS,
      ours: 'leastNewPerSecondM',
      other: 'bareNewPerSecondM',
      of: 'M/s',
      floor: 0.3,
      betweenRuns,
    },
  ])

const growthFigures: readonly Figure[] = (['quote', 'read', 'message'] as const).map((name) => ({
  name: `growth of a ${name}`,
  at: `sizes[last].toBare.${name}`,
  better: 'less',
  goal: 1.3,
  beside: ARRAYS,
  floor: 0.1,
  betweenRuns: 0.24,
}))

/** The longest of a phase, in all passes; and the one that one tick of a thousand exceeds, which says how usual that is. */
const pauseFigures = (
  name: string,
  at: string,
  beside: Pick<Figure, 'beside' | 'other' | 'of'> = {},
): readonly Figure[] => [
  { name, at: `${at}.cpuMs.max`, better: 'less', goal: 5, unit: 'ms', isWorst: true, betweenRuns: 0.4, ...beside },
  { name: `${name}: 99.9 % of the ticks`, at: `${at}.cpuMs.p999`, better: 'less', unit: 'ms', betweenRuns: 0.15 },
]

const REST: Words = ['http', '--only', 'P1,P3,least', '--seconds', '0.3', '--rounds', '4']
const SHORT_REST: Words = ['http', '--only', 'P1,P3', '--without-peer', '--seconds', '0.3', '--rounds', '8']
/** The same changes by numbers and in full, to 1 000 subscribers. */
const numberedFigures = (carrier: string, name: string): readonly Figure[] =>
  within(`results[id=numbered][carrier=${carrier}]`, [
    {
      name: `${name}, numbered quotes`,
      at: 'toFull.byCpu',
      better: 'more',
      goal: 3,
      beside: 'full messages',
      ours: 'cpuUsPerFrame.numbered.median',
      other: 'cpuUsPerFrame.full.median',
      of: 'µs a frame',
      betweenRuns: 0.13,
    },
    {
      name: `${name}, numbered quotes`,
      at: 'bytesPerFrame.numbered',
      better: 'less',
      goal: 120,
      unit: 'octets a frame',
    },
  ])

const bundledFigures: readonly Figure[] = within('results[id=numbered][carrier=websocket]', [
  {
    name: 'WebSocket, numbered and bundled',
    at: 'toFull.bundledByCpu',
    better: 'more',
    goal: 3,
    beside: 'full messages',
    ours: 'cpuUsPerFrame.bundled.median',
    other: 'cpuUsPerFrame.full.median',
    of: 'µs a frame',
    betweenRuns: 0.13,
  },
])

const SHORT_LIVE: Words = ['live', '--only', 'P4,P6,P7', '--peers', 'nats', '--seconds', '0.3', '--rounds', '5']
const SMOKE_REST: Words = ['http', '--seconds', '0.2', '--rounds', '1']
const SMOKE_LIVE: Words = ['live', '--seconds', '0.2', '--rounds', '1']
const SMOKE_BOARD: Words = ['board', '--quotes', '20000', '--rounds', '1']
const BOARD: Words = ['board', '--quotes', '100000,1000000', '--rows']
const RESTART: Words = ['restart', '--per-event', '45', '--rounds', '2']
const BOARD_10M: Words = ['board', '--quotes', '10000000', '--rows', '--rounds', '4']
const IN_PROCESS: Words = ['ingest', '--rounds', '4', '--only', 'ceiling,broker,logged']
const LIVE: Words = ['live', '--only', 'P4,least,P6,P7', '--peers', 'nats', '--seconds', '0.5', '--rounds', '2']
const RABBITMQ: Words = ['live', '--only', 'tcp', '--peers', 'rabbitmq', '--seconds', '0.3', '--rounds', '2']
const NUMBERED: Words = ['live', '--only', 'numbered', '--seconds', '0.5', '--rounds', '3']
const CHANGING: Words = ['http-changing', '--only', 'flatOut,offered', '--seconds', '0.6', '--rounds', '2']
const BUSY: Words = ['busy', '--subscribers', '5000', '--shares', '1', '--seconds', '1', '--rounds', '2']
const PAUSES: Words = [
  ...(['pauses', '--only', 'arrive,due,gone,large,reconnect'] as const),
  ...['--due', '50000', '--due-seconds', '3', '--subscribers', '3000', '--repeats', '1'],
]
const CHECKPOINT_PAUSES: Words = ['pauses', '--only', 'checkpoint', '--per-event', '45']
const CONNECTIONS: Words = ['connections', '--seconds', '0.6', '--rounds', '2', '--quiet-ms', '1000']
const GROWTH: Words = ['growth', '--quotes', '10000,100000,1000000,10000000', '--rounds', '3']

/** Programs that are in one pass: they need long until they can measure, and have several rounds or pieces then. */
const IN_ONE_PASS: ReadonlySet<Words> = new Set([
  BOARD,
  BOARD_10M,
  RESTART,
  RABBITMQ,
  NUMBERED,
  CHANGING,
  BUSY,
  PAUSES,
  CHECKPOINT_PAUSES,
  CONNECTIONS,
  GROWTH,
])

/** In how many passes of a form a program is. */
export const passesOf = (form: Form, words: Words): number =>
  form === 'full' ? (IN_ONE_PASS.has(words) ? 1 : PASSES.full) : PASSES[form]

export const TARGETS: readonly Target[] = [
  {
    id: 'P1',
    what: 'odds of one event by REST, 45 quotes',
    full: [REST],
    short: [SHORT_REST],
    smoke: [SMOKE_REST],
    figures: within('results[id=P1]', [
      {
        name: 'unlimited plan',
        at: 'toCeiling.byCpu',
        better: 'more',
        goal: 0.95,
        beside: BARE_HTTP,
        ...cpuPerRequest('oddswire', 'ceiling'),
      },
      {
        name: 'the least program that answers safely',
        at: 'leastToCeiling.byCpu',
        better: 'more',
        beside: BARE_HTTP,
        ...cpuPerRequest('least', 'ceiling'),
      },
      {
        name: 'limited plan',
        at: 'limitedToCeiling.byCpu',
        better: 'more',
        goal: 0.85,
        beside: BARE_HTTP,
        ...cpuPerRequest('limited', 'ceiling'),
      },
      {
        name: 'unlimited plan',
        at: 'toPeer.byCpu',
        better: 'more',
        goal: 4,
        beside: 'Fastify + Redis',
        ...cpuPerRequest('oddswire', 'peer'),
      },
    ]),
  },
  {
    id: 'P2',
    what: 'the same of 1 000 events for 4 audiences, beside 50 000 changes a second',
    full: [CHANGING],
    short: [['http-changing', '--only', 'flatOut', '--seconds', '0.4', '--rounds', '5']],
    smoke: [['http-changing', '--seconds', '0.2', '--rounds', '1']],
    figures: within('results[id=P2]', [
      {
        name: 'flat out, the changes included',
        at: 'toCeiling.byCpuWithChanges',
        better: 'more',
        goal: 0.75,
        beside: BARE_HTTP,
        ...cpuPerRequest('oddswire', 'ceiling'),
        floor: 0.1,
        betweenRuns: 0.04,
      },
      {
        name: 'the least program that takes the changes',
        at: 'toCeiling.leastCountedByCpuWithChanges',
        better: 'more',
        beside: BARE_HTTP,
        ...cpuPerRequest('leastCounted', 'ceiling'),
        floor: 0.1,
        betweenRuns: 0.04,
      },
      {
        name: 'p99 at 20 000 requests/s',
        at: 'p99Us.offered.median',
        better: 'less',
        goal: 5_000,
        unit: 'µs',
        beside: 'the least program',
        other: 'p99Us.leastOffered.median',
        of: 'µs',
        betweenRuns: 0.45,
      },
    ]),
  },
  {
    id: 'P3',
    what: 'a page of 50 of 5 000 events, 200 filters at random',
    full: [REST],
    short: [SHORT_REST],
    smoke: [SMOKE_REST],
    figures: within('results[id=P3]', [
      {
        name: 'unlimited plan',
        at: 'toCeiling.byCpu',
        better: 'more',
        goal: 0.85,
        beside: BARE_HTTP,
        ...cpuPerRequest('oddswire', 'ceiling'),
      },
      {
        name: 'the least program that answers safely',
        at: 'leastToCeiling.byCpu',
        better: 'more',
        beside: BARE_HTTP,
        ...cpuPerRequest('least', 'ceiling'),
      },
    ]),
  },
  {
    id: 'P4',
    what: 'SENDs of ten quotes, all changed, from frame to MESSAGE',
    full: [IN_PROCESS, LIVE],
    short: [['ingest', '--rounds', '5', '--only', 'ceiling,broker,logged'], SHORT_LIVE],
    smoke: [['ingest', '--events', '64', '--rounds', '1'], SMOKE_LIVE],
    figures: [
      {
        name: 'in process, logged',
        at: 'many.ratioToCeiling.logged',
        better: 'more',
        goal: 0.8,
        beside: PARSING,
        ours: 'many.nsPerBody.logged.median',
        other: 'many.nsPerBody.ceiling.median',
        of: 'ns',
      },
      {
        name: 'in process, without log',
        at: 'many.ratioToCeiling.broker',
        better: 'more',
        beside: PARSING,
        ours: 'many.nsPerBody.broker.median',
        other: 'many.nsPerBody.ceiling.median',
        of: 'ns',
      },
      ...ingestFigures(1, 'a subscriber', 0.6),
      ...ingestFigures(0, 'no subscriber'),
    ],
  },
  {
    id: 'P5',
    what: 'the board alone: a quote at random',
    full: [BOARD, BOARD_10M],
    short: [['board', '--quotes', '100000,1000000']],
    smoke: [SMOKE_BOARD],
    figures: [
      {
        name: 'known, 100 k',
        at: 'sizes[quotes=100000].knownPerSecondM',
        better: 'more',
        goal: 12,
        unit: 'M/s',
        betweenRuns: 0.2,
      },
      {
        name: 'known, 10 M',
        at: 'sizes[quotes=10000000].knownPerSecondM',
        better: 'more',
        goal: 3,
        unit: 'M/s',
        betweenRuns: 0.1,
      },
      {
        name: 'new, 10 M',
        at: 'sizes[quotes=10000000].newPerSecondM',
        better: 'more',
        goal: 5,
        unit: 'M/s',
        betweenRuns: 0.1,
      },
      ...boardFigures(100_000, '100 k', 0.2),
      ...boardFigures(1_000_000, '1 M'),
      ...boardFigures(10_000_000, '10 M'),
    ],
  },
  {
    id: 'P6',
    what: 'fan-out to 100 subscribers, publisher flat out',
    full: [LIVE, RABBITMQ, NUMBERED],
    short: [SHORT_LIVE],
    smoke: [SMOKE_LIVE, ['live', '--only', 'numbered', '--seconds', '0.2', '--rounds', '1']],
    figures: [
      ...within('results[id=P6][carrier=tcp]', [
        {
          name: 'TCP',
          at: 'toNats.byCpu',
          better: 'more',
          goal: 1,
          beside: 'nats-server',
          ours: 'cpuUsPerFrame.oddswire.median',
          other: 'cpuUsPerFrame.nats.median',
          of: 'µs a frame',
        },
        {
          name: 'TCP',
          at: 'toRabbit.byCpu',
          better: 'more',
          goal: 50,
          beside: "RabbitMQ's STOMP",
          ours: 'cpuUsPerFrame.oddswire.median',
          other: 'cpuUsPerFrame.rabbitmq.median',
          of: 'µs a frame',
          betweenRuns: 0.3,
        },
      ]),
      ...within('results[id=P6][carrier=websocket]', [
        {
          name: 'WebSocket',
          at: 'toCeiling.byCpu',
          better: 'more',
          goal: 0.7,
          beside: BARE_HTTP,
          ours: 'cpuUsPerFrame.oddswire.median',
          other: 'cpuUsPerFrame.ceiling.median',
          of: 'µs a frame',
        },
      ]),
      ...numberedFigures('tcp', 'TCP'),
      ...numberedFigures('websocket', 'WebSocket'),
      ...bundledFigures,
    ],
  },
  {
    id: 'P7',
    what: 'from SEND to 50 subscribers, open loop',
    full: [LIVE, BUSY],
    short: [SHORT_LIVE],
    smoke: [
      SMOKE_LIVE,
      ['busy', '--subscribers', '500', '--rate', '5000', '--shares', '1', '--seconds', '0.2', '--rounds', '1'],
    ],
    figures: [
      ...latencyFigures(20_000, '20 000 SEND/s'),
      ...latencyFigures(2_000, '2 000 SEND/s'),
      {
        name: 'p50, 2 000 SEND/s',
        at: 'results[id=P7][sendsPerSecond=2000].p50Us.oddswire.median',
        better: 'less',
        goal: 250,
        unit: 'µs',
      },
      {
        name: 'p99, 1 M deliveries/s',
        at: 'results[id=P7][sendsPerSecond=20000].p99Us.oddswire.median',
        better: 'less',
        goal: 10_000,
        unit: 'µs',
      },
      ...busyFigures,
    ],
  },
  {
    id: 'P8',
    what: 'memory, with events of 45 quotes, markets and books',
    full: [BOARD_10M],
    short: [['board', '--quotes', '1000000', '--rounds', '1']],
    smoke: [SMOKE_BOARD],
    figures: [
      { name: 'a quote', at: 'sizes[last].bytesPerQuoteWithEvents', better: 'less', goal: 56, unit: 'B', floor: 0.05 },
      { name: '10 M quotes', at: 'sizes[quotes=10000000].rssMb', better: 'less', goal: 700, unit: 'MB' },
    ],
  },
  {
    id: 'P9',
    what: 'restart with 5 M quotes of 45 an event, from start to ready',
    full: [RESTART],
    short: [['restart', '--quotes', '100000', '--per-event', '45', '--tail', '10000', '--rounds', '5']],
    smoke: [['restart', '--quotes', '20000', '--per-event', '45', '--tail', '2000', '--rounds', '1']],
    figures: within('results[id=P9]', [
      {
        name: 'after SIGTERM',
        at: 'terminated.readyMs.median',
        better: 'less',
        goal: 1_000,
        unit: 'ms',
        betweenRuns: 0.1,
      },
      {
        name: 'after SIGKILL, half a million prices',
        at: 'killed.readyMs.median',
        better: 'less',
        unit: 'ms',
        betweenRuns: 0.1,
      },
      {
        name: 'after SIGTERM',
        at: 'toNode.terminated',
        better: 'less',
        beside: 'a start of Node',
        ours: 'terminated.readyMs.median',
        other: 'nodeMs.median',
        of: 'ms',
        floor: 0.15,
        betweenRuns: 0.1,
      },
    ]),
  },
  {
    id: 'P10',
    what: 'the longest pause of the event loop',
    full: [PAUSES, CHECKPOINT_PAUSES],
    smoke: [['pauses', '--only', 'arrive', '--arriving', '20000']],
    figures: [
      ...pauseFigures('1 M quotes arrive', 'results[during=arrivals].arrivals'),
      ...pauseFigures('a checkpoint of 5 M', 'results[during=checkpoint].checkpoint'),
      ...pauseFigures('quotes fall due, 1 M a minute', 'results[during=due].due'),
      ...pauseFigures('500 000 quotes of sources that have gone are suspended', 'results[during=gone].gone'),
      ...pauseFigures('an event of 250 KB changes, 16 read it', 'results[during=large].large'),
      ...pauseFigures('3 000 connect at once, snapshot', 'results[from=snapshot][what=sink-tcp].reconnect'),
      ...pauseFigures('the same over WebSocket', 'results[from=snapshot][what=sink-ws].reconnect', {
        beside: BARE_HTTP,
        other: 'results[from=snapshot][what=sink-ws].bare.cpuMs.max',
        of: 'ms',
      }),
      ...pauseFigures('3 000 resume at once', 'results[from=resume].reconnect'),
    ],
  },
  {
    id: 'P11',
    what: '10 000 WebSocket subscribers',
    full: [CONNECTIONS],
    short: [['connections', '--seconds', '0.4', '--rounds', '5', '--connections', '3000', '--quiet-ms', '1000']],
    smoke: [['connections', '--seconds', '0.2', '--rounds', '1', '--connections', '1500', '--quiet-ms', '300']],
    figures: within('results[id=P11]', [
      {
        name: 'memory while idle',
        at: 'memoryMb.oddswire.growth',
        better: 'less',
        goal: 100,
        unit: 'MB',
        beside: BARE_HTTP,
        other: 'memoryMb.ceiling.growth',
        of: 'MB',
      },
      {
        name: 'a SEND to two of 10 000',
        at: 'growthOfCost',
        better: 'less',
        goal: 1.1,
        beside: 'a SEND to two of 1 000',
        floor: 0.1,
        betweenRuns: 0.06,
      },
    ]),
  },
  {
    id: 'P12',
    what: 'growth of cost from 10 k to 10 M quotes',
    full: [GROWTH],
    short: [['growth', '--quotes', '10000,1000000', '--rounds', '5']],
    smoke: [['growth', '--quotes', '1000,2000', '--rounds', '1']],
    figures: growthFigures,
  },
]

/** A bench that is of no target. */
export interface Other {
  readonly name: string
  readonly what: string
  readonly full: readonly Words[]
  readonly smoke: readonly Words[]
}

const other = (name: string, what: string, smoke: readonly string[], full: readonly string[] = []): Other => ({
  name,
  what,
  full: [[name, ...full]],
  smoke: [[name, ...smoke]],
})

export const OTHERS: readonly Other[] = [
  other('normalise', 'payloads of sources through their normalisers onto the board', [
    '--rounds',
    '1',
    '--data',
    'none',
  ]),
  other('checkpoint', 'the state written to a file, and loaded', ['--quotes', '20000', '--per-event', '45']),
  other('identity', 'lookups of events by names', ['--rounds', '1', '--events', '2000']),
  other('identity-names', 'events found, and merged wrongly, under names of another source', ['--fixtures', '600']),
  other('log-codec', 'records of the log: octets, encode, decode', ['--rounds', '1']),
  other('log-write', 'the log alone: octets and CPU time a change', ['--rounds', '1']),
  other('budgets', 'how long one client can keep the process busy', ['--quotes', '3000']),
  other('write-costs', 'the least that a fan-out over TCP costs, in full messages and by numbers', [
    '--subscribers',
    '50',
    '--writes',
    '3',
    '--rounds',
    '1',
  ]),
  other('slow', 'a subscriber that reads a tenth', ['--seconds', '2']),
  other('stream', 'a log on a Redis Stream', ['--seconds', '0.1', '--rounds', '1']),
  other('beats', 'heart-beats of processes that share a log', ['--seconds', '0.1']),
  other('replicas-lease', 'requests counted here and in Redis', ['--seconds', '1', '--rounds', '1']),
  other('shared-port', 'several processes on one port', ['--seconds', '0.2', '--rounds', '1', '--processes', '1,2']),
  other('sports', 'shares of sports in the simulator and in a recording', ['--seconds', '5']),
  other('console', 'the live board in Chromium', ['--seconds', '1', '--only', 'desk']),
]
