import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Observation } from '../../src/domain/observation.ts'
import { refuse } from '../../src/domain/refusal.ts'
import { readRecording } from '../../src/feed/recording.ts'
import {
  isReplayFault,
  progressLine,
  rebaseShiftMs,
  replay,
  replayLines,
  type ReplayFault,
  type ReplayOptions,
  type ReplaySummary,
} from '../../src/feed/replay.ts'
import { Account } from '../../src/source/kit/account.ts'
import { factsOf, isFixtureFault, parseFixtures } from '../../src/source/kit/fixture-list.ts'
import { wireObservation } from '../../src/source/observations/observations.ts'
import { Random, SEED } from '../random.ts'
import { ROOT } from '../root.ts'

const fixture = (name: string): string => join(ROOT, 'fixtures', name)
const RECORDING = readFileSync(fixture('the-odds-api/recording.csv'))
const ANSWER = readFileSync(fixture('the-odds-api/answer.json'))
const OBSERVATIONS = readFileSync(fixture('observations/observations.jsonl'))

const NOW = Date.parse('2026-11-20T19:03:11.482Z')
const LIMITS = { lineBytesMax: 2_000, documentBytesMax: 20_000, pricesMax: 1_000, textLengthMax: 200 }

const folder = mkdtempSync(join(tmpdir(), 'oddswire-replay-'))
after(() => rmSync(folder, { recursive: true }))

let files = 0
const file = (content: string | Uint8Array, name = 'recording'): string => {
  const path = join(folder, `${files++}-${name}`)
  writeFileSync(path, content)
  return path
}

interface Replayed {
  readonly result: ReplaySummary | ReplayFault
  readonly observations: Observation[]
  readonly malformed: string[]
}

const run = async (path: string | readonly string[], changed: Partial<ReplayOptions> = {}): Promise<Replayed> => {
  const observations: Observation[] = []
  const malformed: string[] = []
  const result = await replay({
    paths: typeof path === 'string' ? [path] : path,
    format: 'observations',
    transport: null,
    rebase: false,
    now: () => NOW,
    observe: (observation, settled) => {
      observations.push(observation)
      settled(undefined)
    },
    limits: LIMITS,
    onMalformed: (place, reason) => malformed.push(`${place} ${reason}`),
    ...changed,
  })
  return { result, observations, malformed }
}

const summaryOf = ({ result }: Replayed): ReplaySummary => {
  if (isReplayFault(result)) assert.fail(result.fault)
  return result
}

const faultOf = ({ result }: Replayed): ReplayFault => {
  if (!isReplayFault(result)) assert.fail('it was read')
  return result
}

// --- what is read ----------------------------------------------------------------------------------------------------

test('each format is read, plain and packed, and says what became of its prices', async () => {
  const cases = [
    ['the-odds-api-csv', RECORDING, 47, 46, 37, 9],
    ['the-odds-api', ANSWER, 0, 46, 37, 9],
    ['observations', OBSERVATIONS, 3, 4, 4, 3],
  ] as const
  for (const [format, content, lines, read, mapped, observed] of cases) {
    const plain = await run(file(content), { format })
    const packed = await run(file(gzipSync(content), 'recording.gz'), { format })
    const unnamed = await run(file(gzipSync(content)), { format })
    assert.deepEqual(packed.observations, plain.observations)
    assert.deepEqual(unnamed.observations, plain.observations)
    const { totals, ...summary } = summaryOf(plain)
    assert.equal(summary.lines, lines, format)
    assert.equal(totals.read, read, format)
    assert.equal(totals.mapped, mapped, format)
    assert.equal(totals.mapped + totals.noPrice + totals.badPrice + totals.unmapped, read, format)
    assert.equal(summary.observations, observed, format)
    assert.equal(summary.recorded, observed, format)
    assert.equal(summary.shiftMs, 0)
    assert.equal(summary.stopped, false)
  }
})

test('byte order mark, line ends, empty lines and a last line without end make no difference', async () => {
  const expected = await run(file(OBSERVATIONS))
  const lines = OBSERVATIONS.toString('utf8').trim().split('\n')
  for (const text of [
    `\ufeff${lines.join('\n')}`,
    `${lines.join('\r\n')}\r\n`,
    `\n\n${lines.join('\n \r\n\n')}\n\n`,
    `\ufeff\r\n${lines.join('\r\n')}`,
  ]) {
    const { observations, malformed } = await run(file(text))
    assert.deepEqual(malformed, [])
    assert.deepEqual(observations, expected.observations)
  }
  const answer = await run(file(`\ufeff${ANSWER.toString('utf8')}`), { format: 'the-odds-api' })
  assert.equal(summaryOf(answer).observations, 9)
  const csv = await run(file(`\ufeff\n${RECORDING.toString('utf8').replaceAll('\r\n', '\n\n').trim()}`), {
    format: 'the-odds-api-csv',
  })
  assert.deepEqual(csv.malformed, [])
  assert.equal(summaryOf(csv).observations, 9)
})

test('lines are the same wherever the reads fall', async () => {
  // More than one read of the file, split where it happens to be: inside lines, characters and line ends.
  const random = new Random(SEED)
  const [line] = OBSERVATIONS.toString('utf8').split('\n')
  const names: string[] = []
  let text = ''
  for (let count = 0; count < 400; count++) {
    const name = `${'é😀x'.repeat(random.int(1, 30))} ${count}`
    names.push(name)
    text += `${line!.replace('Harbour Town', name)}${random.pick(['\n', '\r\n', '\n\n'])}`
  }
  assert.ok(Buffer.byteLength(text) > 3 * 64 * 1024)
  for (const content of [text, gzipSync(text)]) {
    const { observations, malformed } = await run(file(content))
    assert.deepEqual(malformed, [], `seed ${SEED}`)
    assert.deepEqual(
      observations.map(({ event }) => event.home),
      names,
      `seed ${SEED}`,
    )
  }
})

test('a transport that is given beats what the recording says', async () => {
  const own = await run(file(OBSERVATIONS))
  assert.deepEqual(
    own.observations.map(({ transport }) => transport),
    ['rest', 'live', 'both'],
  )
  const given = await run(file(OBSERVATIONS), { transport: 'live' })
  assert.deepEqual(new Set(given.observations.map(({ transport }) => transport)), new Set(['live']))
})

test('an empty file of observations has none; other empty files are faults', async () => {
  assert.equal(summaryOf(await run(file(''))).observations, 0)
  assert.match(faultOf(await run(file(''), { format: 'the-odds-api-csv' })).fault, / is empty: /)
  assert.match(faultOf(await run(file(''), { format: 'the-odds-api' })).fault, / is not JSON: /)
})

// --- what cannot be read ---------------------------------------------------------------------------------------------

test('a bad line is named with its number, skipped and counted', async () => {
  const [first, second, third] = OBSERVATIONS.toString('utf8').trim().split('\n')
  const content = Buffer.concat([
    Buffer.from(`${first}\n\n{"oops\r\n`),
    Buffer.from(`${second!.replace('"live"', '"LIVE"')}\n`),
    Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
    Buffer.from(`${'x'.repeat(2_001)}\n`),
    Buffer.from(third!),
  ])
  for (const bytes of [content, gzipSync(content)]) {
    const replayed = await run(file(bytes))
    assert.equal(replayed.observations.length, 2)
    assert.match(replayed.malformed[0]!, /^line 3 observation is not JSON: /)
    assert.equal(replayed.malformed[1], 'line 4 transport must be one of rest, live, both')
    assert.equal(replayed.malformed[2], 'line 5 is not UTF-8')
    assert.equal(replayed.malformed[3], 'line 6 is longer than 2000 bytes')
    const summary = summaryOf(replayed)
    assert.equal(summary.totals.malformed, 4)
    assert.equal(summary.lines, 6)
  }
})

test('a line may have as many bytes as the limit says, and not one more', async () => {
  const line = (length: number): string => {
    const [first] = OBSERVATIONS.toString('utf8').split('\n')
    return `${first}${' '.repeat(length - Buffer.byteLength(first!))}`
  }
  for (const end of ['\n', '\r\n', '']) {
    for (const blank of [0, 64 * 1024 - 1_000]) {
      // Empty lines in front push the line over the border between two reads of the file.
      const content = (length: number): string => `${'\n'.repeat(blank)}${line(length)}${end}`
      const fits = await run(file(content(2_000)))
      assert.deepEqual(fits.malformed, [])
      assert.equal(fits.observations.length, 1)
      const over = await run(file(content(2_001)))
      assert.match(over.malformed[0] ?? '', /is longer than 2000 bytes$/)
      assert.equal(over.observations.length, 0)
    }
  }
})

test('a line without end costs no memory, and the next one is read', async () => {
  const content = gzipSync(Buffer.concat([Buffer.alloc(200_000_000, 'x'), Buffer.from('\n'), OBSERVATIONS]))
  const path = file(content)
  const before = process.memoryUsage.rss()
  let most = 0
  const replayed = await run(path, { onProgress: () => (most = Math.max(most, process.memoryUsage.rss() - before)) })
  assert.deepEqual(replayed.malformed, ['line 1 is longer than 2000 bytes'])
  assert.equal(replayed.observations.length, 3)
  assert.ok(most < 100_000_000, `${most} bytes more`)
})

test('of many bad lines the first are named, all are counted', async () => {
  const replayed = await run(file('x\n'.repeat(1_000)))
  assert.equal(replayed.malformed.length, 20)
  assert.equal(replayed.malformed[19]!.slice(0, 8), 'line 20 ')
  assert.equal(summaryOf(replayed).totals.malformed, 1_000)
})

test('a file that cannot be read is a fault that says why', async () => {
  const missing = join(folder, 'nothing')
  assert.equal(faultOf(await run(missing)).fault, `${missing} does not exist`)
  assert.equal(faultOf(await run(folder)).fault, `${folder} is a folder, not a file`)
  assert.equal(faultOf(await run('/dev/null')).fault, '/dev/null is not a file')
  for (const content of ['plain', '', '\u001f']) {
    const path = file(content, 'plain.gz')
    assert.equal(faultOf(await run(path)).fault, `${path} is not gzip, though its name says so`)
  }
  const csv = file('a,b\n1,2\n')
  assert.match(
    faultOf(await run(csv, { format: 'the-odds-api-csv' })).fault,
    /first line must name the columns event_id, /,
  )
  const long = file('['.repeat(20_001))
  assert.equal(faultOf(await run(long, { format: 'the-odds-api' })).fault, `${long} is longer than 20000 bytes`)
  const latin1 = file(Buffer.from('[]\xe9', 'latin1'))
  assert.equal(faultOf(await run(latin1, { format: 'the-odds-api' })).fault, `${latin1} is not UTF-8`)
})

test('a truncated or damaged gzip file is a fault; with rebase nothing of it is observed', async () => {
  const lines = Array.from({ length: 2_000 }, () => OBSERVATIONS.toString('utf8')).join('')
  const random = new Random(SEED)
  const noise = Array.from({ length: 500 }, () => random.int(0, 2 ** 31).toString(36)).join('\n')
  const packed = gzipSync(lines + noise)
  const cut = file(packed.subarray(0, packed.length - 500))
  for (const rebase of [false, true]) {
    const replayed = await run(cut, { rebase })
    const { fault, summary } = faultOf(replayed)
    assert.equal(fault, `${cut} is truncated: its gzip data has no end`)
    assert.equal(summary.observations, replayed.observations.length)
    assert.equal(replayed.observations.length > 0, !rebase)
  }
  const damaged = Buffer.from(packed)
  damaged.fill(0x55, 20, 60)
  const path = file(damaged)
  assert.match(faultOf(await run(path)).fault, /is damaged: its gzip data cannot be unpacked/)
})

// --- times -----------------------------------------------------------------------------------------------------------

test('a shift is whole minutes, and makes the newest less than a minute old', () => {
  const random = new Random(SEED)
  for (let count = 0; count < 10_000; count++) {
    const newestAt = random.int(0, 4e12)
    const nowAt = random.chance(0.2) ? newestAt + random.int(-3, 3) * 60_000 : random.int(0, 4e12)
    const shiftMs = rebaseShiftMs(newestAt, nowAt)
    const age = nowAt - (newestAt + shiftMs)
    assert.ok(
      age >= 0 && age < 60_000 && Math.abs(shiftMs % 60_000) === 0,
      `seed ${SEED}, ${count}: ${newestAt} ${nowAt}`,
    )
  }
})

test('rebase moves every time by the same, whatever the order of the lines, and bad lines do not count', async () => {
  const [first] = (await run(file(OBSERVATIONS))).observations
  const times = [5_000_000, 9_123_456, 1_000, 9_100_000]
  const lines = times.map((observedAt) => JSON.stringify({ ...wireObservation({ ...first!, observedAt }) }))
  // Newer than all others, but not readable.
  lines.push(JSON.stringify({ ...wireObservation({ ...first!, observedAt: NOW * 2 }), others: 'x' }))
  const path = file(lines.join('\n'))
  let asked = 0
  const replayed = await run(path, { rebase: true, now: () => (asked++, NOW) })
  const { shiftMs, totals } = summaryOf(replayed)
  assert.equal(asked, 1)
  assert.equal(shiftMs, rebaseShiftMs(9_123_456, NOW))
  assert.deepEqual(
    replayed.observations.map(({ observedAt }) => observedAt),
    times.map((time) => time + shiftMs),
  )
  for (const { event } of replayed.observations) assert.equal(event.kickoffAt, first!.event.kickoffAt + shiftMs)
  assert.equal(totals.malformed, 1, 'counted once, though read twice')
  assert.equal(replayed.malformed.length, 1)
})

test('rebase of a recording without observations, and of one from the future', async () => {
  assert.equal(summaryOf(await run(file('x\n'), { rebase: true })).shiftMs, 0)
  const past = NOW - 365 * 86_400_000
  const { result, observations } = await run(file(OBSERVATIONS), { rebase: true, now: () => past })
  assert.ok(!isReplayFault(result) && result.shiftMs < 0)
  const newest = Math.max(...observations.map(({ observedAt }) => observedAt))
  assert.ok(newest <= past && newest > past - 60_000)
})

// --- the run ---------------------------------------------------------------------------------------------------------

test('several files are read in their order, as one recording: one shift, one progress, one picture of documents', async () => {
  const [first] = (await run(file(OBSERVATIONS))).observations
  const of = (...times: readonly number[]): string =>
    times.map((observedAt) => JSON.stringify({ ...wireObservation({ ...first!, observedAt }) })).join('\n')
  const paths = [
    file(of(9_123_456, 1_000)),
    file(gzipSync(`${of(5_000_000)}\nnonsense`), 'second.gz'),
    file(of(2_000_000)),
  ]
  for (const rebase of [false, true]) {
    const told: number[] = []
    let total = 0
    const onProgress = (bytesRead: number, bytesTotal: number): void => {
      told.push(bytesRead)
      total = bytesTotal
    }
    const replayed = await run(paths, { rebase, onProgress })
    const { shiftMs, path, lines, recorded, totals } = summaryOf(replayed)
    assert.equal(shiftMs, rebase ? rebaseShiftMs(9_123_456, NOW) : 0)
    assert.deepEqual(
      replayed.observations.map(({ observedAt }) => observedAt - shiftMs),
      [9_123_456, 1_000, 5_000_000, 2_000_000],
    )
    assert.deepEqual([lines, recorded, totals.malformed], [5, 4, 1])
    assert.match(replayed.malformed[0]!, /^\d+-second\.gz line 2 /)
    assert.equal(path, paths.map((each) => basename(each)).join(', '))
    assert.equal(told.at(-1), total)
    assert.deepEqual(
      told.toSorted((a, b) => a - b),
      told,
    )
  }
  // Prices of Pinnacle name no teams: those are in the document before.
  const both = ['pinnacle/matchups.json', 'pinnacle/markets.json'].map(fixture)
  const format = { format: 'pinnacle', facts: { receivedAt: () => NOW } } as const
  assert.ok(summaryOf(await run(both, format)).observations > 0)
  assert.equal(summaryOf(await run(both.toReversed(), format)).observations, 0)
  // Nothing of the first is passed on when another is missing, and the fault names it.
  const missing = await run([paths[0]!, join(folder, 'none.jsonl')])
  assert.equal(faultOf(missing).fault, `${join(folder, 'none.jsonl')} does not exist`)
  assert.deepEqual(missing.observations, [])
  const four = summaryOf(await run([...paths, paths[2]!]))
  assert.match(four.path, /^\S+, \S+, \S+ and 1 more$/)
})

test('what observe refuses is counted by code, and the replay continues', async () => {
  let seen = 0
  const replayed = await run(file(RECORDING), {
    format: 'the-odds-api-csv',
    // Some are settled after the file was read.
    observe: (_observation, settled) => {
      const n = ++seen
      const full = n % 4 === 0 ? refuse('service_unavailable', `the board is full (${n})`) : undefined
      setTimeout(() => settled(n === 3 ? refuse('validation_failed', 'observedAt lies ahead') : full))
    },
  })
  const summary = summaryOf(replayed)
  assert.equal(summary.observations, 9)
  assert.equal(summary.recorded, 6)
  assert.deepEqual(summary.refused, [
    { code: 'validation_failed', observations: 1, message: 'observedAt lies ahead' },
    { code: 'service_unavailable', observations: 2, message: 'the board is full (4)' },
  ])
})

test('progress goes from the first byte to the last, once for each percent', async () => {
  const content = Array.from({ length: 4_000 }, () => OBSERVATIONS.toString('utf8')).join('')
  for (const rebase of [false, true]) {
    const path = file(content)
    const told: [number, number][] = []
    await run(path, { rebase, onProgress: (bytesRead, bytesTotal) => told.push([bytesRead, bytesTotal]) })
    const total = Buffer.byteLength(content) * (rebase ? 2 : 1)
    assert.deepEqual(told.at(-1), [total, total])
    assert.ok(told.length > 10 && told.length <= 101)
    for (let index = 1; index < told.length; index++) assert.ok(told[index]![0] > told[index - 1]![0])
  }
})

test('others have their turn while a recording is read', async () => {
  const content = Array.from({ length: 20_000 }, () => OBSERVATIONS.toString('utf8')).join('')
  const path = file(gzipSync(content, { level: 1 }))
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await run(path, { observe: (_observation, settled) => settled(undefined) })
  clearInterval(timer)
  assert.ok(turns >= 10, `${turns} turns`)
})

test('a signal stops the replay between two batches', async () => {
  const content = Array.from({ length: 20_000 }, () => OBSERVATIONS.toString('utf8')).join('')
  const path = file(content)
  const controller = new AbortController()
  let seen = 0
  const replayed = await run(path, {
    signal: controller.signal,
    observe: (_observation, settled) => {
      if (++seen === 100) controller.abort()
      settled(undefined)
    },
  })
  const summary = summaryOf(replayed)
  assert.equal(summary.stopped, true)
  assert.ok(summary.observations >= 100 && summary.observations < 5_000, `${summary.observations}`)
  const before = await run(path, { signal: AbortSignal.abort(), rebase: true })
  assert.equal(summaryOf(before).stopped, true)
  assert.equal(before.observations.length, 0)
})

test('a recording can be left in the middle, and is read again from the start', async () => {
  const content = Array.from({ length: 5_000 }, () => OBSERVATIONS.toString('utf8')).join('')
  const path = file(content)
  for (let count = 0; count < 50; count++) {
    for await (const batch of readRecording({
      path,
      format: 'observations',
      transport: null,
      limits: LIMITS,
      account: new Account(),
      onMalformed: () => {},
    })) {
      assert.ok(batch.length > 0)
      break
    }
  }
})

test('our own mistakes are not reported as the file’s', async () => {
  const broken = run(file(OBSERVATIONS), {
    observe: () => {
      throw new RangeError('a bug')
    },
  })
  await assert.rejects(broken, { message: 'a bug' })
})

// --- for people ------------------------------------------------------------------------------------------------------

test('the summary is aligned lines', async () => {
  const path = file(RECORDING, 'recording.csv')
  const summary = summaryOf(await run(path, { format: 'the-odds-api-csv', rebase: true, now: () => NOW }))
  const [title, ...lines] = replayLines(summary)
  assert.match(title!, /^\d+-recording\.csv as the-odds-api-csv, moved 258 d 7 h 4 min forward$/)
  assert.deepEqual(lines, [
    '  read          46  prices on 47 lines',
    '  mapped        37',
    '  no price       0',
    '  bad price      1  h2h 1',
    '  unmapped       8',
    '    lay          3  h2h_lay 2, outrights_lay 1',
    '    outcome      2  h2h 1, outrights 1',
    '    sport        2  lacrosse h2h 2',
    '    market       1  team_totals 1',
    '  malformed      0',
    '  observations   9',
    '  recorded       9',
    '  refused        0',
  ])
})

test('outcomes of which only the day is known are shown as dated', async () => {
  const path = file('Div,Date,HomeTeam,AwayTeam,PSCH,PSH\nE0,26/08/17,Alder,Birch,2,1.9\n', 'matches.csv')
  const [, , mapped] = replayLines(summaryOf(await run(path, { format: 'football-data' })))
  assert.equal(mapped, '  mapped          1  1 of them dated: a day, and no time')
})

test('the progress bar fits the terminal', () => {
  assert.equal(progressLine(0, 4 << 20, 60), `replay [${'-'.repeat(31)}]   0%  0.0 of 4.0 MB`)
  assert.equal(progressLine(1 << 20, 4 << 20, 200), `replay [${'#'.repeat(10)}${'-'.repeat(30)}]  25%  1.0 of 4.0 MB`)
  assert.equal(progressLine(4 << 20, 4 << 20, 200), `replay [${'#'.repeat(40)}] 100%  4.0 of 4.0 MB`)
  for (let columns = 0; columns < 120; columns++) {
    for (const read of [0, 1, 12345678, 99999999]) assert.ok(progressLine(read, 99999999, columns).length <= columns)
  }
})

// --- odds in another format ------------------------------------------------------------------------------------------

const AMERICAN = fixture('the-odds-api/american.json')
const AMERICAN_CSV = fixture('the-odds-api/american.csv')

test('a recording in American odds is refused by its name before anything is published, and converted where the flag says so', async () => {
  for (const [path, format] of [
    [AMERICAN, 'the-odds-api'],
    [AMERICAN_CSV, 'the-odds-api-csv'],
    [file(gzipSync(readFileSync(AMERICAN_CSV)), 'american.csv.gz'), 'the-odds-api-csv'],
  ] as const) {
    for (const rebase of [false, true]) {
      const refused = await run(path, { format, rebase })
      assert.ok(faultOf(refused).fault.startsWith(`${path} holds American odds (`), faultOf(refused).fault)
      assert.match(faultOf(refused).fault, /--odds-format american/)
      assert.deepEqual(refused.observations, [])
      const converted = await run(path, { format, rebase, facts: { oddsFormat: 'american' } })
      assert.equal(summaryOf(converted).totals.mapped, 8)
      const odds = converted.observations.flatMap(({ prices }) => prices.map((price) => price.odds))
      assert.deepEqual(odds, [1.667, 2.38, 1.909, 1.909, 1.704, 2, 3.53, 1.313])
    }
  }
})

test('the row that proves American odds may be the last of a recording: nothing before it is published', async () => {
  const [header, ...rows] = RECORDING.toString('utf8').trim().split(/\r?\n/)
  const last = readFileSync(AMERICAN_CSV, 'utf8').trim().split('\n').at(-1)!
  // More than one chunk of the file.
  const many = Array.from({ length: 40 }, () => rows).flat()
  const path = file([header, ...many, last].join('\n'))
  const refused = await run(path, { format: 'the-odds-api-csv' })
  assert.match(faultOf(refused).fault, new RegExp(`line ${many.length + 2}, price is -320`))
  assert.deepEqual(refused.observations, [])
  assert.equal(faultOf(refused).summary.totals.read, 0)
})

test('a recording that is examined first gives what it gave: truncated, empty, stopped, without a header', async () => {
  const format = 'the-odds-api-csv'
  const many = Buffer.concat([
    RECORDING,
    ...Array.from({ length: 200 }, () => RECORDING.subarray(RECORDING.indexOf(10) + 1)),
  ])
  const packed = gzipSync(many)
  const cut = await run(file(packed.subarray(0, packed.length - 20), 'cut.csv.gz'), { format })
  assert.match(faultOf(cut).fault, /is truncated/)
  assert.ok(cut.observations.length > 0, 'what could be read of it was published, as before')
  assert.match(faultOf(await run(file(''), { format })).fault, /is empty/)
  assert.match(faultOf(await run(file('a,b\n1,-110'), { format })).fault, /its first line must name the columns/)
  assert.match(faultOf(await run(join(folder, 'none.csv'), { format })).fault, /none\.csv does not exist$/)
  const stopping = new AbortController()
  stopping.abort()
  assert.equal(summaryOf(await run(file(RECORDING), { format, signal: stopping.signal })).stopped, true)
})

// --- payloads that name no teams -------------------------------------------------------------------------------------

test('a Betfair recording as streamed says that it names no teams, and a fixture list names them', async () => {
  const path = fixture('betfair/unnamed.jsonl')
  const unnamed = await run(path, { format: 'betfair' })
  assert.deepEqual(unnamed.observations, [])
  const summary = summaryOf(unnamed)
  assert.match(summary.unnamed!, /2 events \(501, 502\) and \d+ runners \(11, 12, .*--fixtures FILE/)
  assert.ok(replayLines(summary).at(-1)!.includes('does not name 2 events'))

  const list = parseFixtures(readFileSync(fixture('betfair/fixtures.json'), 'utf8'), LIMITS)
  if (isFixtureFault(list)) assert.fail(list.message)
  const named = await run(path, { format: 'betfair', facts: factsOf(list) })
  const asRecorded = await run(fixture('betfair/stream.jsonl'), { format: 'betfair' })
  assert.equal(summaryOf(named).unnamed, undefined)
  assert.equal(summaryOf(asRecorded).unnamed, undefined)
  const leagues: Readonly<Record<string, readonly string[]>> = {
    'betfair:501': ['harbour_league', 'Harbour League'],
    'betfair:502': ['coast_league', 'Coast League'],
  }
  assert.deepEqual(
    named.observations,
    asRecorded.observations.map((observation) => {
      const [leagueKey, leagueName] = leagues[observation.event.sourceKey!]!
      return { ...observation, event: { ...observation.event, leagueKey, leagueName } }
    }),
  )
})

test('messages of UOF, rows of TxLINE and markets of Pinnacle that name no teams say so as well', async () => {
  for (const [path, format, pattern] of [
    ['uof/messages.xml', 'uof', /event.* --fixtures FILE/],
    ['txline/17588223.odds.json', 'txline', /1 event \(\d+\).* --fixtures FILE/],
    ['pinnacle/markets.json', 'pinnacle', /events \(.* give its matchups/],
  ] as const) {
    const content = readFileSync(fixture(path))
    const { result } = await run(file(content, '1'), { format, limits: { ...LIMITS, documentBytesMax: 50_000 } })
    assert.ok(!isReplayFault(result))
    assert.match(result.unnamed ?? '', pattern, format)
  }
  for (const path of ['observations/observations.jsonl']) {
    assert.equal(summaryOf(await run(fixture(path))).unnamed, undefined)
  }
})
