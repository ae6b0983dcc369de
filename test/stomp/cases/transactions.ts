// docs/live-protocol.md 7.5.

import assert from 'node:assert/strict'
import { type At, type Case, holds, quotesOf } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { shownFrame } from '../strict-frames.ts'
import { AWAY, DRAW, type Fixture, HOME } from '../world.ts'

const OVER = 'BEGIN, COMMIT, ABORT over SEND, ACK, NACK'
const IDS = 'unknown or repeated id: ERROR'
const BROKEN = 'a broken connection aborts.'
const INSIDE = 'A RECEIPT inside means taken into the transaction'
const WHOLE = 'COMMIT takes effect whole or, with one bad SEND, not at all (ERROR).'

/** Sends a price within a transaction and waits for the RECEIPT. */
const send = (feeder: RawClient, transaction: string, event: Fixture, outcome: object, odds: unknown) =>
  feeder.request(
    'SEND',
    { destination: `/feed/${event.book}`, transaction },
    JSON.stringify({ ...event.observation([]), quotes: [{ ...outcome, odds }] }),
  )

const onBoard = async (at: At, event: Fixture): Promise<string[]> =>
  Array.from(await at.world.oddsOnRest(event.id, event.book, 'live'), ([name, odds]) => `${name} ${odds}`).filter(
    (quote) => quote.startsWith('match_result'),
  )

const errorAfter = async (client: RawClient, command: string, headers: Record<string, string>): Promise<void> => {
  await client.frame(command, headers)
  await client.error()
}

export const TRANSACTIONS: readonly Case[] = [
  holds(
    OVER,
    async (at) => {
      const event = await at.event()
      const feeder = await at.feeder()
      await feeder.request('BEGIN', { transaction: 'a' })
      await send(feeder, 'a', event, HOME, 2.5)
      await send(feeder, 'a', event, DRAW, 3.5)
      assert.deepEqual(await onBoard(at, event), [])
      await feeder.request('COMMIT', { transaction: 'a' })
      assert.deepEqual(await onBoard(at, event), ['match_result_1x2 null home 2.5', 'match_result_1x2 null draw 3.5'])
    },
    { what: 'SEND, COMMIT' },
  ),
  holds(
    OVER,
    async (at) => {
      const event = await at.event()
      const feeder = await at.feeder()
      await feeder.request('BEGIN', { transaction: 'a' })
      await send(feeder, 'a', event, HOME, 2.5)
      await feeder.request('ABORT', { transaction: 'a' })
      assert.deepEqual(await onBoard(at, event), [])
      // The id is free again, and nothing of before comes with it.
      await feeder.request('BEGIN', { transaction: 'a' })
      await send(feeder, 'a', event, DRAW, 3.5)
      await feeder.request('COMMIT', { transaction: 'a' })
      assert.deepEqual(await onBoard(at, event), ['match_result_1x2 null draw 3.5'])
    },
    { what: 'SEND, ABORT' },
  ),
  holds(
    OVER,
    async (at) => {
      const event = await at.event()
      const feeder = await at.feeder()
      for (const transaction of ['a', 'b']) await feeder.request('BEGIN', { transaction })
      await send(feeder, 'a', event, HOME, 2.5)
      await send(feeder, 'b', event, DRAW, 3.5)
      await feeder.request('ABORT', { transaction: 'a' })
      await feeder.request('COMMIT', { transaction: 'b' })
      assert.deepEqual(await onBoard(at, event), ['match_result_1x2 null draw 3.5'])
    },
    { what: 'two at a time' },
  ),
  ...(['ACK', 'NACK'] as const).flatMap((command) =>
    (['COMMIT', 'ABORT'] as const).map((end) =>
      holds(
        OVER,
        async (at) => {
          const event = await at.event()
          const client = await at.desk()
          await client.subscribe(event.topic(), { ack: 'client-individual' })
          await event.observe([{ ...HOME, odds: 2.5 }])
          const message = await client.next('MESSAGE')
          await client.request('BEGIN', { transaction: 'a' })
          await client.request(command, { ...client.ackHeaders(message), transaction: 'a' })
          await client.request(end, { transaction: 'a' })
          if (end === 'ABORT') {
            // It is as if it had not been answered.
            await client.request(command, client.ackHeaders(message))
          }
          // Now it is.
          await errorAfter(client, 'ACK', client.ackHeaders(message))
        },
        { what: `${command}, ${end}`, versions: command === 'ACK' ? ['1.0', '1.1', '1.2'] : ['1.1', '1.2'] },
      ),
    ),
  ),
  holds(
    IDS,
    async (at) => {
      const client = await at.desk()
      await client.request('BEGIN', { transaction: 'a' })
      await errorAfter(client, 'BEGIN', { transaction: 'a' })
    },
    { what: 'BEGIN twice' },
  ),
  ...['COMMIT', 'ABORT'].flatMap((command) => [
    holds(IDS, async (at) => errorAfter(await at.desk(), command, { transaction: 'never' }), {
      what: `${command} of none`,
    }),
    holds(
      IDS,
      async (at) => {
        const client = await at.desk()
        await client.request('BEGIN', { transaction: 'a' })
        await client.request('COMMIT', { transaction: 'a' })
        await errorAfter(client, command, { transaction: 'a' })
      },
      { what: `${command} of one that has ended` },
    ),
    holds(IDS, async (at) => errorAfter(await at.desk(), command, {}), { what: `${command} without one` }),
  ]),
  holds(IDS, async (at) => errorAfter(await at.desk(), 'BEGIN', {}), { what: 'BEGIN without one' }),
  holds(
    IDS,
    async (at) => {
      const event = await at.event()
      const feeder = await at.feeder()
      const body = JSON.stringify(event.observation([{ ...HOME, odds: 2.5 }]))
      await feeder.frame('SEND', { destination: `/feed/${event.book}`, transaction: 'never' }, body)
      await feeder.error()
      assert.deepEqual(await onBoard(at, event), [])
    },
    { what: 'SEND' },
  ),
  holds(
    IDS,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { ack: 'client' })
      await event.observe([{ ...HOME, odds: 2.5 }])
      const message = await client.next('MESSAGE')
      await errorAfter(client, 'ACK', { ...client.ackHeaders(message), transaction: 'never' })
    },
    { what: 'ACK' },
  ),
  holds(BROKEN, async (at) => {
    const event = await at.event()
    const client = await at.desk()
    await client.subscribe(event.topic())
    for (const cut of [(feeder: RawClient) => feeder.destroy(), (feeder: RawClient) => feeder.finish()]) {
      const feeder = await at.feeder()
      await feeder.request('BEGIN', { transaction: 'a' })
      await send(feeder, 'a', event, HOME, 2.5)
      cut(feeder)
    }
    const feeder = await at.feeder()
    await feeder.request('BEGIN', { transaction: 'a' })
    await send(feeder, 'a', event, HOME, 2.5)
    await errorAfter(feeder, 'NONSENSE', {})
    await event.observe([{ ...AWAY, odds: 9 }])
    assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['away added 9 open'])
  }),
  holds(INSIDE, async (at) => {
    const event = await at.event()
    const client = await at.desk()
    await client.subscribe(event.topic())
    const feeder = await at.feeder()
    await feeder.request('BEGIN', { transaction: 'a' })
    await send(feeder, 'a', event, HOME, 2.5)
    await event.observe([{ ...AWAY, odds: 9 }])
    assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['away added 9 open'])
    await feeder.request('COMMIT', { transaction: 'a' })
    assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['home added 2.5 open'])
  }),
  holds(
    WHOLE,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic())
      const feeder = await at.feeder()
      await feeder.request('BEGIN', { transaction: 'a' })
      await send(feeder, 'a', event, HOME, 2.5)
      // Whether it is reported now or at the COMMIT: nothing of the transaction takes effect.
      const bad = JSON.stringify({ ...event.observation([]), quotes: [{ ...DRAW, odds: 0.5 }] })
      await feeder.frame('SEND', { destination: `/feed/${event.book}`, transaction: 'a' }, bad)
      await feeder.frame('SEND', { destination: `/feed/${event.book}`, transaction: 'a' }, bad.replace('0.5', '3.5'))
      await feeder.frame('COMMIT', { transaction: 'a', receipt: 'commit' })
      await feeder.refused('validation_failed')
      await event.observe([{ ...AWAY, odds: 9 }])
      assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['away added 9 open'])
      assert.deepEqual(await onBoard(at, event), ['match_result_1x2 null away 9'])
    },
    { what: 'a bad body' },
  ),
  holds(
    WHOLE,
    async (at) => {
      const event = await at.event()
      const narrow = await at.world.key('--feed', event.book)
      const client = await at.desk({}, narrow)
      await client.request('BEGIN', { transaction: 'a' })
      await send(client, 'a', event, HOME, 2.5)
      const other = at.world.book()
      await client.frame('SEND', { destination: `/feed/${other}`, transaction: 'a' }, '{}')
      await client.frame('COMMIT', { transaction: 'a' })
      await client.refused('api_key_scope_denied')
      assert.deepEqual(await onBoard(at, event), [])
    },
    { what: 'a bad destination' },
  ),
  holds(
    WHOLE,
    async (at) => {
      const events = [await at.event(), await at.event()]
      const client = await at.desk()
      await client.subscribe(`/topic/odds.football.${at.book}.*`)
      const feeder = await at.feeder()
      await feeder.request('BEGIN', { transaction: 'a' })
      const prices = [2, 2.1, 2.2]
      for (const odds of prices) for (const event of events) await send(feeder, 'a', event, HOME, odds)
      const { before } = await feeder.request('COMMIT', { transaction: 'a' })
      assert.deepEqual(before.map(shownFrame), [])
      for (const event of events) {
        assert.deepEqual(await onBoard(at, event), ['match_result_1x2 null home 2.2'])
      }
      const last = prices.length * events.length
      const seen: string[] = []
      while (seen.length < last) seen.push(...quotesOf(await client.next('MESSAGE')))
      const expected = events.flatMap(() => ['home added 2 open', 'home repriced 2.1 open', 'home repriced 2.2 open'])
      assert.deepEqual(seen.sort(), expected.sort())
    },
    { what: 'in the order of its SENDs' },
  ),
]
