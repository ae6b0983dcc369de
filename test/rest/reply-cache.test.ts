// What a target keeps of the cache itself: it leads nobody to another's reply, and holds nothing that the cache has dropped.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../src/access/gate.ts'
import type { Audience } from '../../src/domain/audience.ts'
import { okReply } from '../../src/rest/reply.ts'
import { type CachedReply, type CacheTarget, latestPlaces, ReplyCache } from '../../src/rest/reply-cache.ts'

const BODY_BYTES = 10_000
/** Room for three. */
const ROOM_BYTES = 40_000

const targetOf = (number: number): CacheTarget => ({ number, latest: latestPlaces() })
const audienceOf = (id: number): Audience => ({ id, text: '', sets: [] })
const callerOf = (audience: Audience): Caller => ({ audience }) as unknown as Caller

const entryOf = (target: CacheTarget, caller: Caller, nowAt: number): CachedReply => ({
  reply: okReply(Buffer.alloc(BODY_BYTES), '"tag"'),
  odds: undefined,
  target,
  audience: caller.audience,
  caller,
  transport: 0,
  sportNumber: undefined,
  view: undefined,
  event: undefined,
  version: 1,
  registryVersion: 1,
  freshUntil: Number.POSITIVE_INFINITY,
  usedAt: nowAt,
})

test('only the caller that was answered last is led to an entry, each audience to its own', () => {
  const cache = new ReplyCache(ROOM_BYTES)
  const target = targetOf(1)
  const [one, other] = [callerOf(audienceOf(1)), callerOf(audienceOf(2))]
  const [ofOne, ofOther] = [entryOf(target, one, 0), entryOf(target, other, 0)]
  for (const entry of [ofOne, ofOther]) cache.keep(entry)
  assert.equal(cache.latest(target, one), undefined)
  cache.note(ofOne, one, 0)
  cache.note(ofOther, other, 0)
  assert.equal(cache.latest(target, one), ofOne)
  assert.equal(cache.latest(target, other), ofOther)
  const sameRights = callerOf(one.audience)
  assert.equal(cache.latest(target, sameRights), undefined)
  cache.note(ofOne, sameRights, 0)
  assert.equal(cache.latest(target, sameRights), ofOne)
  assert.equal(cache.latest(target, one), undefined)
  // Of an audience that has the same place.
  const far = callerOf(audienceOf(1 + 4))
  assert.equal(cache.latest(target, far), undefined)
})

test('a target holds no entry that the cache has dropped or replaced', () => {
  const cache = new ReplyCache(ROOM_BYTES)
  const caller = callerOf(audienceOf(1))
  const first = targetOf(1)
  const entry = entryOf(first, caller, 0)
  cache.keep(entry)
  cache.note(entry, caller, 0)
  const next = entryOf(first, caller, 0)
  cache.keep(next)
  assert.equal(cache.latest(first, caller), undefined)
  cache.note(next, caller, 0)
  for (let number = 2; number <= 4; number++) cache.keep(entryOf(targetOf(number), caller, 0))
  assert.equal(cache.find(first, caller.audience), undefined)
  assert.equal(cache.latest(first, caller), undefined)
})

test('what is used once a second stays while others come', () => {
  const cache = new ReplyCache(ROOM_BYTES)
  const caller = callerOf(audienceOf(1))
  const [used, unused] = [targetOf(1), targetOf(2)]
  for (const target of [used, unused]) {
    const entry = entryOf(target, caller, 0)
    cache.keep(entry)
    cache.note(entry, caller, 0)
  }
  for (let number = 3; number < 20; number++) {
    cache.touch(cache.latest(used, caller)!, (number - 2) * 1_000)
    cache.keep(entryOf(targetOf(number), caller, 0))
  }
  assert.notEqual(cache.find(used, caller.audience), undefined)
  assert.equal(cache.find(unused, caller.audience), undefined)
})
