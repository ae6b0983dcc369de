// docs/live-protocol.md 6, slow consumers, and 3.2, the pace of snapshots and replays.

import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../../src/clock.ts'
import { type At, type Case, holds, NEWEST, seqOf } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { jsonOf, type ServerFrame, shownFrame } from '../strict-frames.ts'
import { type Fixture, HOME, type WireQuote } from '../world.ts'
import { UNACKED } from './limits.ts'
import { isEnd } from './snapshots.ts'

const CUT =
  'A subscriber that cannot keep up is never fed a silent gap: past its budget (1 MiB pending, or not draining for 5 s) it gets ERROR `slow_consumer` with header `resume-from` (the last message handed to the socket, not the last queued), written ahead of the backlog, and is closed after at most 1 s.'
const OTHERS =
  'The others do not notice, whatever one client asks for: snapshots, conflation, SUBSCRIBEs, RECEIPTs that it does not read all count against its own budget of bytes and milliseconds.'
const PACED = "Snapshots and replays are paced by the socket and don't count as a slow consumer's backlog."

const idOf = (frame: ServerFrame): string => frame.headers.get('message-id')!

/** Prices of many outcomes: a MESSAGE of some 130 B for each. */
const manyQuotes = (count: number, odds: number): WireQuote[] =>
  Array.from({ length: count }, (_, place) => ({ type: 'correct_score', outcome: `${place}-${place}`, odds }))

const FLOOD_QUOTES = 500

/** The message ids that come, up to one with the price of `home`. */
const idsUntilHome = async (client: RawClient): Promise<string[]> => {
  const frames = await client.until((frame) => frame.body.includes('"outcome":"home"'), 120_000)
  for (const frame of frames) assert.equal(frame.command, 'MESSAGE', shownFrame(frame))
  return frames.map(idOf)
}

/** A flood of large messages for as long as `goesOn`; at least `roundsMin`. */
const flood = async (event: Fixture, goesOn: () => boolean | Promise<boolean>, roundsMin = 0): Promise<void> => {
  for (let round = 0; round < roundsMin || (await goesOn()); round++) {
    await event.observe(manyQuotes(FLOOD_QUOTES, 2 + round / 1_000))
  }
}

/** What a client got of a flood before it was disconnected, and the ERROR if it came. */
const untilCut = async (client: RawClient): Promise<{ ids: string[]; error: ServerFrame | undefined }> => {
  const ids: string[] = []
  try {
    for (;;) {
      const frame = await client.next(undefined, 60_000)
      if (frame.command === 'ERROR') return { ids, error: frame }
      ids.push(idOf(frame))
    }
  } catch (fault) {
    // Closed, perhaps inside a frame.
    assert.match(String(fault), /closed/)
    return { ids, error: undefined }
  }
}

/** A slow client and a healthy one on the same topic. */
const twoClients = async (at: At): Promise<{ event: Fixture; slow: RawClient; healthy: RawClient }> => {
  const event = await at.event()
  const [slow, healthy] = [await at.desk(), await at.desk()]
  for (const client of [slow, healthy]) await client.subscribe(event.topic())
  return { event, slow, healthy }
}

const assertPrefix = (got: readonly string[], all: readonly string[]): void => {
  assert.deepEqual(got, all.slice(0, got.length), 'a gap before the disconnect')
}

export const SLOW_CONSUMERS: readonly Case[] = [
  holds(
    CUT,
    async (at) => {
      const { event, slow, healthy } = await twoClients(at)
      // It reads, but less than is sent.
      slow.throttle(20)
      let isCut = false
      const cut = untilCut(slow).finally(() => {
        isCut = true
      })
      const all = idsUntilHome(healthy)
      await flood(event, () => !isCut)
      const { ids, error } = await cut
      assert(error !== undefined, 'closed without an ERROR')
      assert.equal(error.headers.get('message'), 'slow_consumer', shownFrame(error))
      // What was written to the socket has arrived, and nothing else.
      assert.equal(error.headers.get('resume-from'), ids.at(-1))
      slow.throttle(undefined)
      await slow.closed()
      await event.observe([{ ...HOME, odds: 9 }])
      const whole = await all
      assertPrefix(ids, whole)
      assert(ids.length < whole.length)
      const resumed = await at.desk()
      await resumed.subscribe(event.topic(), { 'from-seq': error.headers.get('resume-from')! })
      const first = await resumed.next('MESSAGE')
      if (first.headers.get('kind') === 'reset') {
        // The log is bounded; then the whole state comes.
        await resumed.until(isEnd)
      } else {
        const rest = first.body.includes('"outcome":"home"') ? [] : await idsUntilHome(resumed)
        assert.deepEqual([...ids, idOf(first), ...rest], whole)
      }
    },
    { ...NEWEST, what: 'reads too slowly' },
  ),
  holds(
    CUT,
    async (at) => {
      const { event, slow, healthy } = await twoClients(at)
      const all = idsUntilHome(healthy)
      const before = await at.world.slowConsumers()
      slow.pause()
      const deadlineMs = clock.elapsedMs() + 60_000
      let isCut = false
      await flood(event, async () => {
        isCut = (await at.world.slowConsumers()) > before
        return !isCut && clock.elapsedMs() < deadlineMs
      })
      assert(isCut, 'who does not read is not cut')
      await event.observe([{ ...HOME, odds: 9 }])
      const whole = await all
      slow.resume()
      const { ids, error } = await untilCut(slow)
      assertPrefix(ids, whole)
      assert(ids.length < whole.length)
      if (error !== undefined) {
        assert.equal(error.headers.get('message'), 'slow_consumer')
        assert.equal(error.headers.get('resume-from'), ids.at(-1))
      }
    },
    { ...NEWEST, what: 'does not read' },
  ),
  holds(
    CUT,
    async (at) => {
      const { event, slow } = await twoClients(at)
      slow.pause()
      // The system accepts some megabytes; each step sends less than the budget of 1 MiB and then rests for 6 s.
      await flood(event, () => false, 30)
      for (let step = 0; step < 20 && !slow.hasEnded; step++) {
        await flood(event, () => false, 12)
        for (let second = 0; second < 7 && !slow.hasEnded; second++) {
          await pause(1_000)
          await slow.write('\n')
        }
      }
      assert(slow.hasEnded, 'what did not drain for 5 s was kept')
    },
    { ...NEWEST, what: 'not draining for 5 s', isLong: 'waits up to two minutes' },
  ),
  holds(
    UNACKED,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { ack: 'client' })
      const witness = await at.desk()
      await witness.subscribe(event.topic())
      for (let place = 0; place < 1_000; place++) {
        await event.observe([{ ...HOME, odds: 2 + place / 1_000 }])
        await witness.next('MESSAGE')
      }
      const messages = await client.several(1_000)
      // It reads, but does not answer: what waits for it grows past 1 MiB.
      await flood(event, () => !client.hasEnded, 20)
      const { error } = await client.error()
      assert.equal(error.headers.get('message'), 'slow_consumer', shownFrame(error))
      assert.equal(error.headers.get('resume-from'), idOf(messages.at(-1)!))
    },
    { ...NEWEST, what: 'and is cut like any other' },
  ),
  holds(
    OTHERS,
    async (at) => {
      const { event, slow, healthy } = await twoClients(at)
      slow.pause()
      const all = idsUntilHome(healthy)
      const ROUNDS = 300
      await flood(event, () => false, ROUNDS)
      await event.observe([{ ...HOME, odds: 9 }])
      const ids = (await all).map(seqOf)
      assert(ids.length <= ROUNDS + 1)
      // Every change was in some message.
      await healthy.barrier()
      assert.deepEqual(
        ids,
        [...ids].sort((a, b) => a - b),
      )
    },
    NEWEST,
  ),
  ...(['snapshot', 'replay'] as const).map((what) =>
    holds(
      PACED,
      async (at) => {
        const from = await at.world.restSeq()
        const EVENTS = 60
        const events: Fixture[] = []
        for (let place = 0; place < EVENTS; place++) {
          const event = await at.event()
          events.push(event)
          await event.observe(manyQuotes(1_500, 2))
        }
        const client = await at.desk()
        client.throttle(20)
        const asked = what === 'snapshot' ? { snapshot: 'true' } : { 'from-seq': from }
        await client.subscribe(`/topic/odds.football.${at.book}.*`, asked)
        await events[0]!.observe([{ ...HOME, odds: 9 }])
        const frames = await client.until((frame) => {
          const isUpdate = frame.headers.get('kind') === 'update'
          return frame.command === 'ERROR' || (isUpdate && frame.body.includes('"outcome":"home"'))
        }, 120_000)
        assert.equal(frames.at(-1)!.command, 'MESSAGE', shownFrame(frames.at(-1)!))
        const topics = new Set<string>()
        for (const frame of frames.slice(0, -1)) {
          if (isEnd(frame) || frame.headers.get('kind') === 'reset') continue
          assert(!frame.body.includes('"outcome":"home"'), 'a change before the snapshot was over')
          topics.add(String(jsonOf(frame).eventId))
        }
        assert.equal(topics.size, EVENTS)
      },
      { ...NEWEST, what },
    ),
  ),
]
