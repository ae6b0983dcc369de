// What each key could see at which seq of the log, and the same after it was saved and loaded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventSighting } from '../../src/domain/observation.ts'
import { Engine } from '../../src/engine/engine.ts'
import { applyTurn } from '../../src/engine/inputs.ts'
import { Rights } from '../../src/engine/rights.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'

const ALL_VALID = (): boolean => true

test('a key that was in use at a point saw then what it could see then', () => {
  const rights = new Rights()
  rights.use('k', 'org', 'A', 10)
  rights.change(['org'], 20)
  rights.use('k', 'org', 'B', 25)
  const at = (seq: number): readonly string[] | undefined => rights.audiencesAt('k', 'org', seq, ALL_VALID)
  assert.deepEqual(at(9), undefined, 'not in use')
  assert.deepEqual(at(10), ['A'])
  assert.deepEqual(at(20), ['A'])
  assert.deepEqual(at(21), undefined, 'not in use after the change')
  assert.deepEqual(at(25), ['B'])
  assert.deepEqual(at(1_000), ['B'])
})

test('changes that do not concern a key leave its points as they are', () => {
  const rights = new Rights()
  rights.use('k', 'org', 'A', 10)
  rights.change(['other'], 20)
  rights.change(null, 30)
  rights.use('k', 'org', 'A', 40)
  for (const seq of [11, 20, 30, 35, 50]) {
    assert.deepEqual(rights.audiencesAt('k', 'org', seq, ALL_VALID), ['A'], String(seq))
  }
})

test('a point from before the key was used is that of any key of its organization, and of no other', () => {
  const rights = new Rights()
  rights.use('old', 'org', 'A', 10)
  rights.use('foreign', 'elsewhere', 'C', 10)
  rights.change(['org'], 20)
  rights.use('old', 'org', 'A', 21)
  rights.use('new', 'org', 'B', 30)
  const at = (seq: number): readonly string[] | undefined => rights.audiencesAt('new', 'org', seq, ALL_VALID)
  assert.deepEqual(at(15), ['A'])
  assert.deepEqual(at(30), ['B', 'A'], 'nothing has happened since: it may be of either')
  assert.deepEqual(at(31), ['B'], 'its own')
  assert.deepEqual(at(5), undefined)
  // The old one is revoked: its points are used by the new one.
  assert.deepEqual(
    rights.audiencesAt('new', 'org', 31, (key) => key !== 'old'),
    ['B', 'A'],
  )
})

test('past the bounds nothing is known, and nothing is guessed', () => {
  const rights = new Rights()
  rights.use('first', 'org', 'A', 10)
  rights.use('second', 'org', 'B', 10)
  for (let n = 0; n < 10_000; n++) rights.use(`k${n}`, `org${n % 20}`, 'A', 50)
  assert.deepEqual(rights.audiencesAt('third', 'org', 20, ALL_VALID), undefined)
  assert.deepEqual(rights.audiencesAt('k9999', 'org19', 60, ALL_VALID), ['A'])
  const many = new Rights()
  for (let n = 0; n < 100; n++) {
    many.use('k', 'org', n % 2 === 0 ? 'A' : 'B', n * 10)
    many.change(['org'], n * 10 + 5)
  }
  assert.deepEqual(many.audiencesAt('k', 'org', 1, ALL_VALID), undefined)
  assert.deepEqual(many.audiencesAt('k', 'org', 981, ALL_VALID), ['A'])
})

test('after a start, a key that was in use goes on, and a point that is not its own is unknown', () => {
  const rights = new Rights()
  rights.use('used', 'org', 'A', 10)
  // The use of another key at 20, with B, was not written.
  rights.change(null, 30, true)
  rights.use('used', 'org', 'A', 30)
  rights.use('lost', 'org', 'A', 30)
  assert.deepEqual(rights.audiencesAt('used', 'org', 20, ALL_VALID), ['A'])
  assert.deepEqual(rights.audiencesAt('used', 'org', 30, ALL_VALID), ['A'])
  assert.equal(rights.audiencesAt('lost', 'org', 20, ALL_VALID), undefined, 'it may have seen B then')
  assert.equal(rights.audiencesAt('lost', 'org', 30, ALL_VALID), undefined)
  assert.deepEqual(rights.audiencesAt('lost', 'org', 31, ALL_VALID), ['A'])
})

test('saved and loaded, and copied, it continues as one that was not', () => {
  const random = new Random(SEED)
  const organizations = ['a', 'b', 'c']
  const keyOf = () => {
    const organization = random.pick(organizations)
    return { key: `${organization}${random.int(1, 4)}`, organization }
  }
  let rights = new Rights()
  const twin = new Rights()
  let copy = new Rights()
  let seq = 0
  for (let step = 0; step < 3_000; step++) {
    const at = `seed ${SEED}, step ${step}`
    seq += random.int(0, 2)
    const { key, organization } = keyOf()
    if (random.chance(0.3)) {
      const concerned = random.chance(0.3) ? null : organizations.filter(() => random.chance(0.4))
      const isStart = random.chance(0.02)
      for (const each of [rights, twin, copy]) each.change(concerned, seq, isStart)
    } else {
      const audience = random.pick(['A', 'B', 'C'])
      for (const each of [rights, twin, copy]) each.use(key, organization, audience, seq)
    }
    if (random.chance(0.05)) {
      const image = MemoryImage.of(rights)
      rights = new Rights()
      rights.load(image.reader())
      copy = rights.copy()
    }
    const point = random.int(0, seq)
    const asked = keyOf()
    const isValid = (other: string): boolean => other !== 'a1'
    const answers = [rights, twin, copy].map((each) => each.audiencesAt(asked.key, asked.organization, point, isValid))
    assert.deepEqual(answers[0], answers[1], at)
    assert.deepEqual(answers[2], answers[1], at)
  }
  assert.deepEqual(MemoryImage.of(rights).parts, MemoryImage.of(twin).parts)
  assert.deepEqual(MemoryImage.of(copy).parts, MemoryImage.of(twin).parts)
})

test('a change of the store ends rights with its turn: what the turn has published was seen by the former ones', () => {
  const engine = new Engine({ quotesMax: 100, skewMsMax: 5_000, bookmakersMax: 9, wheelVisitsMax: 1_000 }, 0)
  const at = 1_790_000_000_000
  const event: EventSighting = {
    ...{ sport: 'golf', leagueKey: 'l', leagueName: 'L', home: 'Open', away: '', kickoffAt: at, sourceKey: null },
  }
  const price = { type: 'outright', line: null, outcome: 'x', odds: 2, status: 'open' } as const
  const observation = {
    bookmaker: 'a',
    transport: 'live',
    observedAt: at,
    event,
    prices: [price],
    others: 'keep',
  } as const
  const store = {
    kind: 'store',
    expects: '',
    after: '',
    version: 1,
    statements: [],
    decisions: null,
    bookmakers: [],
  } as const
  applyTurn(engine, { at, inputs: [{ kind: 'use', key: 'k', organization: 'o', audience: 'all', seq: 0 }] })
  applyTurn(engine, {
    at,
    inputs: [
      { ...store, proposal: 'p1', organizations: ['o'] },
      { kind: 'observe', observation, producer: '', doubt: undefined },
      // Not accepted: it changes nothing.
      { ...store, proposal: 'p2', organizations: null },
    ],
  })
  const { seq } = engine
  assert.ok(seq > 0)
  assert.deepEqual(engine.storeMark.proposal, 'p1')
  const of = (point: number) => engine.rights.audiencesAt('k', 'o', point, () => true)
  assert.deepEqual([of(seq), of(seq + 1)], [['all'], undefined])
})
