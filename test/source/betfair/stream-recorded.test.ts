// A recorded day of the exchange, played by a server that breaks its connections: the board is that of an unbroken replay.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Random, SEED } from '../../random.ts'
import { DATA } from '../../root.ts'
import { certificate, type Change } from './exchange.ts'
import { World } from './world.ts'

const FILE = join(DATA, 'betfair-stream', '1.166811431.jsonl.gz')

const skip =
  certificate === undefined
    ? 'openssl is not installed'
    : existsSync(FILE)
      ? false
      : 'the recorded payloads are not on this machine'

const readChanges = (): Change[] =>
  gunzipSync(readFileSync(FILE))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Change)

const BREAKS = 25

test('after breaks of all kinds the board is as after none', { skip }, async () => {
  const changes = readChanges()
  const random = new Random(SEED)

  const whole = await World.start({ changes })
  whole.exchange.played = 1
  await whole.until(() => whole.heard > 0)
  whole.exchange.play(changes.length)
  await whole.until(() => whole.heard >= changes.length)
  const expected = whole.board()
  assert.equal(expected.length, 2)
  await whole.end()

  let refusals = 0
  const broken = await World.start({
    changes,
    script: (request, client, { played }) => {
      if (request.op !== 'marketSubscription' || request.clk === undefined || !random.chance(0.3)) return false
      // An image does not tell the last odds of a price that went while nobody looked; at the end they would be missed.
      if (played > changes.length / 2) return false
      refusals++
      client.send({ op: 'status', id: request.id, statusCode: 'FAILURE', errorCode: 'INVALID_CLOCK' })
      return true
    },
  })
  try {
    const { exchange } = broken
    exchange.played = 1
    for (let connection = 1; connection <= BREAKS; connection++) {
      // An image or what was missed has come, but for connections that break even before.
      if (random.chance(0.8)) {
        const { heard } = broken
        await broken.until(
          () => exchange.clients.length >= connection && exchange.newest!.isSubscribed && broken.heard > heard,
        )
      } else await broken.until(() => exchange.clients.length >= connection)
      exchange.play(random.int(1, 400))
      if (exchange.newest!.isSubscribed && exchange.played < changes.length && random.chance(0.5))
        exchange.breakMidLine()
      else exchange.break()
    }
    await broken.until(() => exchange.newest!.isSubscribed)
    assert(exchange.played < changes.length / 1.1, `seed ${SEED}: something is left to play`)
    exchange.play(changes.length)
    const closed = (): boolean => broken.board().every((quote) => quote.endsWith(' closed'))
    await broken.until(() => broken.board().length === 2 && closed())
    assert.deepEqual(broken.board(), expected, `seed ${SEED}`)
    const { images, resumptions } = broken.stream.facts()
    assert(Number(images) > 1 && Number(resumptions) > 1, `seed ${SEED}: ${images} images, ${resumptions} resumptions`)
    assert(refusals > 0, `seed ${SEED}: no clock was refused`)
  } finally {
    await broken.end()
  }
})
