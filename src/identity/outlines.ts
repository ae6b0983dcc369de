// Outlines of the sightings of events, in one array of integers: nearly every comparison of a lookup is decided by it
// alone. The objects of names are spread over the memory, and loading them is the main cost.

import { readColumn } from '../domain/image-columns.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { memoryOf } from '../domain/memory.ts'
import { SparseList } from '../domain/sparse-list.ts'
import { isKnownCompetition, type LeagueRelation, leagueRelation } from './leagues.ts'
import { type Name, type Relation, relationOf } from './names.ts'
import {
  type Appearance,
  isAnyLeague,
  isRepeatedSport,
  NEAR_MS,
  SIMULATED_WINDOW_MS,
  type Verdict,
  verdictOf,
} from './rule.ts'
import { mayBeShortForm, mayBeSimilar } from './similarity.ts'
import { DOUBLES, doMarksAgree, SEVENS, SIMULATED, THREES } from './words.ts'

/** The names of a match. */
export type Sides = Pick<Appearance, 'home' | 'away'>

/** Whether two names cannot be of one side. Of persons a name that is merely similar is another one. */
const isContrary = (relation: Relation, { isPerson }: Name): boolean =>
  relation === 'unlike' || (isPerson && relation === 'compatible')

/** Whether the names of two matches are not of one. */
export const areContrary = (a: Sides, b: Sides): boolean =>
  isContrary(relationOf(a.home, b.home), a.home) || isContrary(relationOf(a.away, b.away), a.away)

// The fields of an outline: the event, the league, its country, then those of the home side, then of the away side.
const EVENT = 0
const LEAGUE = 1
const COUNTRY = 2
const HOME = 3
const KEY = 0
const CHECK = 1
const MARKS = 2
const INITIALS = 3
const LETTERS = 4
const LENGTH = 5
const IS_BARE = 6
const AWAY = HOME + 7
const PLACES = AWAY + 7

/** Of tournaments of a day or two. */
const SHORT_GAMES = SEVENS | THREES

const placesFor = (outlines: number): Int32Array => new Int32Array(memoryOf(4 * outlines * PLACES))
const kickoffsFor = (outlines: number): Float64Array => new Float64Array(memoryOf(8 * outlines))

/** Outlines by number. */
export class Outlines {
  private count = 0
  /** Numbers that are not in use. */
  private readonly free: number[] = []
  private places: Int32Array
  /** Of each when it kicks off, epoch ms; another array once it is full. */
  kickoffs: Float64Array
  /** Names of the home and the away side of each; undefined: not in use, or not read since {@link load}. */
  private readonly names = new SparseList<Name>()
  private readonly readName: (outline: number, isAway: boolean) => Name

  /**
   * @param expected outlines that have memory, a page of which the system gives when it is first written: with more of
   *   them all is copied, and doubled
   * @param readName reads the name of a side of an outline that was loaded
   */
  constructor(expected: number, readName: (outline: number, isAway: boolean) => Name) {
    this.places = placesFor(Math.max(64, expected))
    this.kickoffs = kickoffsFor(Math.max(64, expected))
    this.readName = readName
  }

  /** @returns its number, until it is removed */
  add(event: number, { league, country, home, away, homeMarks, awayMarks, kickoffAt }: Appearance): number {
    const number = this.free.pop() ?? this.count++
    const start = number * PLACES
    if (start === this.places.length) {
      const [places, kickoffs] = [placesFor(2 * number), kickoffsFor(2 * number)]
      places.set(this.places)
      kickoffs.set(this.kickoffs)
      Object.assign(this, { places, kickoffs })
    }
    this.kickoffs[number] = kickoffAt
    this.places[start + EVENT] = event
    this.places[start + LEAGUE] = league
    this.places[start + COUNTRY] = country
    this.write(start + HOME, home, homeMarks)
    this.write(start + AWAY, away, awayMarks)
    this.names.set(2 * number, home)
    this.names.set(2 * number + 1, away)
    return number
  }

  remove(number: number): void {
    this.names.set(2 * number, undefined)
    this.names.set(2 * number + 1, undefined)
    this.free.push(number)
  }

  clear(): void {
    this.count = 0
    this.free.length = 0
    this.names.clear()
  }

  /** All outlines have numbers below this. */
  get end(): number {
    return this.count
  }

  eventOf(number: number): number {
    return this.places[number * PLACES + EVENT]!
  }

  /** Of pairs of persons with all letters of one of some sets on a side; some may not be in use. */
  pairsWith(letters: ReadonlySet<number>): number[] {
    const { places } = this
    const numbers: number[] = []
    for (let number = 0; number < this.count; number++) {
      const start = number * PLACES
      if (((places[start + HOME + MARKS]! | places[start + AWAY + MARKS]!) & DOUBLES) === 0) continue
      const [home, away] = [places[start + HOME + LETTERS]!, places[start + AWAY + LETTERS]!]
      for (const set of letters) {
        if ((home & set) !== set && (away & set) !== set) continue
        numbers.push(number)
        break
      }
    }
    return numbers
  }

  homeOf(number: number): Name {
    return this.nameAt(2 * number)
  }

  awayOf(number: number): Name {
    return this.nameAt(2 * number + 1)
  }

  private nameAt(place: number): Name {
    const known = this.names.get(place)
    if (known !== undefined) return known
    const name = this.readName(place >>> 1, (place & 1) === 1)
    this.names.set(place, name)
    return name
  }

  /** Without the names: they are read when one is needed. Most are not, because few comparisons need them. */
  save(image: ImageWriter): void {
    image.column('outlines', this.places.subarray(0, this.count * PLACES))
    // The last one is used first.
    image.column('outlines free', Uint32Array.from(this.free))
    image.derived('outlines kickoffs', this.kickoffs.subarray(0, this.count))
  }

  load(image: ImageReader): void {
    const length = image.lengthOf('outlines')
    this.count = length / PLACES
    // As after so many additions: it is doubled when it is full.
    let capacity = this.places.length / PLACES
    while (capacity < this.count) capacity *= 2
    if (capacity * PLACES > this.places.length) {
      this.places = placesFor(capacity)
      this.kickoffs = kickoffsFor(capacity)
    }
    image.fill('outlines', this.places)
    for (const number of readColumn(image, 'outlines free', Uint32Array)) this.free.push(number)
    image.derived('outlines kickoffs', this.kickoffs.subarray(0, this.count))
  }

  /**
   * Passes over what was saved.
   * @param isBefore by an earlier version
   */
  static skip(image: ImageReader, isBefore: boolean): void {
    readColumn(image, 'outlines', Int32Array)
    readColumn(image, 'outlines free', Uint32Array)
    if (!isBefore) image.derived('outlines kickoffs', new Float64Array(0))
  }

  /** Whether a side has the key of a name. */
  hasSide(number: number, { key }: Name): boolean {
    const start = number * PLACES
    return this.places[start + HOME + KEY] === key || this.places[start + AWAY + KEY] === key
  }

  /** Whether a side has the key of the other side of a sighting. */
  isCrossed(number: number, { home, away }: Appearance): boolean {
    const start = number * PLACES
    return this.places[start + HOME + KEY] === away.key || this.places[start + AWAY + KEY] === home.key
  }

  /** Whether its teams can be those of a sighting: another team of the club is another side, whatever the opponent. */
  agrees(number: number, { home, homeMarks, awayMarks }: Appearance, isSwapped = false): boolean {
    const start = number * PLACES
    return (
      doMarksAgree(this.places[start + HOME + MARKS]!, isSwapped ? awayMarks : homeMarks, home.isPerson) &&
      doMarksAgree(this.places[start + AWAY + MARKS]!, isSwapped ? homeMarks : awayMarks, home.isPerson)
    )
  }

  /**
   * Compares it with a sighting of its sport.
   * @param isSwapped compares its home side with the away side of the other, see {@link verdictOf}
   */
  verdictOf(number: number, seen: Appearance, distanceMs: number, isSwapped: boolean): Verdict {
    const { places } = this
    const start = number * PLACES
    if (!this.agrees(number, seen, isSwapped)) return undefined
    const first = isSwapped ? seen.away : seen.home
    const second = isSwapped ? seen.home : seen.away
    const home = this.relationOf(start + HOME, 2 * number, first)
    // Only an exact away side is left, which most do not have.
    if (home === 'unlike' && places[start + AWAY + KEY] !== second.key) return undefined
    const away = this.relationOf(start + AWAY, 2 * number + 1, second)
    const marks = seen.homeMarks | seen.awayMarks
    if ((marks & SIMULATED) !== 0) {
      // The same teams play all day, each game with other players, whose names are in brackets.
      if (distanceMs > SIMULATED_WINDOW_MS) return undefined
      const areSame = this.homeOf(number).bracket === first.bracket && this.awayOf(number).bracket === second.bracket
      if (!areSame || home !== 'exact' || away !== 'exact') return isSwapped ? undefined : 'alike'
    }
    const leagues = this.leaguesOf(number, seen)
    // Most are near, or not exact: then their names are not loaded.
    const isRepeated =
      home === 'exact' &&
      away === 'exact' &&
      distanceMs > NEAR_MS &&
      (isRepeatedSport(seen.sportNumber) || (marks & SHORT_GAMES) !== 0 || this.mayBeEither(number, seen, leagues))
    return verdictOf(seen.sportNumber, distanceMs, home, away, leagues, isSwapped, isRepeated)
  }

  /** Whether the women and the men of two colleges, who play on one day, are left open by the league of either. */
  private mayBeEither(number: number, { home, away, country }: Appearance, leagues: LeagueRelation): boolean {
    const theirs = this.places[number * PLACES + COUNTRY]!
    if (leagues === 'same' && isKnownCompetition(country) && isKnownCompetition(theirs)) return false
    return [home, away, this.homeOf(number), this.awayOf(number)].some(({ college }) => college !== undefined)
  }

  /** Whether it is of other teams or of another competition than a sighting of its sport, whatever the names. */
  isOtherMatch(number: number, seen: Appearance): boolean {
    return !this.agrees(number, seen) || (!isAnyLeague(seen.sportNumber) && this.leaguesOf(number, seen) === 'other')
  }

  sidesOf(number: number): Sides {
    return { home: this.homeOf(number), away: this.awayOf(number) }
  }

  /** Whether its names are not those of a sighting. */
  areNamesContrary(number: number, { home, away }: Sides): boolean {
    const start = number * PLACES
    return (
      isContrary(this.relationOf(start + HOME, 2 * number, home), home) ||
      isContrary(this.relationOf(start + AWAY, 2 * number + 1, away), away)
    )
  }

  /** Whether a side is not that of a sighting, though it is that of a match that the sighting is alike. */
  isContraryTo(number: number, { home, away }: Sides, link: Sides): boolean {
    const start = number * PLACES
    const isSideContrary = (side: number, place: number, name: Name, linked: Name): boolean =>
      isContrary(this.relationOf(side, place, name), name) && !isContrary(this.relationOf(side, place, linked), name)
    return (
      isSideContrary(start + HOME, 2 * number, home, link.home) ||
      isSideContrary(start + AWAY, 2 * number + 1, away, link.away)
    )
  }

  private leaguesOf(number: number, { league, country }: Appearance): LeagueRelation {
    const start = number * PLACES
    return leagueRelation(this.places[start + LEAGUE]!, this.places[start + COUNTRY]!, league, country)
  }

  private relationOf(side: number, place: number, name: Name): Relation {
    const { places } = this
    const isExact = places[side + KEY] === name.key && places[side + CHECK] === name.check
    if (isExact && (places[side + IS_BARE] === 1 || name.isBare)) return 'exact'
    const mayBeCompatible =
      isExact ||
      mayBeShortForm(places[side + INITIALS]!, name.initials) ||
      mayBeSimilar(places[side + LETTERS]!, places[side + LENGTH]!, name.letters, name.length)
    return mayBeCompatible ? relationOf(this.nameAt(place), name) : 'unlike'
  }

  private write(side: number, name: Name, marks: number): void {
    this.places[side + KEY] = name.key
    this.places[side + CHECK] = name.check
    this.places[side + MARKS] = marks
    this.places[side + INITIALS] = name.initials
    this.places[side + LETTERS] = name.letters
    this.places[side + LENGTH] = name.length
    this.places[side + IS_BARE] = name.isBare ? 1 : 0
  }
}
