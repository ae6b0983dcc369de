import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Engine } from '../../src/engine/engine.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { ImageTwins } from '../image-twins.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'
import { RandomInputs } from '../random-inputs.ts'
import { WORLD_START } from '../random-observations.ts'

const HOUR_MS = 3_600_000
const OPTIONS = { skewMsMax: 5_000, bookmakersMax: 50, wheelVisitsMax: 64 }

test('sightings and names that were saved and loaded go on as if they had not been', () => {
  const seen = { swapped: 0, conflicts: 0, formerIds: 0, shared: 0, pending: 0 }
  for (let run = 0; run < 4; run++) {
    const random = new Random(SEED + run)
    const quotesMax = run % 3 === 0 ? 120 : 3_000
    const twins = new ImageTwins(
      () => new Engine({ ...OPTIONS, quotesMax, walkVisitsMax: 15, matcher: new NameMatcher() }, WORLD_START),
    )
    const inputs = new RandomInputs(random)
    let nowAt = WORLD_START
    for (let step = 0; step < 400; step++) {
      const at = `seed ${SEED}, run ${run}, step ${step}`
      nowAt += random.chance(0.98) ? random.int(0, 4_000) : random.int(0, 7 * HOUR_MS)
      twins.apply({ at: nowAt, inputs: Array.from({ length: random.int(0, 5) }, () => inputs.next(nowAt)) }, at)
      if (random.chance(0.03)) twins.restart(at)
      else if (random.chance(0.02)) twins.compare(at)
      const { board, sightings } = twins.whole
      seen.conflicts += sightings.conflicts().length
      seen.shared += board.origins['shared'].size
      seen.pending += sightings.hasPending ? 1 : 0
      for (const record of board.catalogue['records']) {
        seen.swapped += record?.sightings.some(({ swapped }) => swapped) === true ? 1 : 0
        seen.formerIds += record?.formerIds.length ?? 0
      }
    }
    twins.restart(`seed ${SEED}, run ${run}, at the end`)
    nowAt += 30 * HOUR_MS
    while (!twins.apply({ at: nowAt, inputs: [] }, `seed ${SEED}, run ${run}, all aged out`));
    twins.compare(`seed ${SEED}, run ${run}, empty`)
    assert.equal(twins.restarted.board.catalogue.eventCount, 0)
  }
  for (const [what, count] of Object.entries(seen)) {
    assert(count > 0 || what === 'pending', `seed ${SEED}: there was no ${what}`)
  }
})

test('names that were saved by other rules are read anew, and found by the rules of today', () => {
  const sighting = {
    sport: 'football',
    leagueKey: 'epl',
    leagueName: 'EPL',
    home: 'Arsenal',
    away: 'Chelsea',
    kickoffAt: WORLD_START,
    sourceKey: 'a:1',
  } as const
  const saved = new NameMatcher({ rules: 'before' })
  saved.add(1, 'a:1', { ...sighting, home: 'Gone' })
  saved.add(2, 'a:2', { ...sighting, home: 'Burnley' })
  saved.remove(1, 'a:1')
  saved.add(3, 'a:1', sighting)
  for (const rules of ['before', 'today']) {
    const image = new MemoryImage()
    saved.save(image, (key) => Number(key.slice(2)))
    const loaded = new NameMatcher({ rules })
    loaded.load(image.reader(), (number) => ({
      key: `a:${number}`,
      sighting: number === 1 ? sighting : { ...sighting, home: 'Burnley' },
    }))
    assert.deepEqual(
      loaded.match({ ...sighting, home: 'Arsenal FC', sourceKey: 'b:1' }, () => false),
      { kind: 'same', event: 3, level: 'A' },
    )
    assert.equal(loaded.size, 2)
    loaded.remove(3, 'a:1')
    const match = loaded.match({ ...sighting, sourceKey: 'b:1' }, () => false)
    assert.deepEqual(match, { kind: 'alike', events: [2] })
  }
})
