// How many matches are found under another source's names, and that none is merged that is another one: the sets of
// bench/identity-names.ts, drawn anew.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mergedLookAlikes } from '../../bench/identity-look-alikes.ts'
import { fixtureSets, measure } from '../../bench/identity-sets.ts'
import { ROOT } from '../root.ts'
import { Random, SEED } from '../random.ts'

const FIXTURES = 700

/** The least share that is found, by the beginning of the set's name. */
const LEAST: readonly [string, number][] = [
  ['football', 0.99],
  ['tennis', 0.98],
  ['combat', 0.98],
  ['colleges', 0.95],
]

const { schools } = JSON.parse(readFileSync(join(ROOT, 'fixtures', 'identity', 'colleges.json'), 'utf8')) as {
  schools: string[][]
}

for (const set of fixtureSets(new Random(SEED), FIXTURES, schools)) {
  test(`${set.name}: found under other names, and no other match`, (context) => {
    const { fixtures, recall, wrong, missed } = measure(set)
    context.diagnostic(`${fixtures} fixtures, ${(100 * recall).toFixed(2)} % found, ${wrong.length} wrong`)
    assert.deepEqual(wrong, [], `seed ${SEED}`)
    const [, least] = LEAST.find(([name]) => set.name.startsWith(name))!
    assert.ok(recall >= least, `seed ${SEED}: ${recall} found; missed ${missed.slice(0, 5).join('; ')}`)
  })
}

test('look-alikes stay apart: women, youth and reserves, schools of nearly one name, players of one surname', () => {
  const { asked, merged } = mergedLookAlikes()
  assert.ok(asked > 10_000)
  assert.deepEqual(merged, [])
})
