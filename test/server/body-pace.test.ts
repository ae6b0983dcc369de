// Large bodies are handed to the system in steps.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../src/limits.ts'
import { okReply } from '../../src/rest/reply.ts'
import { BodyPace, PACED_BYTES, type PacedReply } from '../../src/server/body-pace.ts'
import { Random, SEED } from '../random.ts'
import { FakeResponse, type Handed } from './fake-response.ts'
import { listenHttp } from './http.ts'

/** Octets of a large body; so many of them are a bit more than may be handed over in an iteration. */
const BODY_BYTES = PACED_BYTES
const BYTES_MAX = 3.5 * BODY_BYTES

const paced = (body: Buffer): PacedReply => ({ body, waiting: 0, onSent: undefined })

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('in an iteration so many octets are handed over, and the others follow in order', async () => {
  const pace = new BodyPace(BYTES_MAX)
  const handed: Handed = { bytesNow: 0, ended: 0 }
  const body = Buffer.alloc(BODY_BYTES)
  const replies = Array.from({ length: 21 }, () => paced(body))
  const all = replies.map(() => new FakeResponse(handed, BODY_BYTES))
  for (const [n, res] of all.entries()) pace.send(res.asResponse, replies[n]!, n % 5 === 0)
  // Three of them are below the bound, the fourth goes beyond it.
  assert.deepEqual([handed.bytesNow, handed.ended, pace.waiting], [4 * BODY_BYTES, 4, 17])
  assert.deepEqual(
    replies.map(({ waiting }) => waiting),
    replies.map((_, n) => (n >= 4 ? 1 : 0)),
  )
  // A small one does not wait for them.
  const small = new FakeResponse({ bytesNow: 0, ended: 0 }, BODY_BYTES)
  const smallReply = paced(Buffer.alloc(PACED_BYTES - 1))
  pace.send(small.asResponse, smallReply, false)
  assert.deepEqual([small.endedAt, smallReply.waiting], [0, 0])
  // One that is gone takes no time of the others.
  all[5]!.abort()
  assert.equal(pace.waiting, 16)
  for (let iteration = 1; iteration <= 4; iteration++) {
    handed.bytesNow = 0
    await nextIteration()
    assert.deepEqual([handed.bytesNow, handed.ended], [4 * BODY_BYTES, 4 + 4 * iteration])
  }
  assert.equal(pace.waiting, 0)
  const order = all.filter((_, n) => n !== 5).map(({ endedAt }) => endedAt)
  assert.deepEqual(
    order,
    order.map((_, n) => n),
  )
})

test('whoever reads, in whatever steps, gets all, unless it has gone', async () => {
  const random = new Random(SEED)
  const pace = new BodyPace(BYTES_MAX)
  const handed: Handed = { bytesNow: 0, ended: 0 }
  const all: FakeResponse[] = []
  for (let iteration = 0; iteration < 400; iteration++) {
    handed.bytesNow = 0
    for (let left = random.int(0, 3); left > 0 && all.length < 500; left--) {
      const res = new FakeResponse(handed, random.int(1, BODY_BYTES))
      all.push(res)
      pace.send(res.asResponse, paced(Buffer.alloc(random.int(1, 2 * BODY_BYTES))), random.chance(0.1))
    }
    for (const res of all) {
      if (random.chance(0.01) && res.endedAt === undefined && !res.isAborted) res.abort()
      else if (random.chance(0.3)) res.read()
    }
    await nextIteration()
    // Those of this iteration, and the ones that waited for its end; and three small ones, which do not wait.
    assert(
      handed.bytesNow <= 2 * (BYTES_MAX + 2 * BODY_BYTES) + 3 * PACED_BYTES,
      `seed ${SEED}: ${handed.bytesNow} in iteration ${iteration}`,
    )
  }
  while (all.some(({ endedAt, isAborted }) => endedAt === undefined && !isAborted)) {
    for (const res of all) res.read()
    await nextIteration()
  }
  assert.equal(pace.waiting, 0)
})

test('readers of one large answer all get it, each as it was when it was asked for', async () => {
  const octets = Buffer.alloc(LIMITS.bodyBytesNow / 4)
  let asked = 0
  const server = await listenHttp((exchange) => {
    const body = octets.fill(0x61 + (asked++ % 26))
    exchange.reply = okReply(body, '"tag"')
    exchange.head = exchange.reply.head
    return undefined
  })
  const ask = async (): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v1/sports`)
    assert.equal(response.headers.get('content-length'), String(octets.length))
    const text = await response.text()
    assert.equal(text, text[0]!.repeat(octets.length))
    return text[0]!
  }
  const letters = await Promise.all(Array.from({ length: 26 }, ask))
  assert.equal(new Set(letters).size, 26)
  await server.drain(30_000, 1)
  server.close()
})
