import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { mintSecret } from '../../src/access/key.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { type RefusedObservation, Sender, type SenderLimits, type SenderOptions } from '../../src/feed/sender.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { parseObservation } from '../../src/source/observations/observations.ts'
import { Random, SEED } from '../random.ts'
import {
  type Frame,
  type ListenOptions,
  type Peer,
  type Script,
  ScriptedBroker,
} from '../source/kit/scripted-broker.ts'

const KEY = mintSecret('feed')

// What nobody took care of would end a command in the middle.
const uncaught: unknown[] = []
process.on('uncaughtException', (error) => uncaught.push(error))
process.on('unhandledRejection', (error) => uncaught.push(error))
after(() => assert.deepEqual(uncaught, []))

const LIMITS: SenderLimits = {
  unansweredMax: 16,
  unansweredBytesMax: 1_000_000,
  bodyBytesMax: 20_000,
  openMsMax: 30_000,
  closeMsMax: 30_000,
  answerMsMax: 30_000,
  triesMax: 5,
  pauseMsMin: 1,
  pauseMsMax: 4,
}

const observation = (number: number, over: Partial<Observation> = {}): Observation => ({
  bookmaker: 'northbet',
  transport: 'live',
  observedAt: 1_772_884_690_000 + number,
  event: {
    sport: 'football',
    leagueKey: 'premier_league',
    leagueName: 'Premier League',
    home: `Harbour: Town\\ ${number}`,
    away: 'Kestrel & Välé',
    kickoffAt: 1_772_982_000_000,
    sourceKey: null,
  },
  prices: [{ type: 'match_result_1x2', line: null, outcome: 'home', odds: 1.5 + number / 1000, status: 'open' }],
  others: 'keep',
  ...over,
})

interface World {
  readonly broker: ScriptedBroker
  readonly sender: Sender
  readonly refused: RefusedObservation[]
  readonly broken: string[]
  readonly pauses: number[]
}

const worlds: World[] = []
after(async () => {
  for (const { broker, sender } of worlds) {
    sender.stop()
    await broker.close()
  }
})

const start = async (
  script?: Script,
  limits: Partial<SenderLimits> = {},
  listen: ListenOptions = {},
  changed: Partial<SenderOptions> = {},
): Promise<World> => {
  const broker = await ScriptedBroker.listen(script, listen)
  const refused: RefusedObservation[] = []
  const broken: string[] = []
  const pauses: number[] = []
  const sender = new Sender({
    endpoint: { host: '127.0.0.1', port: broker.port, tls: false },
    key: KEY,
    limits: { ...LIMITS, ...limits },
    chance: () => 0,
    onRefused: (one) => refused.push(one),
    onBroken: (reason, pauseMs) => {
      broken.push(reason)
      pauses.push(pauseMs)
    },
    ...changed,
  })
  const world = { broker, sender, refused, broken, pauses }
  worlds.push(world)
  return world
}

/** Sends observations 1 to `count`, and closes. Resolves to the fault. */
const sendAll = async ({ sender }: World, count: number): Promise<string | undefined> => {
  const unopened = await sender.opened()
  for (let number = 1; number <= count && unopened === undefined; number++) {
    if (!(await sender.take(observation(number)))) break
  }
  return (await sender.close())?.fault
}

const numbersOf = (frames: readonly Frame[]): number[] => frames.map(({ headers }) => Number(headers.receipt))

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, place) => from + place)

const oneLine = (fault: string | undefined): string => {
  assert(fault !== undefined, 'there is no fault')
  assert(!/[\n\r]/.test(fault), fault)
  assert(!fault.includes(KEY), fault)
  return fault
}

// --- the good day ----------------------------------------------------------------------------------------------------

test('it connects with key and heart-beats of 10 s, subscribes to refusals, sends, and disconnects', async () => {
  const world = await start()
  assert.equal(await sendAll(world, 3), undefined)
  const { frames } = world.broker
  assert.deepEqual(
    frames.map(({ command, headers }) => `${command} ${headers.destination ?? ''} ${headers.receipt ?? ''}`),
    [
      'CONNECT  ',
      'SUBSCRIBE /topic/refusals refusals',
      'SEND /feed/northbet 1',
      'SEND /feed/northbet 2',
      'SEND /feed/northbet 3',
      'DISCONNECT  end',
    ],
  )
  assert.equal(frames[0]!.headers.passcode, KEY)
  assert.equal(frames[0]!.headers['heart-beat'], '10000,10000')
  assert.equal(frames[0]!.headers['accept-version'], '1.0,1.1,1.2')
  assert.deepEqual(world.sender.counts, {
    taken: 3,
    sent: 3,
    receipted: 3,
    refused: 0,
    unanswered: 0,
    unsent: 0,
    repeated: 0,
  })
  assert.deepEqual(world.broken, [])
})

test('a body reads as the observation that was sent, under the bookmaker of its destination', async () => {
  const world = await start()
  const sent = observation(7, { bookmaker: 'south-bet.1', others: 'suspended' })
  await world.sender.opened()
  await world.sender.take(sent)
  await world.sender.close()
  const [frame] = world.broker.sends()
  assert.equal(frame!.headers.destination, '/feed/south-bet.1')
  assert.equal(frame!.headers['content-type'], 'application/json')
  const read = parseObservation(frame!.body, 'south-bet.1', { pricesMax: 10, textLengthMax: 100 })
  assert(!isRefusal(read))
  assert.deepEqual(read, sent)
})

test('nothing to send is no fault', async () => {
  const world = await start()
  assert.equal(await sendAll(world, 0), undefined)
})

test('a RECEIPT that nobody asked for, and a refusal of nothing, change nothing', async () => {
  const world = await start((frame, peer) => {
    if (frame.command !== 'SEND') return
    peer.send('RECEIPT', { 'receipt-id': 999 })
    peer.send('RECEIPT', { 'receipt-id': 'x' })
    peer.send('RECEIPT')
    const headers = { subscription: 'refusals', destination: '/topic/refusals', 'message-id': 'm' }
    for (const body of ['', 'x', 'null', '[]', '{"receipt":null}', '{"receipt":"77","code":7}']) {
      peer.send('MESSAGE', headers, body)
    }
  })
  assert.equal(await sendAll(world, 5), undefined)
  assert.equal(world.sender.counts.receipted, 5)
  assert.deepEqual(world.refused, [])
})

// --- the window ------------------------------------------------------------------------------------------------------

test('no more SENDs than the window are without an answer, and each answer makes room for one', async () => {
  const held: [Frame, Peer][] = []
  let most = 0
  const world = await start((frame, peer) => {
    if (frame.command !== 'SEND') return false
    held.push([frame, peer])
    most = Math.max(most, held.length)
    return true
  })
  const all = sendAll(world, 200)
  for (let answered = 0; answered < 200; answered++) {
    await world.broker.until(() => world.broker.sends().length === Math.min(200, answered + 16))
    const [frame, peer] = held.shift()!
    peer.receipt(frame)
  }
  assert.equal(await all, undefined)
  assert.equal(most, 16)
  assert.deepEqual(numbersOf(world.broker.sends()), range(1, 200))
})

test('the window is bounded in bytes too, and a body larger than it goes alone', async () => {
  const held: [Frame, Peer][] = []
  const world = await start(
    (frame, peer) => {
      if (frame.command !== 'SEND') return false
      held.push([frame, peer])
      return true
    },
    { unansweredBytesMax: 1_000 },
  )
  const { sender, broker } = world
  const long = {
    prices: range(1, 40).map((line) => ({ ...observation(1).prices[0]!, line, type: 'total_goals' }) as const),
  }
  await sender.opened()
  assert.equal(sender.take(observation(1)), true)
  assert.equal(sender.take(observation(2)), true)
  const third = sender.take(observation(3, long))
  assert(third instanceof Promise, 'it has to wait')
  const release = async (sends: number): Promise<void> => {
    await broker.until(() => broker.sends().length === sends && held.length > 0)
    const [frame, peer] = held.shift()!
    peer.receipt(frame)
  }
  await release(2)
  await release(2)
  assert.equal(await third, true)
  const fourth = sender.take(observation(4))
  assert(fourth instanceof Promise)
  await release(3)
  assert.equal(await fourth, true)
  const closed = sender.close()
  await release(4)
  assert.equal(await closed, undefined)
})

test('a body that is too long is named, and not sent; the longest that fits is', async () => {
  const { event } = observation(1)
  const named = (home: string): Observation => observation(1, { event: { ...event, home } })
  const world = await start(undefined, { bodyBytesMax: 1_000 })
  const { sender, broker } = world
  await sender.opened()
  await sender.take(named('x'))
  await broker.until(() => broker.sends().length === 1)
  const rest = 1_000 - Buffer.byteLength(broker.sends()[0]!.body)
  await sender.take(named('x'.repeat(1 + rest)))
  await sender.take(named('x'.repeat(2 + rest)))
  assert.equal(await sender.close(), undefined)
  assert.equal(Buffer.byteLength(broker.sends()[1]!.body), 1_000)
  assert.equal(broker.sends().length, 2)
  assert.equal(world.refused.length, 1)
  assert.equal(world.refused[0]!.code, 'too_long')
  assert.equal(world.refused[0]!.number, 3)
  assert.match(world.refused[0]!.message, /is longer than 1000 bytes \(1001\)/)
  assert.equal(sender.counts.unsent, 1)
})

// --- refusals --------------------------------------------------------------------------------------------------------

test('refusals are told with code, message and field, in any order of frames, and the session goes on', async () => {
  let later: (() => void) | undefined
  const world = await start((frame, peer) => {
    if (frame.command !== 'SEND') return false
    const number = Number(frame.headers.receipt)
    later?.()
    later = undefined
    switch (number % 5) {
      case 1: // before the RECEIPT
        peer.refusal(frame, 'validation_failed', `quotes[0].odds must be above ${number}`, 'quotes[0].odds')
        peer.receipt(frame, { refused: 'validation_failed' })
        return true
      case 2: // after it, and after others
        peer.receipt(frame, { refused: 'service_unavailable' })
        later = () => peer.refusal(frame, 'service_unavailable', `full ${number}`, 'board')
        return true
      case 3: // never
        peer.receipt(frame, { refused: 'validation_failed' })
        return true
      case 4: // a header that is missing
        peer.refusal(frame, 'validation_failed', 'no header')
        peer.receipt(frame)
        return true
      default:
        return false
    }
  })
  assert.equal(await sendAll(world, 10), undefined)
  const told = world.refused
    .sort((one, other) => one.number - other.number)
    .map(({ number, code, message }) => `${number} ${code} ${message}`)
  assert.deepEqual(told, [
    '1 validation_failed quotes[0].odds must be above 1',
    '2 service_unavailable board: full 2',
    '3 validation_failed no reason was given',
    '4 validation_failed no header',
    '6 validation_failed quotes[0].odds must be above 6',
    '7 service_unavailable board: full 7',
    '8 validation_failed no reason was given',
    '9 validation_failed no header',
  ])
  const { counts } = world.sender
  assert.equal(counts.receipted, 2)
  assert.equal(counts.refused, 8)
  assert.equal(counts.unanswered, 0)
  assert.equal(world.broker.connections, 1)
})

test('refusals that are never explained take no more memory than the window, and all are told', async () => {
  const world = await start((frame, peer) => {
    if (frame.command !== 'SEND') return false
    peer.receipt(frame, { refused: 'validation_failed' })
    return true
  })
  await world.sender.opened()
  for (let number = 1; number <= 300; number++) await world.sender.take(observation(number))
  await world.broker.until(() => world.broker.sends().length === 300)
  assert(world.refused.length >= 300 - 2 * 16, `${world.refused.length}`)
  assert.equal(await world.sender.close(), undefined)
  assert.equal(world.refused.length, 300)
})

test('what the other side says is shown on one line, cut, and without the key', async () => {
  const world = await start((frame, peer) => {
    if (frame.command !== 'SEND') return false
    peer.refusal(frame, 'bad\u001b[2J', `a\nb\r\u0000${KEY} ${'x'.repeat(5_000)}`)
    peer.receipt(frame)
    return true
  })
  await sendAll(world, 1)
  const [{ code, message }] = world.refused as [RefusedObservation]
  assert.equal(code, 'bad [2J')
  assert.match(message, /^a b \(the key\) x+…$/)
  assert(message.length < 400)
})

// --- connections that break ------------------------------------------------------------------------------------------

/** Resolves as soon as it is so; for what the broker cannot see. */
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

test('after a break what has no RECEIPT is repeated in order, before anything new, and nothing else', async () => {
  const world = await start((frame, peer) => {
    if (frame.command !== 'SEND' || peer.number === 2) return false
    return Number(frame.headers.receipt) > 5 // Those get no answer.
  })
  const { broker, sender } = world
  const all = sendAll(world, 30)
  await until(() => sender.counts.receipted === 5)
  await broker.until(() => broker.sends().length === 21)
  for (const socket of broker.sockets) socket.destroy()
  assert.equal(await all, undefined)
  assert.deepEqual(numbersOf(broker.sends(1)), range(1, 21))
  assert.deepEqual(numbersOf(broker.sends(2)), range(6, 30))
  assert.equal(broker.sends(1)[5]!.body, broker.sends(2)[0]!.body)
  assert.deepEqual(sender.counts, {
    taken: 30,
    sent: 30,
    receipted: 30,
    refused: 0,
    unanswered: 0,
    unsent: 0,
    repeated: 16,
  })
  assert.equal(world.broken.length, 1)
})

test('wherever and however connections break, each observation is answered once in the end', async () => {
  const random = new Random(SEED)
  const breaks: readonly ((socket: Peer['socket']) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.resetAndDestroy(),
    (socket) => socket.end(),
    (socket) => socket.end('RECEIPT\nreceipt-id:1'),
  ]
  for (let round = 0; round < 40; round++) {
    const place = `seed ${SEED}, round ${round}`
    const unbroken = random.int(2, 6)
    let breakAfter = 0
    let lag = 0
    let held: Frame[] = []
    const world = await start(
      (frame, peer) => {
        const isLast = peer.number >= unbroken
        if (!isLast && breakAfter-- === 0) {
          random.pick(breaks)(peer.socket)
          return true
        }
        if (frame.command !== 'SEND') return false
        held.push(frame)
        // Answers come late, but the last ones have nothing to wait for.
        const kept = frame.headers.receipt === '60' ? 0 : lag
        while (held.length > kept) {
          const answered = held.shift()!
          if (random.chance(0.2)) {
            peer.refusal(answered, 'validation_failed', 'no')
            peer.receipt(answered, { refused: 'validation_failed' })
          } else peer.receipt(answered)
        }
        return true
      },
      { triesMax: 10 },
      {
        onConnection: ({ number }) => {
          held = []
          lag = random.int(0, 12)
          // The first one must open, else there is no other.
          breakAfter = random.int(number === 1 ? 2 : 0, 40)
        },
      },
    )
    const { broker, sender } = world
    assert.equal(await sendAll(world, 60), undefined, place)
    const { counts } = sender
    assert.equal(counts.receipted + counts.refused, 60, place)
    assert.equal(counts.refused, world.refused.length, place)
    assert.equal(new Set(world.refused.map(({ number }) => number)).size, world.refused.length, place)
    assert.deepEqual([counts.taken, counts.sent, counts.unanswered, counts.unsent], [60, 60, 0, 0], place)
    for (let connection = 1; connection <= broker.connections; connection++) {
      const numbers = numbersOf(broker.sends(connection))
      for (let at = 1; at < numbers.length; at++) assert(numbers[at]! > numbers[at - 1]!, place)
    }
    await broker.close()
  }
})

test('pauses double up to their longest, spread by chance, and a RECEIPT begins them anew', async () => {
  let chance = 0
  const pauses = async (): Promise<number[]> => {
    const world = await start(
      (frame, peer) => {
        if (frame.command !== 'SEND') return false
        if (peer.number === 4) peer.receipt(frame)
        if (peer.number <= 7) peer.socket.end()
        return peer.number <= 7
      },
      { pauseMsMin: 2, pauseMsMax: 10, triesMax: 6 },
      {},
      { chance: () => chance },
    )
    assert.equal(await sendAll(world, 40), undefined)
    return world.pauses
  }
  assert.deepEqual(await pauses(), [1, 2, 4, 1, 2, 4, 5])
  chance = 0.5
  assert.deepEqual(await pauses(), [1.5, 3, 6, 1.5, 3, 6, 7.5])
})

test('an engine that stays away is given up, in one line that says how far it came', async () => {
  const world = await start((frame, peer) => {
    if (frame.command === 'SEND' && peer.number > 1) peer.socket.destroy()
    return frame.command === 'SEND' && (peer.number > 1 || Number(frame.headers.receipt) > 3)
  })
  const { broker, sender } = world
  const all = sendAll(world, 30)
  await until(() => sender.counts.receipted === 3)
  await broker.until(() => broker.sends().length === 19)
  for (const socket of broker.sockets) socket.destroy()
  const fault = oneLine(await all)
  assert.match(fault, /^stomp:\/\/127\.0\.0\.1:\d+ was lost, also after 4 new tries \(.+\); /)
  assert.match(fault, /19 observations were sent, 3 receipted, 16 without an answer; send the recording again/)
  assert.equal(broker.connections, 5)
  assert.equal(sender.over.aborted, true)
  assert.equal(await sender.take(observation(99)), false, 'nothing more is taken')
})

test('an engine that has gone, port and all, is given up too; one that comes back is found', async () => {
  const silent: Script = ({ command }) => command === 'SEND'
  const gone = await start(silent)
  const lost = sendAll(gone, 3)
  await gone.broker.until(() => gone.broker.sends().length === 3)
  await gone.broker.close()
  assert.match(oneLine(await lost), /nothing listens there/)

  const away = await start(silent, { pauseMsMin: 20, pauseMsMax: 20, triesMax: 10_000 })
  const found = sendAll(away, 3)
  await away.broker.until(() => away.broker.sends().length === 3)
  const { port } = away.broker
  await away.broker.close()
  await until(() => away.broken.length > 1)
  const back = await ScriptedBroker.listen(() => {}, { port })
  assert.equal(await found, undefined)
  assert.deepEqual(numbersOf(back.sends()), [1, 2, 3])
  await back.close()
})

test('an address where nothing is, is told at once', async () => {
  const empty = await ScriptedBroker.listen()
  const { port } = empty
  await empty.close()
  const cases: readonly [host: string, reason: RegExp][] = [
    ['127.0.0.1', /nothing listens there; is the engine running, and is this its --stomp-port\?$/],
    ['::1', /^stomp:\/\/\[::1\]:\d+ cannot be reached: /],
    ['nowhere.invalid', /no such host|cannot be resolved/],
  ]
  for (const [host, reason] of cases) {
    const world = await start(undefined, {}, {}, { endpoint: { host, port, tls: false } })
    assert.match(oneLine(await sendAll(world, 3)), reason)
    assert.deepEqual(world.broken, [], 'no other try')
    assert.equal(world.sender.counts.sent, 0)
  }
})

test('an engine that does not answer in time counts as broken, at first and later', async () => {
  const mute = await start(() => true, { openMsMax: 50 })
  assert.match(oneLine(await sendAll(mute, 1)), /cannot be reached: no answer within 0\.05 s/)
  const half = await start(({ command }) => command === 'SUBSCRIBE', { openMsMax: 50 })
  assert.match(oneLine(await sendAll(half, 1)), /cannot be reached: no answer within 0\.05 s/)
  // On a busy machine the second connection may be late as well.
  const late = await start(({ command }, { number }) => command === 'SEND' && number === 1, {
    answerMsMax: 50,
    triesMax: 1_000,
  })
  assert.equal(await sendAll(late, 20), undefined)
  assert.equal(late.broken[0], 'no RECEIPT within 0.05 s')
  assert(late.sender.counts.repeated >= 16)
  assert.equal(late.sender.counts.receipted, 20)
})

test('a DISCONNECT without answer is no fault: everything is receipted', async () => {
  const mute = await start(({ command }) => command === 'DISCONNECT', { closeMsMax: 20 })
  assert.equal(await sendAll(mute, 2), undefined)
  const rude = await start((frame, peer) => {
    if (frame.command === 'DISCONNECT') peer.socket.resetAndDestroy()
    return frame.command === 'DISCONNECT'
  })
  assert.equal(await sendAll(rude, 2), undefined)
})

// --- ERROR -----------------------------------------------------------------------------------------------------------

const CODES = [
  ['missing_api_key', /give --key a feed key/],
  ['invalid_api_key', /unknown, expired or revoked; oddswire key create/],
  ['api_key_scope_denied', /does not feed this bookmaker; oddswire key create/],
  ['forbidden', /only a feed key may send/],
  ['live_not_enabled', /oddswire plan set PLAN --live true/],
  ['rate_limit_exceeded', /too many connections/],
  ['bodyBytesMax', /: bodyBytesMax: the reason/],
] as const

test('an ERROR at the door ends it with code, message and what to do', async () => {
  for (const [code, advice] of CODES) {
    for (const at of ['CONNECT', 'SUBSCRIBE']) {
      const world = await start((frame, peer) => {
        if (frame.command !== at) return false
        const body = JSON.stringify({ error: { code, message: 'the reason' } })
        peer.send('ERROR', { message: code, 'content-type': 'application/json', 'content-length': body.length }, body)
        peer.socket.end()
        return true
      })
      const fault = oneLine(await sendAll(world, 3))
      assert.match(fault, new RegExp(`refused: ${code}: the reason; .*nothing was sent$`))
      assert.match(fault, advice)
      assert.equal(world.broker.connections, 1, 'no other try')
    }
  }
})

test('an ERROR to a SEND ends it, names the destination, and says how far it came', async () => {
  for (const [code] of CODES.filter(([each]) => each !== 'rate_limit_exceeded')) {
    const world = await start((frame, peer) => {
      if (frame.command !== 'SEND' || Number(frame.headers.receipt) < 5) return false
      if (Number(frame.headers.receipt) > 5) return true
      const body = JSON.stringify({ error: { code, message: `not ${KEY}` } })
      peer.send('ERROR', { message: code, 'receipt-id': 5, 'content-type': 'application/json' }, body)
      peer.socket.end()
      return true
    })
    const fault = oneLine(await sendAll(world, 10))
    assert.match(fault, new RegExp(`refused SEND /feed/northbet: ${code}: not \\(the key\\); `))
    assert.match(fault, /\d+ observations were sent, 4 receipted, \d+ without an answer$/)
    assert.equal(world.broker.connections, 1)
  }
})

test('an ERROR is heard whatever its body and however the socket goes', async () => {
  const text = 'plain words\nof two lines'
  const bodies: readonly [headers: Record<string, string | number>, body: string, said: RegExp][] = [
    [
      { 'content-type': 'text/plain', 'content-length': text.length },
      text,
      /invalid_api_key: plain words of two lines;/,
    ],
    [{ 'content-type': 'text/plain' }, text, /invalid_api_key: plain words of two lines;/],
    [{ 'content-type': 'text/plain;charset=utf-8', 'content-length': text.length }, text, /plain words of two lines;/],
    [{ 'content-length': 0 }, '', /refused: invalid_api_key; the key/],
    [{}, '', /refused: invalid_api_key; the key/],
    [{ 'content-type': 'application/json' }, '{"message":"flat"}', /invalid_api_key: flat;/],
    [{ 'content-type': 'application/json' }, '{"error":{"message":7}}', /invalid_api_key: 7;/],
    [{ 'content-type': 'application/json' }, '{broken', /refused: invalid_api_key; the key/],
    [{ 'content-type': 'application/json' }, 'null', /invalid_api_key/],
    // More is said than comes.
    [{ 'content-length': 1_000 }, 'half', /refused: invalid_api_key; the key/],
  ]
  for (const [headers, body, said] of bodies) {
    for (const at of ['CONNECT', 'SEND']) {
      const world = await start((frame, peer) => {
        if (frame.command !== at) return false
        if (at === 'SEND' && frame.headers.receipt !== '1') return true
        peer.send('ERROR', { message: 'invalid_api_key', ...headers }, body)
        peer.socket.end()
        return true
      })
      assert.match(oneLine(await sendAll(world, 20)), said, `${at} ${JSON.stringify(headers)} ${body}`)
    }
  }
  const nameless = await start((frame, peer) => {
    if (frame.command === 'CONNECT') peer.send('ERROR')
    return true
  })
  assert.match(oneLine(await sendAll(nameless, 1)), /refused: ERROR; nothing was sent/)
})

test('an engine that shuts down, or still counts a connection that broke, is waited for', async () => {
  for (const code of ['server_shutdown', 'service_unavailable', 'slow_consumer', 'rate_limit_exceeded']) {
    const world = await start((frame, peer) => {
      if (frame.command === 'SEND' && peer.number === 1) {
        if (frame.headers.receipt !== '4') return false
        peer.send('ERROR', { message: code, 'resume-from': 'a-1' }, '{"error":{"message":"later"}}')
        peer.socket.end()
        return true
      }
      if (frame.command !== 'CONNECT' || peer.number !== 2) return false
      peer.send('ERROR', { message: code })
      peer.socket.end()
      return true
    })
    assert.equal(await sendAll(world, 10), undefined, code)
    assert.equal(world.sender.counts.receipted, 10)
    assert.equal(world.broken.length, 2)
    assert.equal(world.broken[0], `${code} later`)
  }
})

// --- stopping --------------------------------------------------------------------------------------------------------

test('stopped, it takes no more, waits for what is on its way, and disconnects', async () => {
  const held: [Frame, Peer][] = []
  const world = await start((frame, peer) => {
    if (frame.command !== 'SEND') return false
    held.push([frame, peer])
    return true
  })
  const { broker, sender } = world
  const all = sendAll(world, 100)
  await broker.until(() => broker.sends().length === 16)
  sender.stop()
  for (const [frame, peer] of held) peer.receipt(frame)
  assert.equal(await all, undefined)
  const { counts } = sender
  assert.deepEqual([counts.taken, counts.sent, counts.receipted, counts.unanswered], [16, 16, 16, 0])
  assert.equal(broker.frames.at(-1)!.command, 'DISCONNECT')
})

test('stopped, it does not wait for ever', async () => {
  const world = await start(({ command }) => command === 'SEND', { closeMsMax: 30 })
  const all = sendAll(world, 100)
  await world.broker.until(() => world.broker.sends().length === 16)
  world.sender.stop()
  assert.equal(await all, undefined)
  assert.equal(world.sender.counts.unanswered, 16)
})

test('stopped without a connection, it is over at once', async () => {
  const connecting = await start(() => true)
  const never = sendAll(connecting, 10)
  await connecting.broker.until(() => connecting.broker.connections === 1)
  connecting.sender.stop()
  assert.equal(await never, undefined)
  assert.equal(connecting.sender.counts.taken, 0)

  const pausing = await start(
    (frame, peer) => {
      if (frame.command === 'SEND') peer.socket.destroy()
      return frame.command === 'SEND'
    },
    { pauseMsMin: 1_000_000, pauseMsMax: 1_000_000 },
  )
  const halted = sendAll(pausing, 100)
  await until(() => pausing.broken.length === 1)
  pausing.sender.stop()
  assert.equal(await halted, undefined)
  assert.equal(pausing.sender.counts.taken, pausing.sender.counts.unanswered + pausing.sender.counts.unsent)
})

// --- what is no STOMP ------------------------------------------------------------------------------------------------

test('whatever bytes come, nothing is thrown, and it ends in one line', async () => {
  const random = new Random(SEED)
  const frames = [
    'CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0\n',
    'CONNECTED\nversion:1.2\n\nbody\0\n',
    'CONNECTED\nversion:9\nheart-beat:x,y\n\n\0',
    'RECEIPT\nreceipt-id:refusals\n\n\0\n',
    'RECEIPT\nreceipt-id:1\n\nbody\0\n',
    'RECEIPT\nreceipt-id:2\ncontent-length:3\n\nabcd\0\n',
    'MESSAGE\nsubscription:refusals\n\n{"receipt":3,"code":"x"}\0\n',
    'MESSAGE\nsubscription:other\n\n\0\n',
    'MESSAGE\nsubscription:refusals\ncontent-length:-1\n\n\0',
    'ERROR\nmessage:a\\qb\n\n\0',
    'ERROR\nmessage:server_shutdown\ncontent-type:text/plain\ncontent-length:2\n\nab\0\n',
    'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
    'MYSTERY\nx:y\n\n\0\n',
    `RECEIPT\n${'h:1\n'.repeat(80)}\n\0`,
    `RECEIPT\nx:${'y'.repeat(2_000)}\n\n\0`,
    'RECEIPT\nno colon\n\n\0',
    '\n\n\n',
    '\0\0\0',
    '\r\n\r',
    '\u00ff\u0016\u0003\u0001',
  ]
  for (let round = 0; round < 150; round++) {
    const world = await start(
      (_frame, peer) => {
        let bytes = Buffer.from(Array.from({ length: random.int(1, 5) }, () => random.pick(frames)).join(''), 'latin1')
        if (random.chance(0.3)) bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
        if (random.chance(0.3)) bytes = bytes.subarray(0, random.int(0, bytes.length))
        while (bytes.length > 0) {
          const length = random.int(1, bytes.length)
          peer.socket.write(bytes.subarray(0, length))
          bytes = bytes.subarray(length)
        }
        if (random.chance(0.25)) peer.socket.end()
        else if (random.chance(0.3)) peer.socket.resetAndDestroy()
        return random.chance(0.5)
      },
      { openMsMax: 20, answerMsMax: 20, closeMsMax: 20, triesMax: 3 },
    )
    const fault = await sendAll(world, 5)
    if (fault !== undefined) oneLine(fault)
    for (const reason of world.broken) oneLine(reason)
    const { counts } = world.sender
    assert.equal(counts.taken, counts.sent + counts.unsent, `seed ${SEED}, round ${round}`)
    await world.broker.close()
    assert.deepEqual(uncaught, [], `seed ${SEED}, round ${round}`)
  }
})
