// Names of sides in the form in which they are compared (docs/identity.md 2): words without club suffixes and numbers,
// the marks of a team, and aliases resolved.

import type { Alias } from '../domain/event-identity.ts'
import { ShardedMap } from '../domain/sharded-map.ts'
import { SPORT_NUMBER, SPORTS, type Sport } from '../domain/sport.ts'
import { slugOf } from '../domain/slug.ts'
import { isAbbreviated, isInitialledPerson } from './abbreviations.ts'
import {
  type AliasRow,
  aliasRows,
  type AliasTable,
  type Colleges,
  nationTable,
  shippedTable,
  withAliases,
} from './alias-table.ts'
import { APART } from './aliases.ts'
import { isOfPersons, isSamePair, partnersOf } from './persons.ts'
import { isPlaceholder } from './placeholders.ts'
import { isShortForm, isSimilar, lettersOf, mayBeShortForm, mayBeSimilar } from './similarity.ts'
import { DOUBLES, SIMULATED, TEAM_MARKS, type Word, WordReader } from './words.ts'

// By the sport's number.
const IS_OF_PERSONS = SPORTS.map(isOfPersons)

const BRACKET = /\(\s*(\p{L}{2,4})\s*\)\s*$/u

// No team has more words; each beginning is an entry of the index.
const BEGINNINGS_MAX = 5

// An alias of an alias: an added one may lead to a shipped one.
const ALIAS_STEPS_MAX = 4

/** A parsed name. */
export class Name {
  /** A hash of sport and words. */
  readonly key: number
  /** A second hash of the words. Names of one sport with equal hashes count as the same: 64 bits in all. */
  readonly check: number
  /** The words that are compared, in the order of the name. */
  readonly words: readonly string[]
  /** Which team of the club: bits of {@link TEAM_MARKS}. */
  readonly marks: number
  readonly numbers: readonly number[]
  /** Words that were left out as club words. */
  readonly clubWords: readonly string[]
  /** The text in brackets at the end, mostly a country: `uru`; empty for none. */
  readonly bracket: string
  /** It has neither numbers nor brackets. */
  readonly isBare: boolean
  /** A hash of the beginning of each word: a name and its short form share at least one. */
  readonly beginnings: readonly number[]
  /** A bit for the first letter of each word: a name has all bits of its short forms. */
  readonly initials: number
  /** Set of its letters, see {@link lettersOf}. */
  readonly letters: number
  /** Characters of {@link sorted}. */
  readonly length: number
  /** It only matches itself: it is no short form, and has none. */
  readonly isApart: boolean
  /** It is a person, whose first names may be initials. */
  readonly isPerson: boolean
  /** What it was read with, without an operator's aliases; sports may share a table. */
  readonly sportNumber: number
  readonly table: AliasTable
  /** The words of each of two persons. */
  readonly partners: readonly (readonly string[])[] | undefined
  private sortedWords: string | undefined

  /**
   * @param apartWords the words of a name that only matches itself
   * @param pair the words of each of two persons
   */
  constructor(
    parts: Parts,
    apartWords: readonly Word[] | undefined,
    bracket: string,
    sportNumber: number,
    table: AliasTable,
    pair: readonly (readonly Word[])[] | undefined = undefined,
  ) {
    const words = apartWords ?? parts.words
    const isPerson = IS_OF_PERSONS[sportNumber]!
    const beginnings: number[] = []
    let sum = keyOfSport(sportNumber)
    let check = 0
    let initials = 0
    let length = words.length - 1
    let letters = words.length > 1 ? SPACE : 0
    // A first name belongs to its surname, but either partner may be the first.
    if (pair !== undefined) for (const each of pair) sum = (sum + mixed(keyOf(each))) | 0
    for (const word of words) {
      // Sums do not depend on the order.
      if (pair === undefined) sum = (sum + word.key) | 0
      check = (check + word.check) | 0
      initials |= word.initial
      letters |= word.letters
      length += word.text.length
      // Persons that match share a surname.
      if (isPerson && word.isLetter && words.length > 1) continue
      if (beginnings.length < BEGINNINGS_MAX && !beginnings.includes(word.beginning)) beginnings.push(word.beginning)
    }
    this.isApart = apartWords !== undefined
    this.isPerson = isPerson
    this.partners = pair?.map(textsOf)
    this.sportNumber = sportNumber
    this.table = table.shipped
    this.key = keyOfSum(sum)
    this.check = check
    this.words = textsOf(words)
    this.marks = parts.marks
    this.numbers = parts.numbers
    this.clubWords = textsOf(parts.clubWords)
    this.bracket = bracket
    this.isBare = parts.numbers.length === 0 && bracket === ''
    // A copy of exact length: an array that grew by pushing has seventeen places.
    this.beginnings = this.isApart ? NO_NUMBERS : beginnings.slice()
    this.initials = initials
    this.letters = letters
    this.length = length
  }

  /** The US college that it can be of. */
  get college(): string | undefined {
    return this.partners === undefined ? this.table.colleges?.get(this.words.join('_')) : undefined
  }

  /** The words in alphabetical order: "Zverev Alexander" is "Alexander Zverev". */
  get sorted(): string {
    this.sortedWords ??= this.words.toSorted().join(' ')
    return this.sortedWords
  }
}

const keyOfSport = (sportNumber: number): number => Math.imul(sportNumber + 1, 0x9e37_79b1)

const keyOfSum = (sum: number): number => sum ^ (sum >>> 15)

const keyOf = (words: readonly Word[]): number => words.reduce((sum, { key }) => (sum + key) | 0, 0)

const mixed = (number: number): number => Math.imul(number ^ (number >>> 15), 0x85eb_ca6b)

interface Parts {
  /** Without club words, numbers and marks; with them where there are no other words. */
  readonly words: readonly Word[]
  /** Without marks only. */
  readonly unmarked: readonly Word[]
  readonly marks: number
  readonly numbers: readonly number[]
  readonly clubWords: readonly Word[]
}

// Most names have neither numbers nor club words, and share these.
const NO_NUMBERS: readonly number[] = []
const NO_WORDS: readonly Word[] = []
const NO_TEXTS: readonly string[] = []
const SPACE = lettersOf(' ')

const partsOf = (all: readonly Word[], sport: Sport): Parts => {
  // Most names.
  if (all.every(({ isPlain }) => isPlain)) {
    return { words: all, unmarked: all, marks: 0, numbers: NO_NUMBERS, clubWords: NO_WORDS }
  }
  const ofPerson = isOfPersons(sport)
  const last = all.length - 1
  const unmarked: Word[] = []
  const words: Word[] = []
  let marks = 0
  let numbers = NO_NUMBERS
  let clubWords = NO_WORDS
  for (let place = 0; place <= last; place++) {
    const word = all[place]!
    const mark = place > 0 && place === last ? word.lastMark : word.mark
    if (mark !== 0 && !ofPerson && !(mark === SIMULATED && sport === 'esports')) {
      marks |= mark
      continue
    }
    unmarked.push(word)
    if (word.number !== undefined) numbers = [...numbers, word.number]
    else if (word.isClubWord) clubWords = [...clubWords, word]
    else words.push(word)
  }
  if (words.length > 0) return { words, unmarked, marks, numbers, clubWords }
  if (clubWords.length > 0) return { words: clubWords, unmarked, marks, numbers, clubWords }
  // Nothing but marks and numbers ("B 93"): then that is the name.
  return { words: all, unmarked: all, marks: 0, numbers, clubWords }
}

const textsOf = (words: readonly Word[]): readonly string[] =>
  words.length === 0 ? NO_TEXTS : words.map(({ text }) => text)

const slugOfWords = (words: readonly Word[]): string => (words.length === 1 ? words[0]!.text : textsOf(words).join('_'))

/** How two names match: `initialled` is a person by surname and initials, which is stronger than `compatible`. */
export type Relation = 'exact' | 'initialled' | 'compatible' | 'unlike'

/** Whether both have numbers, each some that the other lacks: "Home 17", "Home 18", but "Mainz 05", "1. FSV Mainz 05". */
const areContrary = (a: readonly number[], b: readonly number[]): boolean => {
  if (a.length === 0 || b.length === 0) return false
  return !a.every((number) => b.includes(number)) && !b.every((number) => a.includes(number))
}

/** Whether two names of one sport have the same words, in any order. */
const isSame = (a: Name, b: Name): boolean => a.key === b.key && a.check === b.check

/** "Washington" is short for "Washington Huskies", but "Washington St Cougars" are others. */
const areOtherColleges = ({ college }: Name, b: Name): boolean =>
  college !== undefined && b.college !== undefined && college !== b.college

/** Behind the whole name of a club they name another of its teams, but may be a part of a club's name. */
const OF_OTHER_TEAMS = new Set('dev development junior juniors jr jrs xi dam fr legends atletico academy'.split(' '))

/** "Arsenal A" and "Arsenal Juniors" are not "Arsenal"; "Boca" is "Boca Juniors" by an alias. */
const isOtherTeamOf = (long: Name, { words }: Name): boolean => {
  const last = long.words.at(-1)!
  return (
    long.words.length === words.length + 1 &&
    (last.length === 1 || OF_OTHER_TEAMS.has(last)) &&
    words.every((word, place) => word === long.words[place])
  )
}

/** Compares two names of one sport, without the team marks. Symmetric. */
export const relationOf = (a: Name, b: Name): Relation => {
  if (areContrary(a.numbers, b.numbers)) return 'unlike'
  if (a.bracket !== b.bracket && a.bracket !== '' && b.bracket !== '') return 'unlike'
  if (isSame(a, b)) return 'exact'
  if (a.isApart || b.isApart || areOtherColleges(a, b)) return 'unlike'
  const mayBeShort = mayBeShortForm(a.initials, b.initials)
  if (a.partners !== undefined || b.partners !== undefined) {
    const areOne = a.partners !== undefined && b.partners !== undefined && isSamePair(a.partners, b.partners)
    return areOne ? 'initialled' : 'unlike'
  }
  if (a.isPerson && mayBeShort && (isInitialledPerson(a.words, b.words) || isInitialledPerson(b.words, a.words))) {
    return 'initialled'
  }
  if (!a.isPerson && (isOtherTeamOf(a, b) || isOtherTeamOf(b, a))) return 'unlike'
  const isShort =
    mayBeShort &&
    (isShortForm(a.words, b.words) || isAbbreviated(a.words, b.words) || isAbbreviated(b.words, a.words)) &&
    !isWholeCityClub(a, b) &&
    !isWholeCityClub(b, a)
  return isShort || (mayBeSimilar(a.letters, a.length, b.letters, b.length) && isSimilar(a.sorted, b.sorted))
    ? 'compatible'
    : 'unlike'
}

/** "FC Zurich" is the whole name of a club, not the short one of "Grasshopper Zurich". */
const isWholeCityClub = (short: Name, long: Name): boolean =>
  short.words.length === 1 && long.words.length > 1 && short.clubWords.some((word) => !long.clubWords.includes(word))

/** What can be told of names by the words that they can have. */
export interface Traces {
  /** Their keys, those of pairs of persons left out. */
  readonly keys: ReadonlySet<number>
  /** Sums of the keys of the words, in any order. */
  readonly sums: ReadonlySet<number>
  /** Sets of letters: a name has all of one. */
  readonly letters: ReadonlySet<number>
}

/** Words of a name that may be omitted, at most: each doubles what can be left. */
const OMITTED_MAX = 6

/** Words that are no part of some names; a last one may be a code in brackets. */
const mayBeOmitted = ({ lastMark, isClubWord, number }: Word, isLast: boolean): boolean =>
  isLast || lastMark !== 0 || isClubWord || number !== undefined

/** All that can be left of words; undefined: too many may be omitted. */
const remaindersOf = (words: readonly Word[]): readonly (readonly Word[])[] | undefined => {
  let all: (readonly Word[])[] = [[]]
  let omitted = 0
  for (const [place, word] of words.entries()) {
    const longer = all.map((each) => [...each, word])
    const isOmitted = mayBeOmitted(word, place === words.length - 1)
    if (isOmitted && ++omitted > OMITTED_MAX) return undefined
    all = isOmitted ? [...all, ...longer] : longer
  }
  return all.filter(({ length }) => length > 0)
}

/** Names that are kept, and the letters of each at most: 4 MB of texts. */
export const NAMES_MAX = 65_536
const LETTERS_MAX = 64

const COLLEGES: readonly Colleges[] = ['some', 'all', 'none']

/** Parses names. */
export class NameReader {
  /** Names that were read last, by spelling: of two sports or kinds of leagues the later. */
  private readonly names = new ShardedMap<string, Name>()
  /** By the sport's number, once it is needed. */
  private readonly tables: Readonly<Record<Colleges, (AliasTable | undefined)[]>> = { some: [], all: [], none: [] }
  private readonly extra: readonly AliasRow[]
  private readonly shipped: boolean
  private readonly words = new WordReader()

  /**
   * @param extra takes precedence over the shipped table
   * @param shipped false omits the shipped table (to measure its effect)
   */
  constructor(extra: readonly Alias[] = [], shipped = true) {
    this.extra = aliasRows(extra)
    this.shipped = shipped
  }

  /** Names that are kept. */
  get kept(): number {
    return this.names.size
  }

  /**
   * A side's name; undefined where it is none: no Latin letter or digit, or a placeholder. All matches of a team share one: it has some
   * 300 octets, and each new match is read twice.
   * @param colleges `all` in a league of US colleges, where "Houston" is no professional team; `none` in one of those
   */
  nameOf(spelling: string, sport: Sport, colleges: Colleges = 'some'): Name | undefined {
    const sportNumber = SPORT_NUMBER.get(sport)!
    const table = this.tableOf(sport, sportNumber, colleges)
    const known = this.names.get(spelling)
    if (known?.sportNumber === sportNumber && known.table === table.shipped) return known
    const name = this.read(spelling, sport, table)
    if (name !== undefined && spelling.length <= LETTERS_MAX) {
      if (this.names.size >= NAMES_MAX) this.names.clear()
      this.names.set(spelling, name)
    }
    return name
  }

  /**
   * What can be told of the names that this reader looks up by one of some slugs, at once or as what another name means; other names may
   * have the same. A name looks up its words, without what may be omitted; it consists of them, or of the words of what they mean,
   * without the same. What another name means ends with a slug, or further on.
   * @returns undefined: they are too many to be told
   */
  tracesOf(slugs: ReadonlySet<string>, sport: Sport): Traces | undefined {
    const traces = { keys: new Set<number>(), sums: new Set<number>(), letters: new Set<number>() }
    const sportNumber = SPORT_NUMBER.get(sport)!
    const tables = new Set(COLLEGES.map((colleges) => this.tableOf(sport, sportNumber, colleges)))
    for (const slug of slugs) {
      const lookups = this.remaindersOf(slug.split('_').map((text) => this.words.word(text)))
      if (lookups === undefined) return undefined
      const names = [...lookups]
      for (const lookup of lookups) {
        for (const table of tables) {
          for (const meaning of this.meaningsOf(lookup, table)) {
            const remainders = this.remaindersOf(this.words.wordsOf(meaning))
            if (remainders === undefined) return undefined
            names.push(...remainders)
          }
        }
      }
      for (const words of names) {
        traces.sums.add(keyOf(words))
        traces.keys.add(keyOfSum((keyOfSport(sportNumber) + keyOf(words)) | 0))
        traces.letters.add(words.reduce((all, word) => all | word.letters, 0))
      }
    }
    return traces
  }

  /** Whether one of a pair of persons has such words. */
  hasPartnerOf({ partners }: Name, sums: ReadonlySet<number>): boolean {
    return partners?.some((texts) => sums.has(keyOf(texts.map((text) => this.words.word(text))))) === true
  }

  /**
   * All that can be left of words, "U 21" as one word or as two, and without a code in brackets that is joined to the letter before it;
   * undefined: too many may be omitted.
   */
  private remaindersOf(words: readonly Word[]): readonly (readonly Word[])[] | undefined {
    const withAges = this.words.withAges(words)
    const last = words.at(-1)!.text
    const beforeCode = last.length > 1 ? [...words.slice(0, -1), this.words.word(last.slice(0, -1))] : words
    const all = Array.from(new Set([words, withAges, beforeCode]), remaindersOf)
    return all.some((each) => each === undefined) ? undefined : all.flatMap((each) => each!)
  }

  private read(spelling: string, sport: Sport, table: AliasTable): Name | undefined {
    const sportNumber = SPORT_NUMBER.get(sport)!
    const partners = IS_OF_PERSONS[sportNumber]! ? partnersOf(spelling) : undefined
    if (partners !== undefined) return this.pairOf(partners, sport, table)
    let all = this.words.wordsOf(spelling)
    if (all.length === 0 || (all[0]!.opensPlaceholder && isPlaceholder(spelling))) return undefined
    let whole = this.meaningOf(all, table)
    let bracket = ''
    const inBrackets = whole === undefined && spelling.includes('(') ? BRACKET.exec(spelling) : null
    if (inBrackets !== null) {
      const before = this.words.wordsOf(spelling.slice(0, inBrackets.index))
      const code = slugOf(inBrackets[1]!)
      // "(Res)", "(Fem)" and "(Am)" are team marks.
      if (before.length > 0 && code !== '' && code !== 'am' && !TEAM_MARKS.has(code)) {
        all = before
        bracket = code
        whole = this.meaningOf(all, table)
      }
    }
    let parts = this.partsOf(whole ?? all, sport)
    let apartWords = apartWordsOf(parts, sport)
    if (whole === undefined && apartWords === undefined) {
      // An alias of the club holds for its marked teams, too, and for its name without suffixes.
      const { words, unmarked, marks } = parts
      const meaning = this.meaningOf(unmarked, table) ?? this.meaningOf(words, table)
      if (meaning !== undefined) {
        parts = this.partsOf(meaning, sport)
        parts = { ...parts, marks: parts.marks | marks }
        apartWords = apartWordsOf(parts, sport)
      }
    }
    return new Name(parts, apartWords, bracket, sportNumber, table)
  }

  private pairOf(partners: readonly [string, string], sport: Sport, table: AliasTable): Name | undefined {
    const pair = partners.map((each) => {
      const all = this.words.wordsOf(each)
      return all.length === 0 ? all : this.partsOf(this.meaningOf(all, table) ?? all, sport).words
    })
    const words = pair.flat()
    if (pair.some(({ length }) => length === 0)) return undefined
    const parts = { words, unmarked: words, marks: DOUBLES, numbers: NO_NUMBERS, clubWords: NO_WORDS }
    return new Name(parts, undefined, '', SPORT_NUMBER.get(sport)!, table, pair)
  }

  private tableOf(sport: Sport, sportNumber: number, colleges: Colleges): AliasTable {
    return (this.tables[colleges][sportNumber] ??= this.madeTable(sport, colleges))
  }

  private madeTable(sport: Sport, colleges: Colleges): AliasTable {
    const table = this.shipped ? shippedTable(sport, colleges) : nationTable(sport)
    const added = this.extra.filter((alias) => alias.sport === null || alias.sport === sport)
    return added.length === 0 ? table : withAliases(table, added)
  }

  private partsOf(words: readonly Word[], sport: Sport): Parts {
    return partsOf(this.words.withAges(words), sport)
  }

  /** Words of the target of an alias; undefined where the name is no alias. */
  private meaningOf(words: readonly Word[], table: AliasTable): Word[] | undefined {
    const meaning = this.meaningsOf(words, table).at(-1)
    return meaning === undefined ? undefined : this.words.wordsOf(meaning)
  }

  /** What a name means, and what that means, and so on; the last one counts. */
  private meaningsOf(words: readonly Word[], table: AliasTable): readonly string[] {
    if (!table.opens(words[0]!)) return NO_TEXTS
    const meanings: string[] = []
    let meaning = table.get(slugOfWords(words))
    while (meaning !== undefined && meanings.push(meaning) < ALIAS_STEPS_MAX) meaning = table.get(meaning)
    return meanings
  }
}

/** Per sport; a name of several words without its club words, which it may have or not. */
const APART_NAMES: ReadonlyMap<Sport, ReadonlySet<string>> = new Map(
  Array.from(APART, ([sport, slugs]) => {
    const reader = new WordReader()
    const names = Array.from(slugs, (slug) => {
      const { words, unmarked } = partsOf(reader.withAges(reader.wordsOf(slug)), sport)
      return slugOfWords(words.length > 1 ? words : unmarked)
    })
    return [sport, new Set(names)]
  }),
)

/** Words of a name that only matches itself, else undefined: "Paris FC" with its club word does, "Paris" does not. */
const apartWordsOf = ({ words, unmarked }: Parts, sport: Sport): readonly Word[] | undefined => {
  if (!words.every(({ isOfApart }) => isOfApart)) return undefined
  const names = APART_NAMES.get(sport)
  if (names === undefined) return undefined
  if (names.has(slugOfWords(words))) return words
  return names.has(slugOfWords(unmarked)) ? unmarked : undefined
}
