// docs/live-protocol.md 1: carriers, credentials, and what becomes of a session when its key does not hold any more.

import assert from 'node:assert/strict'
import { type At, type Case, holds, NEWEST, ONCE, OVER_WEBSOCKET, quotesOf } from '../conformance.ts'
import { HandshakeRefused, type RawClient } from '../raw-client.ts'
import { jsonOf, shownFrame } from '../strict-frames.ts'
import { HOME, timeText } from '../world.ts'
import { KIND_RESET } from './snapshots.ts'

const TCP = 'TCP `stomp://host:61613`'
const WS = 'WebSocket `ws(s)://host:8080/stomp`'
const SUBPROTOCOLS =
  "subprotocols `v12.stomp`, `v11.stomp`, `v10.stomp` (exactly one is echoed, the client's first that we know; none offered: accepted; only unknown ones: 400)."
const CREDENTIAL =
  "Credential, any one: CONNECT header `Authorization: Bearer KEY`, `X-Api-Key: KEY`, or `passcode: KEY` (any login); on WebSocket also the upgrade's `Authorization` header."
const REFUSED =
  "Wrong or none, no live plan, scope without `live`, too many connections: ERROR with `message: invalid_api_key | missing_api_key | live_not_enabled | api_key_scope_denied | rate_limit_exceeded`, a JSON body like the REST error's, then close."
const DISAGREE = 'Credentials that disagree: `invalid_api_key`.'
const NARROW =
  "Plan, scope, coverage, expiry or revocation may change while connected: topics narrow at once, an expired or revoked key's session ends with that code."

/** Connects with these headers only. */
const connectWith = async (at: At, headers: Record<string, string>, upgrade?: string): Promise<RawClient> => {
  const client = await at.open(upgrade === undefined ? {} : { headers: { authorization: upgrade } })
  await client.frame('CONNECT', { 'accept-version': at.version, ...headers })
  return client
}

const taken = (what: string, headers: (key: string) => Record<string, string>): Case =>
  holds(
    CREDENTIAL,
    async (at) => {
      const client = await connectWith(at, headers(at.world.deskKey))
      await client.next('CONNECTED')
    },
    { what },
  )

const refusedWith = (
  code: string,
  what: string,
  headers: (at: At) => Record<string, string> | Promise<Record<string, string>>,
): Case =>
  holds(
    REFUSED,
    async (at) => {
      const client = await connectWith(at, await headers(at))
      const error = await client.refused(code)
      const { error: inside } = jsonOf(error)
      assert.notEqual(String(inside?.message), '', shownFrame(error))
    },
    { what },
  )

const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` })

/** A key with a valid shape and checksum that does not exist. */
const unknownKey = async (at: At): Promise<string> => {
  const key = await at.world.key()
  await at.world.command('key', 'revoke', key)
  return key
}

export const CONNECTING: readonly Case[] = [
  ...(['tcp', 'websocket'] as const).map((carrier) =>
    holds(
      carrier === 'tcp' ? TCP : WS,
      async (at) => {
        const client = await at.open()
        assert.equal((await client.connect(bearer(at.world.deskKey))).command, 'CONNECTED')
      },
      { carriers: [carrier] },
    ),
  ),
  ...(
    [
      [['v12.stomp', 'v11.stomp', 'v10.stomp'], 'v12.stomp'],
      [['v10.stomp', 'v12.stomp'], 'v10.stomp'],
      [['v11.stomp'], 'v11.stomp'],
      [['mqtt', 'v13.stomp', 'v11.stomp', 'v10.stomp'], 'v11.stomp'],
      [[], ''],
    ] as const
  ).map(([offered, echoed]) =>
    holds(
      SUBPROTOCOLS,
      async (at) => {
        const client = await at.open({ protocols: offered })
        assert.equal(client.webSocket!.protocol, echoed)
        await client.connect({ passcode: at.world.deskKey })
      },
      { ...OVER_WEBSOCKET, what: `${offered.join(', ') || 'none'}: ${echoed || 'accepted'}` },
    ),
  ),
  ...[['mqtt'], ['v13.stomp', 'v12'], ['V12.STOMP']].map((offered) =>
    holds(
      SUBPROTOCOLS,
      async (at) => {
        const handshake = at.open({ protocols: offered })
        await assert.rejects(handshake, (error) => error instanceof HandshakeRefused && error.status === 400)
      },
      { ...OVER_WEBSOCKET, what: `${offered.join(', ')}: 400` },
    ),
  ),
  holds(
    SUBPROTOCOLS,
    async (at) => {
      const client = await at.open({ protocols: ['v12.stomp', 'v11.stomp', 'v10.stomp'] })
      await client.connect({ passcode: at.world.deskKey })
    },
    { what: 'the version is agreed on in CONNECT all the same', carriers: ['websocket'] },
  ),
  taken('Authorization', bearer),
  taken('authorization in another case of Bearer', (key) => ({ Authorization: `bearer ${key}` })),
  taken('X-Api-Key', (key) => ({ 'X-Api-Key': key })),
  taken('passcode alone', (key) => ({ passcode: key })),
  taken('passcode with a login', (key) => ({ login: 'any body', passcode: key })),
  taken('all of them, the same', (key) => ({ ...bearer(key), 'X-Api-Key': key, login: 'x', passcode: key })),
  holds(
    CREDENTIAL,
    async (at) => {
      const client = await connectWith(at, {}, `Bearer ${at.world.deskKey}`)
      await client.next('CONNECTED')
      const both = await connectWith(at, { passcode: at.world.deskKey }, `Bearer ${at.world.deskKey}`)
      await both.next('CONNECTED')
    },
    { what: "the upgrade's", carriers: ['websocket'] },
  ),
  refusedWith('missing_api_key', 'none', () => ({})),
  refusedWith('missing_api_key', 'a login alone', () => ({ login: 'me' })),
  refusedWith('invalid_api_key', 'no key', () => ({ passcode: 'secret' })),
  refusedWith('invalid_api_key', 'a mistyped key', (at) => ({ passcode: `${at.world.deskKey.slice(0, -1)}~` })),
  refusedWith('invalid_api_key', 'Authorization without Bearer', (at) => ({ Authorization: at.world.deskKey })),
  refusedWith('invalid_api_key', 'a revoked key', async (at) => ({ passcode: await unknownKey(at) })),
  refusedWith('live_not_enabled', 'no live plan', async (at) => ({
    passcode: (await at.world.keyOfNewOrganization('starter')).key,
  })),
  refusedWith('api_key_scope_denied', 'scope without live', async (at) => ({
    passcode: await at.world.key('--channels', 'rest,history'),
  })),
  holds(
    REFUSED,
    async (at) => {
      const { key, name } = await at.world.keyOfNewOrganization('desk')
      const plan = `two-${at.carrier}-${at.version.replace('.', '')}`
      await at.world.command('plan', 'set', plan, '--live', 'true', '--live-connections', '2')
      await at.world.command('org', 'set', name, '--plan', plan)
      const first = await at.desk({}, key)
      await at.desk({}, key)
      const third = await connectWith(at, { passcode: key })
      await third.refused('rate_limit_exceeded')
      // The connections are the organization's, not the key's.
      const fourth = await connectWith(at, { passcode: await at.world.command('key', 'create', '--org', name) })
      await fourth.refused('rate_limit_exceeded')
      await first.request('DISCONNECT')
      await first.closed()
      await at.desk({}, key)
    },
    { what: 'too many connections' },
  ),
  holds(
    REFUSED,
    async (at) => {
      const client = await connectWith(at, {}, 'Basic dXNlcjpwYXNz')
      await client.refused('invalid_api_key')
    },
    { ...OVER_WEBSOCKET, what: 'an upgrade with another kind of Authorization' },
  ),
  ...(
    [
      ['Authorization and passcode', (a: string, b: string) => ({ ...bearer(a), passcode: b })],
      ['X-Api-Key and passcode', (a: string, b: string) => ({ 'X-Api-Key': a, passcode: b })],
      ['Authorization and X-Api-Key', (a: string, b: string) => ({ ...bearer(a), 'X-Api-Key': b })],
      ['a wrong one beside a right one', (a: string) => ({ ...bearer(a), passcode: 'x' })],
    ] as const
  ).map(([what, headers]) =>
    holds(
      DISAGREE,
      async (at) => {
        const client = await connectWith(at, headers(at.world.deskKey, at.world.feedKey))
        await client.refused('invalid_api_key')
      },
      { ...NEWEST, what },
    ),
  ),
  holds(
    DISAGREE,
    async (at) => {
      const client = await connectWith(at, { passcode: at.world.feedKey }, `Bearer ${at.world.deskKey}`)
      await client.refused('invalid_api_key')
    },
    { ...OVER_WEBSOCKET, what: "the upgrade's and passcode" },
  ),
]

/** Two bookmakers with the same event, and a desk that sees both. */
const twoBooks = async (at: At) => {
  const { key, name } = await at.world.keyOfNewOrganization('desk')
  const stays = await at.event()
  const goes = stays.at(at.world.book())
  const client = await at.desk({}, key)
  await client.subscribe(`/topic/odds.football.*.${stays.id}`)
  await goes.observe([{ ...HOME, odds: 2 }])
  await client.next('MESSAGE')
  return { name, key, stays, goes, client }
}

/** After a change only this bookmaker's quotes come. */
const seesOnly = async (client: RawClient, { stays, goes }: Awaited<ReturnType<typeof twoBooks>>): Promise<void> => {
  await goes.observe([{ ...HOME, odds: 3 }])
  await stays.observe([{ ...HOME, odds: 4 }])
  const message = await client.next('MESSAGE')
  assert.equal(String(jsonOf(message).bookmaker), stays.book)
  assert.deepEqual(quotesOf(message), ['home added 4 open'])
}

export const NARROWING: readonly Case[] = [
  holds(
    NARROW,
    async (at) => {
      const both = await twoBooks(at)
      await at.world.command('org', 'set', both.name, '--bookmakers', both.stays.book)
      await seesOnly(both.client, both)
    },
    { ...NEWEST, what: 'entitlement' },
  ),
  holds(
    KIND_RESET,
    async (at) => {
      const { name, stays, goes, client } = await twoBooks(at)
      await client.request('UNSUBSCRIBE', { id: 'sub-0' })
      await client.subscribe(`/topic/odds.football.*.${stays.id}`, { snapshot: 'true' })
      await client.until((frame) => frame.headers.get('kind') === 'snapshot-end')
      await at.world.command('org', 'set', name, '--bookmakers', stays.book)
      await goes.observe([{ ...HOME, odds: 3 }])
      await stays.observe([{ ...HOME, odds: 4 }])
      const frames = await client.until((frame) => quotesOf(frame).some((quote) => quote.includes('4 open')))
      for (const frame of frames.filter((each) => each.headers.get('kind') === 'reset')) {
        // None of the contract's four reasons is true here; `audience` is ours, and in the document.
        assert.equal(jsonOf(frame).reason, 'audience', shownFrame(frame))
      }
      assert(!frames.some((frame) => quotesOf(frame).some((quote) => quote.includes('3 open'))))
    },
    { ...NEWEST, what: 'when rights change' },
  ),
  holds(
    NARROW,
    async (at) => {
      const both = await twoBooks(at)
      await at.world.cover(both.goes.book, 'verified_rest_only', true, false)
      await seesOnly(both.client, both)
    },
    { ...NEWEST, what: 'coverage' },
  ),
  holds(
    NARROW,
    async (at) => {
      const both = await twoBooks(at)
      const explicit = await at.desk({}, both.key)
      await explicit.subscribe(both.goes.topic())
      await at.world.command('org', 'set', both.name, '--bookmakers', both.stays.book)
      await both.goes.observe([{ ...HOME, odds: 3 }])
      await seesOnly(both.client, both)
      // Whether the session of the explicit topic continues or ends: it gets no price any more.
      const rest = await explicit.barrier().catch(() => [])
      assert.deepEqual(rest.filter((frame) => frame.command === 'MESSAGE').map(shownFrame), [])
    },
    { ...NEWEST, what: 'an explicit topic' },
  ),
  holds(
    NARROW,
    async (at) => {
      const { key, name } = await at.world.keyOfNewOrganization('desk')
      const event = await at.event()
      const client = await at.desk({}, key)
      await client.subscribe(event.topic())
      await at.world.command('org', 'set', name, '--plan', 'starter')
      await event.observe([{ ...HOME, odds: 3 }])
      await client.refused('live_not_enabled')
    },
    { ...NEWEST, what: 'a plan without live' },
  ),
  holds(
    NARROW,
    async (at) => {
      const key = await at.world.key()
      const client = await at.desk({}, key)
      const other = await at.desk()
      await client.subscribe('/topic/lag')
      await at.world.command('key', 'revoke', key)
      await client.refused('invalid_api_key')
      await other.barrier()
    },
    { what: 'revocation' },
  ),
  holds(
    NARROW,
    async (at) => {
      // Long enough for a session to begin on a machine that is busy with the other cases.
      const key = await at.world.key('--expires', timeText(-20_000))
      const client = await at.desk({}, key)
      await client.refused('invalid_api_key', 60_000)
      const late = await connectWith(at, { passcode: key })
      await late.refused('invalid_api_key')
    },
    { ...NEWEST, what: 'expiry' },
  ),
  holds(
    NARROW,
    async (at) => {
      const key = await at.world.key('--feed', at.book)
      const feeder = await at.desk({}, key)
      await at.world.command('key', 'revoke', key)
      await feeder.refused('invalid_api_key')
    },
    { ...ONCE, what: "revocation of a feed's key" },
  ),
]

/** Of a service that has a certificate. */
export const OVER_TLS: readonly Case[] = [
  holds('(`stomp+ssl://` when a certificate is configured)', async (at) => {
    const client = await at.desk()
    await client.subscribe(`/topic/odds.football.${at.book}.*`)
    await at.world.observe(at.book, {
      ...{ transport: 'live', observedAt: timeText(), event: at.world.sighting() },
      quotes: [{ ...HOME, odds: 2 }],
    })
    assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['home added 2 open'])
    await client.request('DISCONNECT')
    assert((await client.closed()).isOrderly)
  }),
]
