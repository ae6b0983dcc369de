// docs/live-protocol.md 1.2 and 1.4.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import * as clock from '../../../src/clock.ts'
import { type At, type Case, holds, NEWEST, ONCE, OVER_WEBSOCKET } from '../conformance.ts'
import { clientFrame, type Fields, type ServerFrame, shownFrame } from '../strict-frames.ts'

/** CONNECT with these headers and the desk's key; what is answered. */
const answerTo = async (at: At, headers: Fields): Promise<ServerFrame> => {
  const client = await at.open()
  await client.frame('CONNECT', { passcode: at.world.deskKey, ...headers })
  return client.next()
}

const spokenFor = (accepted: string | undefined, version: string): Case =>
  holds(
    accepted === undefined ? 'No `accept-version`: 1.0.' : 'Highest common version wins',
    async (at) => {
      const connected = await answerTo(at, accepted === undefined ? {} : { 'accept-version': accepted })
      assert.equal(connected.command, 'CONNECTED', shownFrame(connected))
      assert.equal(connected.headers.get('version'), version)
    },
    { ...NEWEST, what: `${accepted ?? 'none'} is ${version}` },
  )

const BEFORE = 'Frames before CONNECT, or a second CONNECT: ERROR.'
const NO_ECHO = "Before CONNECTED, ERROR echoes nothing of the client's but a `receipt` of `[A-Za-z0-9._-]`."
const MARK = 'zzMARKzz'

/** Sends one frame before CONNECTED and reads the ERROR. */
const earlyError = async (at: At, text: string): Promise<ServerFrame> => {
  const client = await at.open()
  await client.write(text)
  return (await client.error()).error
}

export const CONNECT: readonly Case[] = [
  spokenFor(undefined, '1.0'),
  spokenFor('1.0', '1.0'),
  spokenFor('1.0,1.1,1.2', '1.2'),
  spokenFor('1.2,1.1,1.0', '1.2'),
  spokenFor('1.1,1.0', '1.1'),
  spokenFor('1.0,1.2', '1.2'),
  spokenFor('0.9,1.1,2.0', '1.1'),
  spokenFor('1.3,1.20,1.1', '1.1'),
  ...['2.0', '1.3', '0.9', '1', '1.22', 'x'].map((accepted) =>
    holds(
      'none in common: ERROR with `version` header and close.',
      async (at) => {
        const client = await at.open()
        await client.frame('CONNECT', { passcode: at.world.deskKey, 'accept-version': accepted })
        const { error, ending } = await client.error()
        const known = error.headers.get('version')
        assert(known !== undefined, shownFrame(error))
        assert.deepEqual(
          known
            .split(',')
            .map((each) => each.trim())
            .sort(),
          ['1.0', '1.1', '1.2'],
        )
        assert(ending.isOrderly)
      },
      { ...NEWEST, what: JSON.stringify(accepted) },
    ),
  ),
  ...(
    [
      ['SUBSCRIBE', { id: 'a', destination: '/topic/lag' }],
      ['SEND', { destination: '/feed/x' }],
      ['BEGIN', { transaction: 't' }],
      ['DISCONNECT', {}],
      ['ACK', { id: 'a' }],
      ['NONSENSE', {}],
    ] as const
  ).map(([command, headers]) =>
    holds(BEFORE, async (at) => void (await earlyError(at, clientFrame(command, headers, at.version).toString())), {
      what: `${command} first`,
    }),
  ),
  ...['CONNECT', 'STOMP'].map((command) =>
    holds(
      BEFORE,
      async (at) => {
        const client = await at.desk()
        await client.frame(command, { 'accept-version': at.version, passcode: at.world.deskKey })
        await client.error()
      },
      { what: `${command} again` },
    ),
  ),
  ...[undefined, 'localhost', '/', 'any.thing.example', ''].map((host) =>
    holds(
      '`host` optional (clients leave it out).',
      async (at) => {
        const headers = host === undefined ? {} : { host }
        const connected = await answerTo(at, { 'accept-version': at.version, ...headers })
        assert.equal(connected.command, 'CONNECTED', shownFrame(connected))
      },
      { what: host === undefined ? 'none' : JSON.stringify(host) },
    ),
  ),
  ...['r-1', 'A.b_c-9'].map((receipt) =>
    holds(
      NO_ECHO,
      async (at) => {
        const error = await earlyError(at, `${MARK}\nreceipt:${receipt}\n${MARK}:${MARK}\n\n\0`)
        assert.equal(error.headers.get('receipt-id'), receipt, shownFrame(error))
        assert(!shownFrame(error).includes(MARK), shownFrame(error))
      },
      { what: `receipt ${receipt}` },
    ),
  ),
  ...['a b', 'a/b', 'a<b', 'é', 'a\\cb', 'a:b'].map((receipt) =>
    holds(
      NO_ECHO,
      async (at) => {
        const text = `CONNECT\naccept-version:${at.version}\nreceipt:${receipt}\npasscode:${MARK}\n${MARK}:${MARK}\n\n\0`
        const error = await earlyError(at, text)
        assert.equal(error.headers.get('receipt-id'), undefined, shownFrame(error))
        assert(!shownFrame(error).includes(MARK), shownFrame(error))
      },
      { what: `not ${JSON.stringify(receipt)}` },
    ),
  ),
  holds(
    NO_ECHO,
    async (at) => {
      for (const headers of [{ 'accept-version': MARK }, { 'heart-beat': MARK }, { Authorization: MARK }]) {
        const error = await earlyError(at, clientFrame('CONNECT', headers, at.version).toString())
        assert(!shownFrame(error).includes(MARK), shownFrame(error))
      }
      const error = await earlyError(at, `${MARK}${MARK}${MARK}${MARK}${MARK}\n\n\0`)
      assert(!shownFrame(error).includes(MARK), shownFrame(error))
    },
    { what: 'no header value, no command' },
  ),
  holds('CONNECTED carries `version`, `session`, `server: oddswire/x.y.z`, `heart-beat`.', async (at) => {
    const first = await answerTo(at, { 'accept-version': at.version })
    const second = await answerTo(at, { 'accept-version': at.version })
    assert.equal(first.headers.get('version'), at.version)
    assert.match(first.headers.get('server') ?? '', /^oddswire\/\d+\.\d+\.\d+$/)
    assert.match(first.headers.get('heart-beat') ?? '', /^\d+,\d+$/)
    assert.match(first.headers.get('session') ?? '', /^[A-Za-z0-9._/-]+$/)
    assert.notEqual(first.headers.get('session'), second.headers.get('session'))
  }),
]

const BOTH_WAYS = '`max` of both sides each way, 0 = none; ours 1000,1000, so that a desk may ask for 1 s'
const HALF = 'Send at half the interval, tolerate 2.5 intervals of silence.'

/** 1.0 has no heart-beats. */
const BEATING = { versions: ['1.1', '1.2'] } as const

/** Sockets of the system whose other end has this port; undefined where the tool that lists them is missing. */
const socketsTo = (port: number): string | undefined => {
  try {
    return execFileSync('ss', ['-tnoH', 'state', 'established', `dport = :${port}`], { encoding: 'utf8' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export const HEART_BEATS: readonly Case[] = [
  holds(BOTH_WAYS, async (at) => {
    const connected = await answerTo(at, { 'accept-version': at.version, 'heart-beat': '1000,1000' })
    assert.equal(connected.headers.get('heart-beat'), '1000,1000')
  }),
  ...['0,1000', '0,200', '0,1'].map((asked) =>
    holds(
      HALF,
      async (at) => {
        const client = await at.desk({ 'heart-beat': asked })
        await client.beats(6)
        const [first, ...rest] = client.beatsAt
        // Five intervals on the way: at half of 1 s each, with much room for a busy machine, and not in a burst.
        const meanMs = (rest[4]! - first!) / 5
        assert(meanMs > 200 && meanMs < 1_000, `a heart-beat every ${meanMs.toFixed(0)} ms`)
      },
      { what: `sent, asked for ${asked}`, ...(asked === '0,1000' ? BEATING : ONCE) },
    ),
  ),
  holds(
    'clients that ask for 10 s get 10 s.',
    async (at) => {
      const startedMs = clock.elapsedMs()
      const client = await at.desk({ 'heart-beat': '10000,10000' })
      await client.beats(1)
      const waitedMs = client.beatsAt[0]! - startedMs
      assert(waitedMs > 2_500 && waitedMs < 10_000, `the first heart-beat after ${waitedMs.toFixed(0)} ms`)
    },
    NEWEST,
  ),
  ...['0,0', '1000,0', undefined].map((asked) =>
    holds(
      BOTH_WAYS,
      async (at) => {
        const client = await at.desk(asked === undefined ? {} : { 'heart-beat': asked })
        // Six seconds by the clock of the service.
        const stopwatch = await at.desk({ 'heart-beat': '0,1000' })
        const timer = asked === '1000,0' ? setInterval(() => void client.write('\n'), 500) : undefined
        await stopwatch.beats(8)
        clearInterval(timer)
        assert.equal(client.reader.beats, 0)
        await client.barrier()
      },
      { ...NEWEST, what: `${asked ?? 'no header'} gets none` },
    ),
  ),
  holds(
    HALF,
    async (at) => {
      const client = await at.desk({ 'heart-beat': '1000,0' })
      const startedMs = clock.elapsedMs()
      await client.error(30_000).catch(() => client.closed())
      const silentMs = clock.elapsedMs() - startedMs
      assert(silentMs > 2_300, `dropped after ${silentMs.toFixed(0)} ms of silence`)
    },
    { ...BEATING, what: 'a silent client is dropped' },
  ),
  holds(
    HALF,
    async (at) => {
      const client = await at.desk({ 'heart-beat': '0,1000' })
      await client.beats(8)
      await client.barrier()
    },
    { ...NEWEST, what: 'one that promised nothing is not' },
  ),
  holds(
    'Any byte counts.',
    async (at) => {
      const client = await at.desk({ 'heart-beat': '1000,1000' })
      const bytes = clientFrame('BEGIN', { transaction: 'slow', receipt: 'slow' }, at.version)
      // A byte whenever the service beats: some 20 s for one frame.
      for (let place = 0; place < bytes.length; place++) {
        await client.beats(place)
        await client.write(bytes.subarray(place, place + 1))
      }
      assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'slow')
    },
    NEWEST,
  ),
  ...['1', '1,2,3', '-1,0', '1.5,0', 'a,b', '', ',', '1;1', '1 000,0'].map((asked) =>
    holds(
      'Malformed: ERROR.',
      async (at) => {
        const client = await at.open()
        await client.frame('CONNECT', {
          ...{ 'accept-version': at.version, passcode: at.world.deskKey },
          'heart-beat': asked,
        })
        await client.error()
      },
      { ...NEWEST, what: JSON.stringify(asked) },
    ),
  ),
  holds(
    'A client without heart-beats is probed by TCP keep-alive or WebSocket ping',
    async (at) => {
      const client = await at.desk()
      const sockets = socketsTo(client.socket!.localPort!)
      if (sockets === undefined) at.skip('ss is not installed')
      else assert.match(sockets, /timer:\(keepalive,/, sockets)
    },
    { ...ONCE, what: 'keep-alive is on' },
  ),
  holds(
    'dropped after 60 s without an answer.',
    async (at) => {
      const client = await at.open({ autoPong: false })
      const pinged = new Promise<void>((resolve) => client.webSocket!.once('ping', () => resolve()))
      await client.connect({ passcode: at.world.deskKey })
      await pinged
      await client.error(90_000).catch(() => client.closed())
    },
    { ...OVER_WEBSOCKET, isLong: 'waits a minute' },
  ),
  holds(
    'dropped after 60 s without an answer.',
    async (at) => {
      const client = await at.desk()
      const answered = new Promise<void>((resolve) => client.webSocket!.once('ping', () => resolve()))
      await answered
      // As long again, so that it would have been dropped.
      await new Promise<void>((resolve) => client.webSocket!.once('ping', () => resolve()))
      await client.barrier()
    },
    { ...OVER_WEBSOCKET, what: 'one that answers stays', isLong: 'waits two minutes' },
  ),
]
