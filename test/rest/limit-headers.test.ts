import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LimitedBlock } from '../../src/rest/limit-headers.ts'
import { Random, SEED } from '../random.ts'

const MAX = 999_999_999_999

test('digits that are patched in place are those of the numbers, whatever was there before', () => {
  const random = new Random(SEED)
  const head = '200 OK\r\nX-Odds-Seq: 7'
  const limited = new LimitedBlock(head)
  const next = (before: number): number => {
    if (random.chance(0.6)) return Math.max(0, before - 1)
    if (random.chance(0.2)) return before
    const digits = random.int(0, 12)
    return Math.min(MAX, random.pick([10 ** digits, 10 ** digits - 1, Math.floor(random.next() * 10 ** digits)]))
  }
  let values: [number, number, number] = [0, 0, 0]
  for (let step = 0; step < 50_000; step++) {
    values = [next(values[0]), next(values[1]), next(values[2])]
    const [limit, remaining, reset] = values.map((value) => String(value).padStart(12))
    const plain = `${head}\r\nX-RateLimit-Limit: ${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${reset}`
    assert.equal(limited.with(...values).toString('latin1'), plain, `seed ${SEED}, step ${step}`)
  }
})
