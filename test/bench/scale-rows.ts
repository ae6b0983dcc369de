// What benches might have printed, with round numbers: unit costs can be computed in the head.

const spread = (median: number) => ({ median, min: median, max: median })

const live = {
  bench: 'live',
  cpu: 'a processor',
  results: [
    { id: 'P4', subscribers: 1, cpuUsPerQuote: { oddswire: spread(9) } },
    { id: 'P4', subscribers: 0, cpuUsPerQuote: { oddswire: spread(1.5) } },
    { id: 'P6', carrier: 'tcp', cpuUsPerFrame: { oddswire: spread(0.2) }, bytesPerFrame: { oddswire: 500 } },
    {
      id: 'P7',
      sendsPerSecond: 20_000,
      subscribers: 50,
      serverCoreBusy: { oddswire: 1 },
      p50Us: { oddswire: spread(9) },
    },
    // 250 µs for a SEND to 50 subscribers.
    {
      id: 'P7',
      sendsPerSecond: 2_000,
      subscribers: 50,
      serverCoreBusy: { oddswire: 0.5 },
      p50Us: { oddswire: spread(300) },
      publisherLateMaxUs: { oddswire: 1_000 },
    },
  ],
}

const connections = {
  bench: 'connections',
  connections: 10_000,
  cpu: 'a processor',
  // 58 µs for a SEND to two.
  results: [
    {
      id: 'P11',
      watchersPerEvent: 2,
      cpuUsPerSend: { '1000': spread(50), '10000': spread(58) },
      memoryMb: { oddswire: { growth: 80 } },
    },
  ],
}

const http = {
  bench: 'http',
  cpu: 'a processor',
  results: [{ id: 'P1', bodyBytes: 6_000, cpuUsPerRequest: { oddswire: spread(8), limited: spread(16) } }],
}

const ingest = {
  bench: 'ingest',
  cpu: 'a processor',
  many: { bodyBytes: 1_000, nsPerBody: { scanner: spread(1_000), engine: spread(4_000) } },
}

const codec = {
  bench: 'log-codec',
  machine: { cpu: 'a processor' },
  rows: [
    { name: 'known', octetsPerRecord: spread(70), decodeNsPerPrice: spread(80) },
    { name: 'fresh', octetsPerRecord: spread(200), decodeNsPerPrice: spread(100) },
  ],
}

const write = {
  bench: 'log-write',
  cpu: 'a processor',
  results: [
    { sendsPerTurn: 1, cpuNsPerChange: { interval: 9_000 } },
    { sendsPerTurn: 64, cpuNsPerChange: { interval: 100 } },
  ],
}

const restart = (quotes: number, rssMb: number, readyMs: number, checkpointOctets: number) => ({
  bench: 'restart',
  cpu: 'a processor',
  results: [{ perEvent: 45, quotes, checkpointOctets, terminated: { rssMb, readyMs: spread(readyMs) } }],
})

const fit = (appendUs: number, appendNsPerOctet: number, readUs: number, readNsPerOctet: number) => ({
  appendUs,
  appendNsPerOctet,
  readUs,
  readNsPerOctet,
})

const stream = {
  bench: 'stream',
  cpu: 'a processor',
  results: ['no', 'everysec', 'always'].map((fsync, n) => ({
    fsync,
    fit: { main: { ...fit(40 + 100 * n, 5, 10, 0.5), errorMax: 0.1 * n }, client: fit(60, 1, 20, 1) },
    rows: [
      { octets: 1_000, readers: 1, memoryOctetsPerEntry: 1_300, readMs: { p50: 0.1 + n } },
      { octets: 100_000, readers: 1, memoryOctetsPerEntry: 120_000, readMs: { p50: 1 + n } },
    ],
  })),
  replication: [
    { octets: 1_000, octetsPerEntry: 1_300 },
    { octets: 100_000, octetsPerEntry: 100_320 },
  ],
}

const beats = {
  bench: 'beats',
  cpu: 'a processor',
  rows: [
    { members: 10, mainUsPerBeat: 15 },
    { members: 110, mainUsPerBeat: 65 },
  ],
}

const sports = {
  bench: 'sports',
  cpu: 'a processor',
  rows: [
    {
      source: 'simulator',
      quotesPerEvent: 900,
      messageOctets: 750,
      changesPerMessage: 2.5,
      publishUsPerChange: 0.3,
      renderUsPerMessage: 4,
      changesPerQuoteSecond: 0.005,
      sports: [
        { sport: 'football', quotes: 0.5, changes: 0.6 },
        { sport: 'tennis', quotes: 0.5, changes: 0.4 },
      ],
    },
    {
      source: 'a recording',
      quotesPerEvent: 100,
      sports: [
        { sport: 'football', quotes: 0.8 },
        { sport: 'tennis', quotes: 0.2 },
      ],
    },
  ],
}

const MB = 2 ** 20

/** The output of each bench, as it would be in a file. */
export const BENCH_OUTPUTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    live,
    connections,
    http,
    ingest,
    codec,
    write,
    // 100 octets and 0.25 µs a quote, 100 MiB without any.
    small: restart(MB, 200, 500, 80 * MB),
    large: restart(4 * MB, 500, 500 + 0.25 * 3 * MB * 1e-3, 320 * MB),
    stream,
    beats,
    sports,
  }).map(([name, row]) => [name, `${JSON.stringify(row)}\n`]),
)
