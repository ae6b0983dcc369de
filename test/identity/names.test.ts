import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SPORTS } from '../../src/domain/sport.ts'
import { NameReader, NAMES_MAX } from '../../src/identity/names.ts'
import { Random, SEED } from '../random.ts'

const COLLEGES = ['some', 'all', 'none'] as const

test('a name that is kept is the one that is read anew, in each sport and kind of league', () => {
  const random = new Random(SEED)
  const newReaders = () => [new NameReader(), new NameReader([{ sport: null, name: 'Kano', means: 'Kano Pillars' }])]
  const readers = newReaders()
  const starts = [
    'Houston',
    'Paris',
    'FC Paris',
    'Boca',
    'Man',
    'Zverev A',
    'A. Zverev',
    'Kano',
    'Ägir',
    'TBD',
    'Winner 1',
    '',
  ]
  const ends = [
    '',
    ' FC',
    ' U 21',
    ' II',
    ' (URU)',
    ' (W)',
    ' United',
    ' Juniors',
    '/Smith J',
    ' Cougars',
    ' SRL',
    ' 05',
  ]
  let shared = 0
  for (let round = 0; round < 10_000; round++) {
    const spelling = `${random.pick(starts)}${random.pick(ends)}`
    const sport = random.pick(SPORTS)
    const colleges = random.pick(COLLEGES)
    const number = random.int(0, 1)
    const reader = readers[number]!
    const name = reader.nameOf(spelling, sport, colleges)
    if (random.chance(0.5) && reader.nameOf(spelling, sport, colleges) === name && name !== undefined) shared++
    if (!random.chance(0.2)) continue
    const fresh = newReaders()[number]!.nameOf(spelling, sport, colleges)
    const said = `seed ${SEED}: ${spelling}, ${sport}, ${colleges}`
    // The tables of two readers are two objects where they have aliases of their own.
    assert.deepEqual({ ...name, table: undefined }, { ...fresh, table: undefined }, said)
    assert.equal(name?.college, fresh?.college, said)
  }
  assert.ok(shared > 1_000, `seed ${SEED}: only ${shared} were shared`)
})

test('names are kept up to a bound, and long ones are not', () => {
  const reader = new NameReader()
  reader.nameOf('Arsenal '.repeat(9), 'football')
  assert.equal(reader.kept, 0)
  for (let number = 1_000; number < NAMES_MAX + 1_005; number++) {
    reader.nameOf(`Side ${number}`, 'football')
    assert.ok(reader.kept <= NAMES_MAX)
  }
  assert.equal(reader.kept, 5)
  assert.equal(reader.nameOf('Side 1007', 'football')!.words.join(' '), 'side')
})
