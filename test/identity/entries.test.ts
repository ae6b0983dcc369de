import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventSighting } from '../../src/domain/observation.ts'
import { Entries, type Entry } from '../../src/identity/entries.ts'
import { Random, SEED } from '../random.ts'
import { spellingsOf } from './spellings.ts'

const sightingOf = (home: string): EventSighting => ({
  sport: 'football',
  leagueKey: 'epl',
  leagueName: 'EPL',
  home,
  away: 'Away',
  kickoffAt: home.length,
  sourceKey: null,
})

test('entries that are loaded equal a map, whichever of them are asked for, replaced and removed', () => {
  const random = new Random(SEED)
  for (let run = 0; run < 200; run++) {
    const at = `seed ${SEED}, run ${run}`
    const twin = new Map<number, readonly Entry[]>()
    const [keys, sightings, rows] = [[] as string[], [] as EventSighting[], [] as number[]]
    const newEntry = (outline: number | undefined, keyCount: number): Entry => {
      const sighting = sightingOf(`Home ${keys.length}`)
      const own = Array.from({ length: keyCount }, () => {
        sightings.push(sighting)
        return `key:${keys.push('')}`
      })
      for (const [place, key] of own.entries()) keys[keys.length - own.length + place] = key
      return { sighting, keys: own, outline }
    }
    for (let event = random.int(1, 4); event < 60; event += random.int(1, 4)) {
      const entries = Array.from({ length: random.int(1, 3) }, () =>
        newEntry(random.chance(0.2) ? undefined : random.int(0, 500), random.int(1, 3)),
      )
      twin.set(event, entries)
      rows.push(event, entries.length)
      for (const { outline, keys: own } of entries) {
        rows.push(outline === undefined ? 0 : outline + 1, own.length, ...own.map((key) => keys.indexOf(key)))
      }
    }
    const entries = new Entries()
    entries.load(Uint32Array.from(rows), spellingsOf([...keys], [...sightings]))
    for (let step = 0; step < 80; step++) {
      assert.equal(entries.size, twin.size, at)
      assert.deepEqual(
        [...entries.events()],
        [...twin.keys()].toSorted((a, b) => a - b),
        at,
      )
      const event = random.int(1, 64)
      const expected = twin.get(event)
      if (random.chance(0.3) && expected !== undefined) assert.deepEqual(entries.peek(event), expected, at)
      if (random.chance(0.4)) {
        assert.deepEqual(entries.get(event), expected, at)
        assert.equal(entries.get(event), entries.get(event), `${at}: it is read once`)
      }
      if (random.chance(0.2)) {
        const next = [newEntry(1, 1)]
        entries.set(event, next)
        twin.set(event, next)
      } else if (random.chance(0.3)) {
        entries.delete(event)
        twin.delete(event)
      }
    }
    for (const event of entries.events()) entries.get(event)
    assert.equal(entries['rest'], undefined, `${at}: what was loaded is kept when nothing is left of it`)
  }
})
