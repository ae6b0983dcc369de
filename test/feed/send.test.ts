import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { mintSecret } from '../../src/access/key.ts'
import * as clock from '../../src/clock.ts'
import { rebaseShiftMs } from '../../src/feed/replay.ts'
import {
  isSendFault,
  isWhole,
  type SendFault,
  type SendOptions,
  type SendSummary,
  send,
  sendLines,
} from '../../src/feed/send.ts'
import { ROOT } from '../root.ts'
import { type Script, ScriptedBroker } from '../source/kit/scripted-broker.ts'

const RECORDING = join(ROOT, 'fixtures', 'the-odds-api', 'recording.csv')

const LIMITS: SendOptions['limits'] = {
  lineBytesMax: 2_000,
  documentBytesMax: 20_000,
  pricesMax: 1_000,
  textLengthMax: 200,
  unansweredMax: 16,
  unansweredBytesMax: 1_000_000,
  bodyBytesMax: 1_200,
  openMsMax: 30_000,
  closeMsMax: 30_000,
  answerMsMax: 30_000,
  triesMax: 4,
  pauseMsMin: 1,
  pauseMsMax: 4,
}

const FIRST_AT = Date.parse('2026-03-07T11:58:10.125Z')
const KICKOFF_AT = Date.parse('2026-03-08T15:00:00.000Z')

const line = (observedAt: number, over: object = {}): string =>
  JSON.stringify({
    bookmaker: 'northbet',
    transport: 'live',
    observedAt: new Date(observedAt).toISOString(),
    event: {
      sport: 'football',
      league: { key: 'l', name: 'L' },
      home: 'Harbour Town',
      away: 'Kestrel & Vale',
      kickoffAt: new Date(KICKOFF_AT).toISOString(),
    },
    quotes: [{ type: 'match_result_1x2', outcome: 'home', odds: 2.1 }],
    ...over,
  })

const folder = mkdtempSync(join(tmpdir(), 'oddswire-send-'))
const brokers: ScriptedBroker[] = []
after(async () => {
  rmSync(folder, { recursive: true })
  for (const broker of brokers) await broker.close()
})

let files = 0
const file = (lines: readonly string[]): string => {
  const path = join(folder, `${files++}-observations.jsonl`)
  writeFileSync(path, lines.join('\n'))
  return path
}

/** A SEND as it arrived: its times, and when it did; epoch ms. */
interface Arrived {
  readonly observedAt: number
  readonly kickoffAt: number
  readonly arrivedAt: number
  readonly destination: string
  readonly transport: string
}

interface Sent {
  readonly result: SendSummary | SendFault
  readonly arrived: readonly Arrived[]
  readonly malformed: readonly string[]
  readonly refused: readonly string[]
  readonly broker: ScriptedBroker
}

const run = async (path: string, changed: Partial<SendOptions> = {}, script: Script = () => {}): Promise<Sent> => {
  const arrived: Arrived[] = []
  const broker = await ScriptedBroker.listen((frame, peer, its) => {
    if (frame.command === 'SEND') {
      const body = JSON.parse(frame.body)
      arrived.push({
        observedAt: Date.parse(body.observedAt),
        kickoffAt: Date.parse(body.event.kickoffAt),
        arrivedAt: clock.now(),
        destination: frame.headers.destination!,
        transport: body.transport,
      })
    }
    return script(frame, peer, its)
  })
  brokers.push(broker)
  const malformed: string[] = []
  const refused: string[] = []
  const result = await send({
    path,
    format: 'observations',
    transport: null,
    rebase: false,
    speed: null,
    endpoint: { host: '127.0.0.1', port: broker.port, tls: false },
    key: mintSecret('feed'),
    now: clock.now,
    chance: () => 0,
    limits: LIMITS,
    onMalformed: (place, reason) => malformed.push(`${place} ${reason}`),
    onRefused: (place, reason) => refused.push(`${place} ${reason}`),
    ...changed,
  })
  return { result, arrived, malformed, refused, broker }
}

const summaryOf = ({ result }: Sent): SendSummary => {
  if (isSendFault(result)) assert.fail(result.fault)
  return result
}

const faultOf = ({ result }: Sent): SendFault => {
  if (!isSendFault(result)) assert.fail('it was sent')
  return result
}

// --- what is sent ----------------------------------------------------------------------------------------------------

test('a recording of any format is sent whole, to the destination of each bookmaker, in its order', async () => {
  const sent = await run(RECORDING, { format: 'the-odds-api-csv', transport: 'both' })
  const summary = summaryOf(sent)
  assert.deepEqual([summary.totals.read, summary.totals.mapped, summary.totals.unmapped], [46, 37, 8])
  assert.deepEqual([summary.taken, summary.sent, summary.receipted], [9, 9, 9])
  assert.equal(isWhole(summary), true)
  assert.equal(summary.shiftMs, 0)
  assert.equal(sent.arrived.length, 9)
  assert(sent.arrived.every(({ transport }) => transport === 'both'))
  assert(new Set(sent.arrived.map(({ destination }) => destination)).size > 1)
})

test('bad lines are named, skipped and counted; refusals likewise, by code, with the first message', async () => {
  const lines = Array.from({ length: 30 }, (_, number) => line(FIRST_AT + number))
  const path = file(['{"oops', ...lines, line(FIRST_AT, { transport: 'tv' })])
  const sent = await run(path, {}, (frame, peer) => {
    if (frame.command !== 'SEND' || frame.headers.receipt === '1') return false
    const code = frame.headers.receipt === '3' ? 'service_unavailable' : 'validation_failed'
    peer.refusal(frame, code, `quotes[0].odds is odd (${frame.headers.receipt})`, 'quotes[0].odds')
    peer.receipt(frame, { refused: code })
    return true
  })
  const summary = summaryOf(sent)
  assert.equal(summary.totals.malformed, 2)
  assert.match(sent.malformed[0]!, /^line 1 observation is not JSON/)
  assert.match(sent.malformed[1]!, /^line 32 transport must be/)
  assert.deepEqual(summary.refusals, [
    { code: 'validation_failed', observations: 28, message: 'quotes[0].odds is odd (2)' },
    { code: 'service_unavailable', observations: 1, message: 'quotes[0].odds is odd (3)' },
  ])
  assert.equal(sent.refused.length, 20, 'of many the first are named')
  assert.equal(
    sent.refused[0],
    'observation 2 (northbet, Harbour Town v Kestrel & Vale) validation_failed: quotes[0].odds is odd (2)',
  )
  assert.deepEqual([summary.taken, summary.sent, summary.receipted, summary.refused], [30, 30, 1, 29])
  assert.equal(isWhole(summary), false)
})

test('what is too long to be sent counts as unsent', async () => {
  const quotes = Array.from({ length: 18 }, (_, number) => ({
    type: 'total_goals',
    line: number,
    outcome: 'over',
    odds: 2,
  }))
  const sent = await run(file([line(FIRST_AT), line(FIRST_AT, { quotes })]))
  const summary = summaryOf(sent)
  assert.deepEqual([summary.taken, summary.sent, summary.receipted, summary.unsent], [2, 1, 1, 1])
  assert.match(sent.refused[0]!, /^observation 2 \(.*\) too_long: is longer than 1200 bytes/)
  assert.equal(isWhole(summary), false)
  assert.match(sendLines(summary).slice(-2).join('\n'), /unsent +1\n +too_long +1 +is longer/)
})

test('a recording that cannot be read is a fault; what was sent of it stands', async () => {
  const missing = join(folder, 'nothing')
  assert.equal(faultOf(await run(missing)).fault, `${missing} does not exist`)
  const csv = file([line(FIRST_AT)])
  assert.match(faultOf(await run(csv, { format: 'the-odds-api-csv' })).fault, /first line must name the columns/)
  assert.match(faultOf(await run(missing, { rebase: true })).fault, /does not exist/)
})

test('an engine that says no in the middle is a fault, and the rest is not read', async () => {
  const path = file(Array.from({ length: 5_000 }, (_, number) => line(FIRST_AT + number)))
  for (const speed of [null, 1_000_000]) {
    const sent = await run(path, { speed }, (frame, peer) => {
      if (frame.headers.receipt !== '40') return false
      peer.send('ERROR', { message: 'api_key_scope_denied', 'receipt-id': 40 }, '{"error":{"message":"no"}}')
      peer.socket.end()
      return true
    })
    const { fault, summary } = faultOf(sent)
    assert.match(fault, /refused SEND \/feed\/northbet: api_key_scope_denied: no; .*39 receipted/)
    assert.equal(summary.receipted, 39)
    assert.equal(summary.stopped, false)
    assert(summary.taken < 100)
  }
})

test('an engine that cannot be reached is a fault before anything is read', async () => {
  const sent = await run(file([line(FIRST_AT)]), { endpoint: { host: '127.0.0.1', port: 1, tls: false } })
  const { fault, summary } = faultOf(sent)
  assert.match(fault, /^stomp:\/\/127\.0\.0\.1:1 cannot be reached: /)
  assert.equal(summary.totals.read, 0)
})

// --- times -----------------------------------------------------------------------------------------------------------

test('rebase without speed moves all times by the same minutes, the newest to less than a minute ago', async () => {
  const offsets = [0, 5_000_123, 1_000, -60_000]
  const nowAt = FIRST_AT + 987_654_321
  const sent = await run(file(offsets.map((offset) => line(FIRST_AT + offset))), { rebase: true, now: () => nowAt })
  const shiftMs = rebaseShiftMs(FIRST_AT + 5_000_123, nowAt)
  assert.equal(summaryOf(sent).shiftMs, shiftMs)
  assert.deepEqual(
    sent.arrived.map(({ observedAt }) => observedAt),
    offsets.map((offset) => FIRST_AT + offset + shiftMs),
  )
  assert(sent.arrived.every(({ kickoffAt }) => kickoffAt === KICKOFF_AT + shiftMs))
})

test('with a speed nothing is sent before it is due, what is due already is not held, and times stay', async () => {
  const offsets = [0, 60, 30, 300, 240, 300, 450]
  for (const speed of [1, 3, 0.5]) {
    const startAt = clock.now()
    const sent = await run(file(offsets.map((offset) => line(FIRST_AT + offset))), { speed })
    assert.equal(summaryOf(sent).receipted, offsets.length)
    sent.arrived.forEach(({ arrivedAt, observedAt, kickoffAt }, index) => {
      assert.equal(observedAt, FIRST_AT + offsets[index]!)
      assert.equal(kickoffAt, KICKOFF_AT)
      assert(arrivedAt - startAt >= offsets[index]! / speed, `${index} came ${arrivedAt - startAt} ms after the start`)
    })
  }
})

test('a day is played in a moment, if so asked', async () => {
  const offsets = Array.from({ length: 100 }, (_, hour) => hour * 900_000)
  const sent = await run(file(offsets.map((offset) => line(FIRST_AT + offset))), { speed: 1_000_000 })
  assert.equal(summaryOf(sent).receipted, 100)
})

test('with rebase and speed each is observed when due, never in the future, and its event stays one', async () => {
  const offsets = [0, 61, 30, 300, 240, 333]
  for (const speed of [1, 3, 0.7]) {
    const sent = await run(file(offsets.map((offset) => line(FIRST_AT + offset))), { speed, rebase: true })
    const startAt = sent.arrived[0]!.observedAt
    const summary = summaryOf(sent)
    assert.equal(summary.shiftMs, startAt - FIRST_AT)
    sent.arrived.forEach(({ arrivedAt, observedAt, kickoffAt }, index) => {
      assert.equal(observedAt, Math.floor(startAt + offsets[index]! / speed))
      assert(arrivedAt >= observedAt)
      assert.equal(kickoffAt, KICKOFF_AT + rebaseShiftMs(FIRST_AT, startAt))
    })
    assert(sent.arrived.every(({ kickoffAt }) => kickoffAt % 60_000 === 0))
  }
})

// --- stopping --------------------------------------------------------------------------------------------------------

test('a signal ends the waiting for the next one, however far it is, and that is no fault', async () => {
  const stopping = new AbortController()
  // More than a timer can hold.
  const path = file([line(FIRST_AT), line(FIRST_AT + 60 * 86_400_000)])
  const sent = await run(path, { speed: 1, signal: stopping.signal }, ({ command }) => {
    if (command === 'SEND') setImmediate(() => stopping.abort())
  })
  const summary = summaryOf(sent)
  assert.equal(summary.stopped, true)
  assert.deepEqual([summary.taken, summary.receipted], [1, 1])
  assert.equal(isWhole(summary), true)
})

test('a signal in the middle stops the reading; what was sent is receipted', async () => {
  const stopping = new AbortController()
  const path = file(Array.from({ length: 20_000 }, (_, number) => line(FIRST_AT + number)))
  const sent = await run(path, { signal: stopping.signal }, ({ headers }) => {
    if (headers.receipt === '500') stopping.abort()
  })
  const summary = summaryOf(sent)
  assert.equal(summary.stopped, true)
  assert(summary.taken >= 500 && summary.taken < 600, `${summary.taken}`)
  assert.equal(summary.receipted, summary.taken)
})

test('a signal before the start, or while connecting, sends nothing', async () => {
  const path = file([line(FIRST_AT)])
  const before = summaryOf(await run(path, { signal: AbortSignal.abort() }))
  assert.deepEqual([before.taken, before.stopped], [0, true])
  const stopping = new AbortController()
  const during = await run(path, { signal: stopping.signal }, ({ command }) => {
    if (command === 'CONNECT') stopping.abort()
    return command === 'CONNECT'
  })
  assert.deepEqual([summaryOf(during).taken, summaryOf(during).stopped], [0, true])
})

test('an engine that is lost while the next one is waited for is a fault', async () => {
  const path = file([line(FIRST_AT), line(FIRST_AT + 86_400_000)])
  const sent = await run(path, { speed: 1 }, (frame, peer, broker) => {
    if (frame.command === 'CONNECT' && broker.connections > 1) peer.socket.destroy()
    if (frame.command === 'SEND') setImmediate(() => peer.socket.destroy())
    return frame.command === 'CONNECT' && broker.connections > 1
  })
  assert.match(faultOf(sent).fault, /was lost, also after 3 new tries .*; 1 observation was sent, 1 receipted;/)
})

// --- for people ------------------------------------------------------------------------------------------------------

test('the summary is aligned lines', async () => {
  const nowAt = FIRST_AT + 86_400_000
  const sent = await run(RECORDING, { format: 'the-odds-api-csv', rebase: true, now: () => nowAt }, (frame, peer) => {
    if (frame.command !== 'SEND' || Number(frame.headers.receipt) % 4 !== 0) return false
    peer.refusal(frame, 'validation_failed', 'home is away')
    peer.receipt(frame, { refused: 'validation_failed' })
    return true
  })
  const [title, ...lines] = sendLines(summaryOf(sent))
  assert.match(
    title!,
    /^recording\.csv as the-odds-api-csv to stomp:\/\/127\.0\.0\.1:\d+, moved \d+ .* (forward|back)$/,
  )
  assert.deepEqual(lines, [
    '  read                 46  prices on 47 lines',
    '  mapped               37',
    '  no price              0',
    '  bad price             1  h2h 1',
    '  unmapped              8',
    '    lay                 3  h2h_lay 2, outrights_lay 1',
    '    outcome             2  h2h 1, outrights 1',
    '    sport               2  lacrosse h2h 2',
    '    market              1  team_totals 1',
    '  malformed             0',
    '  observations          9',
    '  sent                  9',
    '  receipted             7',
    '  refused               2',
    '    validation_failed   2  home is away',
    '  unanswered            0',
    '  unsent                0',
  ])
})

test('progress goes from the first byte to the last', async () => {
  const path = file(Array.from({ length: 2_000 }, (_, number) => line(FIRST_AT + number)))
  for (const rebase of [false, true]) {
    const told: [number, number][] = []
    await run(path, { rebase, onProgress: (bytesRead, bytesTotal) => told.push([bytesRead, bytesTotal]) })
    assert.equal(told.at(-1)![0], told.at(-1)![1])
    assert(told.length > 3)
    for (let at = 1; at < told.length; at++) assert(told[at]![0] > told[at - 1]![0])
  }
})
