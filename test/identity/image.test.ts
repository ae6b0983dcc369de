import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadTexts, saveTexts } from '../../src/domain/image-columns.ts'
import { Engine } from '../../src/engine/engine.ts'
import { NameMatcher } from '../../src/identity/matcher.ts'
import { pack, unpack } from '../../src/log/part-format.ts'
import { type Carry, ImageTwins } from '../image-twins.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'
import { RandomInputs } from '../random-inputs.ts'
import { WORLD_START } from '../random-observations.ts'
import { spellingsOf } from './spellings.ts'

const HOUR_MS = 3_600_000
/** Of the rows of events: their fields, and the place of the identity (record-image.ts). */
const RECORD_WIDTH = 13
const IDENTITY = 6
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

/** As earlier versions have saved it: with the identity of each event, and without tables that lead to events. */
const savedBefore =
  (engine: () => Engine): Carry =>
  (save, load) => {
    const image = new MemoryImage()
    save(image)
    const records = engine().board.catalogue['records'].filter((record) => record !== undefined)
    const contentOf = <T>(name: string): T => image.parts.find((part) => part.name === name)!.content as T
    const texts = new MemoryImage()
    texts.parts.push(...image.parts.filter(({ name }) => name.startsWith('events texts')))
    const withoutIdentities = loadTexts(texts.read(), 'events texts')
    const allTexts = new MemoryImage()
    saveTexts(allTexts, 'events texts', [...withoutIdentities, ...records.map(({ identity }) => identity)])
    const rows = contentOf<Uint32Array>('events rows').slice()
    for (const place of records.keys()) rows[place * RECORD_WIDTH + IDENTITY] = withoutIdentities.length + place
    const before = new Map<string, unknown>([
      ['catalogue', (unpack(contentOf<Buffer>('catalogue')) as number[]).slice(0, 5)],
      ['sightings', { ...(unpack(contentOf<Buffer>('sightings')) as object), hasKeys: undefined }],
      ['events rows', rows],
      ...allTexts.parts.map(({ name, content }) => [name, content] as const),
    ])
    const others = image.parts.filter(({ name }) => !/^(?:events by (?:id|identity)|source keys) /.test(name))
    const parts = others.map((part) => {
      const content = before.get(part.name) ?? part.content
      return {
        ...part,
        content: part.kind === 'value' && before.has(part.name) ? pack(content) : content,
      } as typeof part
    })
    const old = new MemoryImage()
    old.parts.push(...parts)
    old.read()
    load(old)
    old.checkRead()
  }

test('an image of before, without tables that lead to events, is loaded as it was', () => {
  const random = new Random(SEED)
  const twins = new ImageTwins(
    () => new Engine({ ...OPTIONS, quotesMax: 3_000, matcher: new NameMatcher() }, WORLD_START),
  )
  const inputs = new RandomInputs(random)
  let nowAt = WORLD_START
  let own = 0
  for (let step = 0; step < 400; step++) {
    const at = `seed ${SEED}, step ${step}`
    nowAt += random.int(0, 4_000)
    twins.apply({ at: nowAt, inputs: Array.from({ length: random.int(0, 5) }, () => inputs.next(nowAt)) }, at)
    if (random.chance(0.05))
      twins.restart(
        at,
        savedBefore(() => twins.restarted),
      )
    for (const record of twins.whole.board.catalogue['records']) own += record?.ownIdentity === undefined ? 0 : 1
  }
  assert(own > 0, `seed ${SEED}: no event has an identity of its own`)
})

/** As versions before checkpoint format 5 have saved it. */
const earlierImage = ({ parts }: MemoryImage, rules: string): MemoryImage => {
  const image = new MemoryImage()
  image.value('aliases', { rules, aliases: [] })
  for (const { name, content } of parts) {
    if (['outlines', 'outlines free', 'matcher'].includes(name)) image.column(name, content as Uint32Array)
  }
  for (const name of ['by name', 'by beginnings']) {
    image.column(`${name} keys`, Int32Array.of(7))
    image.column(`${name} lengths`, Uint32Array.of(1))
    image.column(`${name} values`, Uint32Array.of(0))
  }
  return image
}

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
  for (const [rules, isByEarlier] of [
    ['before', false],
    ['today', false],
    ['before', true],
    ['today', true],
  ] as const) {
    const image = new MemoryImage()
    saved.save(image, (key) => Number(key.slice(2)))
    const loaded = new NameMatcher({ rules })
    const sightings = [sighting, sighting, { ...sighting, home: 'Burnley' }]
    const reader = isByEarlier ? earlierImage(image, 'before').read() : image.reader()
    loaded.load(reader, spellingsOf(['a:0', 'a:1', 'a:2'], sightings))
    reader.checkRead()
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
