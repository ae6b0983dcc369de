// How many matches event identity finds under another source's names, and how many it merges wrongly (bench/README.md).
//
//   node dist/bench/identity-names.js [--fixtures 60000] [--missed]

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { mergedLookAlikes } from './identity-look-alikes.ts'
import { fixtureSets, measure } from './identity-sets.ts'
import { machine, print } from './report.ts'

const SEED = 17
const SETS = 9

const { values: flags } = parseArgs({
  options: { fixtures: { type: 'string', default: '60000' }, missed: { type: 'boolean', default: false } },
})

const { schools } = JSON.parse(
  readFileSync(new URL('../../fixtures/identity/colleges.json', import.meta.url), 'utf8'),
) as { schools: string[][] }

const sets = fixtureSets(new SeededRandom(SEED), Math.ceil(Number(flags.fixtures) / SETS), schools)
const apart = mergedLookAlikes()
const rows = sets.map((set) => ({ name: set.name, ...measure(set) }))
print({
  bench: 'identity-names',
  machine: machine(),
  fixtures: rows.reduce((sum, { fixtures }) => sum + fixtures, 0),
  wrong: rows.reduce((sum, { wrong }) => sum + wrong.length, 0),
  lookAlikes: { asked: apart.asked, merged: apart.merged.length },
  sets: rows.map(({ name, fixtures, recall, wrong }) => ({
    name,
    fixtures,
    recall: Number(recall.toFixed(4)),
    wrong: wrong.length,
  })),
})
if (flags.missed) process.stderr.write(`${apart.merged.join('\n')}\n`)
if (flags.missed) for (const { wrong, missed } of rows) process.stderr.write(`${[...wrong, ...missed].join('\n')}\n`)
