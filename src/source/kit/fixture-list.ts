// A fixture list: names and kickoffs of events for sources whose payloads have ids only (UOF, TxLINE, Betfair as
// streamed), and names of Betfair runners: a selection id has the same name in all markets.

import type { Fixture } from '../../domain/observation.ts'
import { isRecord } from '../../domain/record.ts'
import { isRefusal } from '../../domain/refusal.ts'
import type { NormaliserLimits, SourceFacts } from './normaliser.ts'
import { readEvent } from '../observations/observations.ts'
import { parseJson } from './json.ts'
import { isCleanText, shown } from './text.ts'

/** Why a fixture list cannot be read: the place in it and what is wrong there. */
export interface FixtureFault {
  readonly field: string
  readonly message: string
}

export interface FixtureList {
  /** By the source's own id of the event. */
  readonly fixtures: ReadonlyMap<string, Fixture>
  /** By selection id. */
  readonly runners: ReadonlyMap<number, string>
}

export const isFixtureFault = (list: FixtureList | FixtureFault): list is FixtureFault => 'message' in list

/** The facts that a fixture list gives a normaliser. */
export const factsOf = ({ fixtures, runners }: FixtureList): Pick<SourceFacts, 'fixtureOf' | 'runnerNameOf'> => ({
  fixtureOf: (sourceEventId) => fixtures.get(sourceEventId),
  runnerNameOf: (selectionId) => runners.get(selectionId),
})

const readRunners = (value: unknown, limits: NormaliserLimits): ReadonlyMap<number, string> | FixtureFault => {
  if (!isRecord(value)) return { field: 'runners', message: 'must be an object of names by selection id' }
  const runners = new Map<number, string>()
  for (const [id, name] of Object.entries(value)) {
    const field = `runners.${id.length > 20 ? shown(id) : id}`
    if (!/^[1-9]\d{0,14}$/.test(id)) return { field, message: 'must be a selection id' }
    if (typeof name !== 'string' || name.trim() === '' || !isCleanText(name, limits.textLengthMax)) {
      return {
        field,
        message: `must be a name of at most ${limits.textLengthMax} characters, none a control character`,
      }
    }
    runners.set(Number(id), name)
  }
  return runners
}

/**
 * Reads a fixture list: `{"fixtures":[{"id", "sport", "league": {"key", "name"}, "home", "away", "kickoffAt"}]}`, and
 * where runners need names, too, `"runners":{"SELECTION_ID":"NAME"}`. `id` is the source's own id of the event, the
 * rest as in an observation (docs/live-protocol.md 7). One fault refuses the whole list.
 */
export const parseFixtures = (text: string, limits: NormaliserLimits): FixtureList | FixtureFault => {
  const json = parseJson(text)
  if ('fault' in json) return { field: 'file', message: json.fault }
  const { value: file } = json
  if (!isRecord(file) || !Array.isArray(file.fixtures)) return { field: 'fixtures', message: 'must be an array' }
  const runners = readRunners(file.runners ?? {}, limits)
  if ('message' in runners) return runners
  const fixtures = new Map<string, Fixture>()
  for (const [index, entry] of file.fixtures.entries()) {
    const place = `fixtures[${index}]`
    if (!isRecord(entry)) return { field: place, message: 'must be an object' }
    const { id, ...event } = entry
    if (typeof id !== 'string' || id === '') return { field: `${place}.id`, message: 'must be a text' }
    if (fixtures.has(id)) return { field: `${place}.id`, message: `repeats ${shown(id)}` }
    const sighting = readEvent(event, place, limits)
    if (isRefusal(sighting)) {
      const { field = 'event', message } = sighting
      return { field: field.replace(/^event/, place), message: message.slice(field.length + 1) }
    }
    const { sourceKey: _, ...fixture } = sighting
    fixtures.set(id, fixture)
  }
  return { fixtures, runners }
}
