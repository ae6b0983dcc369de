import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { splitCsvLine } from '../../../src/source/kit/csv.ts'
import { Random, SEED } from '../../random.ts'

test('fields are cut at commas, and quotes taken off', () => {
  assert.deepEqual(splitCsvLine('a,b,,c'), ['a', 'b', '', 'c'])
  assert.deepEqual(splitCsvLine('"a, b","say ""hi""",c'), ['a, b', 'say "hi"', 'c'])
  assert.deepEqual(splitCsvLine('"a",'), ['a', ''])
  assert.deepEqual(splitCsvLine(''), [''])
})

test('a quote out of place is refused', () => {
  for (const line of ['"a', 'a"b', '"a"b,c', 'a,"b""', '"', '"a" ,b']) assert.equal(splitCsvLine(line), undefined, line)
})

test('every line splits as csv-parse splits it', () => {
  const random = new Random(SEED)
  const characters = ['"', '"', ',', ',', 'a', 'é', ' ', '\t']
  let taken = 0
  for (let run = 0; run < 20_000; run++) {
    const line = Array.from({ length: random.int(1, 10) }, () => random.pick(characters)).join('')
    let expected: string[] | undefined
    try {
      ;[expected] = parse(line, { record_delimiter: '\n' })
      taken++
    } catch {
      expected = undefined
    }
    assert.deepEqual(splitCsvLine(line), expected, `seed ${SEED}, run ${run}: ${JSON.stringify(line)}`)
  }
  assert.ok(taken > 1_000, `only ${taken} lines were CSV`)
})
