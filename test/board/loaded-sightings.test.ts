// Sightings of an image are made when they are asked for, once for both that keep them. What they are is compared where whole
// engines are restarted (test/identity/image.test.ts).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine } from '../../src/engine/engine.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { World } from '../identity/world.ts'
import { MemoryImage } from '../memory-image.ts'
import { WORLD_START } from '../random-observations.ts'

const restarted = (engine: Engine): { engine: Engine; matcher: NameMatcher } => {
  const image = new MemoryImage()
  engine.save(image)
  const matcher = new NameMatcher()
  const options = { skewMsMax: 5_000, bookmakersMax: 100, wheelVisitsMax: 100, quotesMax: 100, matcher }
  const loaded = new Engine(options, WORLD_START)
  const reader = image.reader()
  loaded.load(reader)
  reader.checkRead()
  return { engine: loaded, matcher }
}

test('an event and the matcher share a spelling, whoever asks first, and nothing is kept besides', () => {
  const world = new World(100, new NameMatcher())
  world.see('a:1', { home: 'Arsenal', away: 'Chelsea' })
  world.see('b:1', { home: 'Arsenal FC', away: 'Chelsea' })
  world.see('a:2', { home: 'Burnley', away: 'Fulham' })
  world.see('c:1', { home: 'Arsenal FC', away: 'Chelsea' })
  assert.deepEqual(world.parts(), ['a:1 b:1 c:1', 'a:2'])
  for (const isMatcherFirst of [false, true]) {
    const { engine, matcher } = restarted(world.engine)
    const { catalogue } = engine.board
    const { shared } = catalogue.recordOf(1)!['ownSightings'] as unknown as { shared: readonly unknown[] }
    assert.deepEqual([shared.length, shared.filter(Boolean).length], [4, 0], 'a start makes none')
    for (let number = 1; number < catalogue.recordsEnd; number++) {
      const record = catalogue.recordOf(number)!
      if (isMatcherFirst) matcher['entries'].get(number)
      const { sightings } = record
      assert.equal(record.sightings, sightings, 'they are made once')
      const spellings = sightings.map(({ sighting }) => sighting)
      const entries = matcher['entries'].get(number)!
      assert.equal(entries.length, number === 1 ? 2 : 1)
      for (const { sighting } of entries) assert(spellings.includes(sighting), 'it is in memory twice')
    }
    assert.equal(shared.filter(Boolean).length, 0)
    assert.deepEqual([matcher['entries']['rest'], catalogue.loadedSightings], [undefined, undefined])
  }
})

test('what replaces a spelling after a start is not replaced by that of the image', () => {
  const world = new World(100, new NameMatcher())
  world.see('a:1', { home: 'Arsenal' })
  const { engine, matcher } = restarted(world.engine)
  const record = engine.board.catalogue.recordOf(1)!
  const { sighting } = record.sightings[0]!
  matcher.add(1, 'a:1', { ...sighting, home: 'Gunners United' })
  assert.deepEqual(
    matcher['entries'].get(1)!.map((entry) => entry.sighting.home),
    ['Gunners United'],
  )
})
