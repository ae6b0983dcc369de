// Turns that could be lost still, as their records: written again, they are the turns that they were.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../../src/domain/input.ts'
import { TurnDecoder } from '../../src/log/turn-decoder.ts'
import { TurnEncoder } from '../../src/log/turn-encoder.ts'
import { type Recorded, UnsafeTurns } from '../../src/log/unsafe-turns.ts'
import { Random, SEED } from '../random.ts'
import { RandomInputs } from '../random-inputs.ts'
import { WORLD_START } from '../random-observations.ts'

const recorded = (encoder: TurnEncoder, turn: Turn): Recorded => {
  const { dictionary, size } = encoder
  return { record: encoder.encode(turn), dictionary, size }
}

test('random turns are rewritten as they were, whatever dictionaries and syncs there were between', () => {
  for (let round = 0; round < 40; round++) {
    const random = new Random(SEED + round)
    const inputs = new RandomInputs(random)
    const encoder = new TurnEncoder(round % 3 === 0 ? { textsMax: random.int(1, 40), sightingsMax: 4 } : {})
    // Small ones are full soon, and serve others.
    const unsafe = new UnsafeTurns(0, random.chance(0.8) ? random.int(100, 4_000) : undefined)
    let turns: Turn[] = []
    let position = 0
    let written = 0
    for (let step = 0; step < 120; step++) {
      const at = WORLD_START + step
      const turn = { at, inputs: Array.from({ length: random.int(0, 5) }, () => inputs.next(at)) }
      if (random.chance(0.05)) encoder.begin()
      if (random.chance(0.03)) {
        // A turn that has no form leaves a part of it in the dictionary, which is not used any more.
        assert.throws(() => encoder.encode({ at, inputs: [...turn.inputs, { kind: 'none' } as never] }))
        encoder.begin()
      }
      const kept = recorded(encoder, turn)
      const note = (given: Turn): void => {
        assert.equal(given, turn)
        written++
      }
      unsafe.add(turn, note, step, kept.record.length, kept)
      turns.push(turn)
      position++
      while (written < position && random.chance(0.8)) {
        const next = written + 1
        assert.equal(unsafe.appendedMs(next), turns[next - unsafe.first]!.at - WORLD_START)
        unsafe.written(next)
        assert.equal(written, next)
      }
      if (random.chance(0.05)) {
        const last = random.int(unsafe.first - 1, written)
        turns = turns.slice(last + 1 - unsafe.first)
        unsafe.dropTo(last)
      }
      assert.equal(unsafe.count, turns.length)
      if (!random.chance(0.04)) continue
      encoder.begin()
      const rewritten: Turn[] = []
      const records: Uint8Array[] = []
      unsafe.rewrite((again) => {
        rewritten.push(again)
        const next = recorded(encoder, again)
        records.push(Uint8Array.from(next.record))
        return next
      })
      const where = `ODDSWIRE_TEST_SEED=${SEED}, round ${round}, step ${step}`
      assert.deepEqual(rewritten, turns, where)
      const decoder = new TurnDecoder()
      assert.deepEqual(
        records.map((record) => decoder.decode(record)),
        turns,
        where,
      )
    }
  }
})

test('records larger than a block are kept', () => {
  const encoder = new TurnEncoder()
  const unsafe = new UnsafeTurns(0)
  const turns = Array.from({ length: 3 }, (_, n) => ({
    at: WORLD_START,
    inputs: [{ kind: 'end', producer: String(n).repeat(300_000), at: n } as const],
  }))
  for (const [n, turn] of turns.entries()) {
    const kept = recorded(encoder, turn)
    unsafe.add(turn, () => {}, 0, kept.record.length, kept)
    unsafe.written(n + 1)
  }
  const rewritten: Turn[] = []
  encoder.begin()
  unsafe.rewrite((turn) => {
    rewritten.push(turn)
    return recorded(encoder, turn)
  })
  assert.deepEqual(rewritten, turns)
})
