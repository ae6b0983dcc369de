// Names of sides as they are compared (FEEDS 13): words without clubs' suffixes and numbers, the team they mark, and
// what the alias table makes of them.

import type { Alias } from '../../domain/event-identity.ts'
import { SPORT_NUMBER, SPORTS, type Sport } from '../../domain/sport.ts'
import { slugOf } from '../slug.ts'
import { ALIASES, APART, WORDS } from './aliases.ts'
import { Recent } from './recent.ts'
import { beginningOf, isShortForm, isSimilar, lettersOf } from './similarity.ts'

/** A name, taken apart. */
export interface Name {
  /** A number for sport and words: the same for names that are the same, and by chance for hardly any others. */
  readonly key: number
  /** What is compared of it, in the order of the name. */
  readonly words: readonly string[]
  /** The same in alphabetical order: "Zverev Alexander" is "Alexander Zverev". */
  readonly sorted: string
  /** Which team of the club: bits of {@link TEAM_MARKS}. */
  readonly marks: number
  readonly numbers: readonly number[]
  /** What was left out as club words. */
  readonly clubWords: readonly string[]
  /** What stands in brackets at the end, mostly a country: `uru`; empty for none. */
  readonly bracket: string
  /** A number for the beginning of each word, the same for the same: names of which one stands for the other share one. */
  readonly beginnings: readonly number[]
  /** A bit for each of them. */
  readonly beginningBits: number
  /** Which letters it has, as {@link lettersOf} says. */
  readonly letters: number
  /** No other name stands for it, and it for no other. */
  readonly isApart: boolean
}

/** How two names go together. */
export type Relation = 'exact' | 'compatible' | 'unlike'

const CLUB_WORDS: ReadonlySet<string> = new Set(
  (
    'fc cf afc sc ac as ss ssc us sv vfl vfb tsg fk bk if ik ff kv krc aa rc cd ud sd ca ad bsc fsv club de the calcio ' +
    'bc hnk mfk sk ksv cp'
  ).split(' '),
)

const MARK_WORDS: readonly (readonly string[])[] = [
  [
    ...['women', 'womens', 'woman', 'w', 'wfc', 'ladies', 'femenino', 'femenina', 'femenil', 'feminino', 'feminina'],
    ...['feminine', 'feminin', 'fem', 'frauen'],
  ],
  ['ii', 'b'],
  ['iii'],
  ['reserves', 'reserve', 'res'],
  ['youth', 'primavera', 'j18', 'j20'],
  ['jong'],
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 23].map((age) => [`u${age}`, `under${age}`, `sub${age}`]),
]

/** Words that mark another team of the club, and the bit of each; spellings of one mark share it. */
const TEAM_MARKS: ReadonlyMap<string, number> = new Map(
  MARK_WORDS.flatMap((words, bit) => words.map((word) => [word, 1 << bit] as const)),
)

const SECOND = TEAM_MARKS.get('ii')!
const THIRD = TEAM_MARKS.get('iii')!
/** Words that mark a team only at the end of a name. */
const LAST_MARKS: ReadonlyMap<string, number> = new Map([
  ['2', SECOND],
  ['3', THIRD],
  ['c', THIRD],
])

// A "Serie B" or a "League II" is no league of second teams.
const LEAGUE_MARKS = ~(SECOND | THIRD)

/** A person's "B." or "II" is a part of the name. */
const OF_PERSONS: ReadonlySet<Sport> = new Set<Sport>([
  'tennis',
  'table_tennis',
  'darts',
  'snooker',
  'badminton',
  'combat_sport',
  'golf',
  'motorsport',
  'cycling',
  'winter_sport',
])

// Most names do not need the slow one.
const TWO_LETTERS = /(?:^|_)[a-z]_[a-z](?:_|$)/
const INITIALS = /(?<=^|_)[a-z](?:_[a-z])+(?=_|$)/g
const BRACKET = /\(\s*(\p{L}{2,4})\s*\)\s*$/u
const AGE_PREFIX = /^(?:u|under|sub)$/
const AGE = /^(?:1[4-9]|2[0-3])$/
const NUMBER = /^[0-9]+$/

/** What stands for a side that is not known yet: it names nobody. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(['tba', 'tbc', 'tbd', 'to_be_announced', 'to_be_decided', 'unknown'])

// A longer name is none of a team; each beginning is a place in the index.
const BEGINNINGS_MAX = 5

// 50 000 events have up to 100 000 names, and each is read many times: as many as that, at most 100 MB.
const SPELLINGS_MAX = 65_536
const WORDS_MAX = 16_384
const LEAGUES_MAX = 1_024

// An alias of an alias: what somebody adds may stand on a shipped one.
const ALIAS_STEPS_MAX = 4

/** A slug in which "A.C." is one word, as "AC" is. */
const joined = (slug: string): string =>
  TWO_LETTERS.test(slug) ? slug.replace(INITIALS, (letters) => letters.replaceAll('_', '')) : slug

const numberOf = (text: string, start: number): number => {
  let number = start
  for (let i = 0; i < text.length; i++) number = Math.imul(number ^ text.charCodeAt(i), 0x0100_0193)
  return number ^ (number >>> 15)
}

/** A word of a slug and what the rule makes of it. Most names are made of few words: each is worked out once. */
interface Word {
  /** As it is compared. */
  readonly text: string
  /** Bits of the team that it marks, and of the team that it marks at the end of a name. */
  readonly mark: number
  readonly lastMark: number
  readonly isClubWord: boolean
  /** Its value where it is one. */
  readonly number: number | undefined
  /** Whether an age after it belongs to it: "U 21" is "U21". */
  readonly isAgePrefix: boolean
  readonly beginning: number
  /** Whether a name that stands apart has it. */
  readonly isOfApart: boolean
}

const WORDS_OF_APART: ReadonlySet<string> = new Set(
  [...APART.values()].flatMap((slugs) =>
    [...slugs].flatMap((slug) =>
      joined(slug)
        .split('_')
        .map((word) => WORDS.get(word) ?? word),
    ),
  ),
)

const wordOf = (spelling: string): Word => {
  const text = WORDS.get(spelling) ?? spelling
  const mark = TEAM_MARKS.get(text) ?? 0
  return {
    text,
    mark,
    lastMark: mark | (LAST_MARKS.get(text) ?? 0),
    isClubWord: CLUB_WORDS.has(text),
    number: NUMBER.test(text) ? Number(text) : undefined,
    isAgePrefix: AGE_PREFIX.test(spelling),
    beginning: numberOf(beginningOf(text), 0),
    isOfApart: WORDS_OF_APART.has(text),
  }
}

/** Reads words; remembers a bounded number of them. */
class WordReader {
  private readonly read = new Recent<Word>(WORDS_MAX)

  wordsOf(slug: string): Word[] {
    const spellings = slug.split('_')
    const words: Word[] = []
    for (let place = 0; place < spellings.length; place++) {
      const spelling = spellings[place]!
      const next = spellings[place + 1]
      const word = this.word(spelling)
      if (word.isAgePrefix && next !== undefined && AGE.test(next)) {
        words.push(this.word(spelling + next))
        place++
      } else {
        words.push(word)
      }
    }
    return words
  }

  private word(spelling: string): Word {
    let word = this.read.get(spelling)
    if (word === undefined) {
      word = wordOf(spelling)
      this.read.set(spelling, word)
    }
    return word
  }
}

/** Whether both have numbers, each some that the other lacks: "Home 17", "Home 18", but "Mainz 05", "1. FSV Mainz 05". */
const areContrary = (a: readonly number[], b: readonly number[]): boolean => {
  if (a.length === 0 || b.length === 0) return false
  return !a.every((number) => b.includes(number)) && !b.every((number) => a.includes(number))
}

/** The same words with other numbers: one of a row of teams, and not this one. */
export const isNumberedOtherwise = (a: Name, b: Name): boolean =>
  a.sorted === b.sorted && areContrary(a.numbers, b.numbers)

/** How two names of one sport go together, but for the team marks. Symmetric. */
export const relationOf = (a: Name, b: Name): Relation => {
  if (areContrary(a.numbers, b.numbers)) return 'unlike'
  if (a.bracket !== b.bracket && a.bracket !== '' && b.bracket !== '') return 'unlike'
  if (a.key === b.key && a.sorted === b.sorted) return 'exact'
  if (a.isApart || b.isApart) return 'unlike'
  const isShort =
    (a.beginningBits & b.beginningBits) !== 0 &&
    isShortForm(a.words, b.words) &&
    !isWholeCityClub(a, b) &&
    !isWholeCityClub(b, a)
  return isShort || isSimilar(a.sorted, b.sorted, a.letters, b.letters) ? 'compatible' : 'unlike'
}

/** "FC Zurich" is the whole name of a club, not the short one of "Grasshopper Zurich". */
const isWholeCityClub = (short: Name, long: Name): boolean =>
  short.words.length === 1 && long.words.length > 1 && short.clubWords.some((word) => !long.clubWords.includes(word))

type Table = ReadonlyMap<string, string>

const NO_ALIASES: Table = new Map()

const SHIPPED: readonly Table[] = SPORTS.map(
  (sport) =>
    new Map(
      ALIASES.get(sport)!
        .filter(([name, means]) => name !== means)
        .map(([name, means]) => [joined(name), joined(means)]),
    ),
)

const withAliases = (shipped: Table, extra: readonly Alias[]): Table => {
  const table = new Map(shipped)
  for (const alias of extra) {
    const name = joined(slugOf(alias.name))
    const means = joined(slugOf(alias.means))
    if (name === '' || means === '' || name === means) continue
    table.set(name, means)
    // What it means may have been an alias of this very name.
    if (table.get(means) === name) table.delete(means)
  }
  return table
}

/** What a spelling is in a sport, and in the others in which it was read. */
interface Spelling {
  readonly sportNumber: number
  readonly name: Name | undefined
  readonly others: Spelling | undefined
}

/** Reads names; remembers a bounded number of spellings. */
export class NameReader {
  /** Alias to what it means, both slugs, per sport number. */
  private readonly tables: Table[]
  private readonly words = new WordReader()
  private readonly read = new Recent<Spelling>(SPELLINGS_MAX)
  private readonly leagues = SPORTS.map(() => new Recent<number>(LEAGUES_MAX))

  /**
   * @param extra stronger than the shipped table
   * @param shipped false leaves the shipped table out (to measure what it is worth)
   */
  constructor(extra: readonly Alias[] = [], shipped = true) {
    this.tables = SPORTS.map((sport, sportNumber) => {
      const table = shipped ? SHIPPED[sportNumber]! : NO_ALIASES
      const added = extra.filter((alias) => alias.sport === null || alias.sport === sport)
      return added.length === 0 ? table : withAliases(table, added)
    })
  }

  /** A side's name; undefined where it names nobody: no Latin letter or digit, or a placeholder. */
  nameOf(spelling: string, sport: Sport): Name | undefined {
    const sportNumber = SPORT_NUMBER.get(sport)!
    const others = this.read.get(spelling)
    for (let known = others; known !== undefined; known = known.others) {
      if (known.sportNumber === sportNumber) return known.name
    }
    const name = this.take(spelling, sport, sportNumber)
    this.read.set(spelling, { sportNumber, name, others })
    return name
  }

  /** The team that a league is for, as far as its key says so: bits as in {@link Name.marks}. */
  leagueMarksOf(leagueKey: string, sport: Sport): number {
    const leagues = this.leagues[SPORT_NUMBER.get(sport)!]!
    let marks = leagues.get(leagueKey)
    if (marks === undefined) {
      marks = this.marksOfLeague(leagueKey, sport)
      leagues.set(leagueKey, marks)
    }
    return marks
  }

  private take(spelling: string, sport: Sport, sportNumber: number): Name | undefined {
    let slug = joined(slugOf(spelling))
    if (slug === '' || PLACEHOLDERS.has(slug)) return undefined
    const table = this.tables[sportNumber]!
    let whole = this.meaningOf(slug, table)
    let bracket = ''
    const inBrackets = whole === undefined && spelling.includes('(') ? BRACKET.exec(spelling) : null
    if (inBrackets !== null) {
      const before = joined(slugOf(spelling.slice(0, inBrackets.index)))
      const code = slugOf(inBrackets[1]!)
      // "(Res)" and "(Fem)" say which team it is.
      if (before !== '' && code !== '' && !TEAM_MARKS.has(code)) {
        slug = before
        bracket = code
        whole = this.meaningOf(slug, table)
      }
    }
    let parts = this.partsOf(whole ?? slug, sport)
    let apartWords = apartWordsOf(parts, sport)
    if (whole === undefined && apartWords === undefined) {
      // Of the team marked and unmarked the club is the same; and a club is known without its suffixes, too.
      const { words, unmarked, marks } = parts
      const meaning =
        this.meaningOf(slugOfWords(unmarked), table) ??
        (words.length === unmarked.length ? undefined : this.meaningOf(slugOfWords(words), table))
      if (meaning !== undefined) {
        parts = this.partsOf(meaning, sport)
        parts = { ...parts, marks: parts.marks | marks }
        apartWords = apartWordsOf(parts, sport)
      }
    }
    return nameOfParts(parts, apartWords, bracket, sportNumber)
  }

  private partsOf(slug: string, sport: Sport): Parts {
    return partsOf(this.words.wordsOf(slug), sport)
  }

  private marksOfLeague(leagueKey: string, sport: Sport): number {
    if (OF_PERSONS.has(sport)) return 0
    let marks = 0
    for (const { text, mark } of this.words.wordsOf(leagueKey)) if (text.length > 1) marks |= mark & LEAGUE_MARKS
    return marks
  }

  private meaningOf(slug: string, table: Table): string | undefined {
    let meaning = table.get(slug)
    for (let step = 1; step < ALIAS_STEPS_MAX && meaning !== undefined; step++) {
      const further = table.get(meaning)
      if (further === undefined) break
      meaning = further
    }
    return meaning
  }
}

interface Parts {
  /** Without club words, numbers and marks; with them where nothing else is there. */
  readonly words: readonly Word[]
  /** Without marks only. */
  readonly unmarked: readonly Word[]
  readonly marks: number
  readonly numbers: readonly number[]
  readonly clubWords: readonly Word[]
}

// Most names have neither numbers nor club words: one for all of them.
const NO_NUMBERS: readonly number[] = []
const NO_WORDS: readonly Word[] = []
const NO_TEXTS: readonly string[] = []

const partsOf = (all: readonly Word[], sport: Sport): Parts => {
  const ofPerson = OF_PERSONS.has(sport)
  const last = all.length - 1
  const unmarked: Word[] = []
  const words: Word[] = []
  let marks = 0
  let numbers = NO_NUMBERS
  let clubWords = NO_WORDS
  for (let place = 0; place <= last; place++) {
    const word = all[place]!
    const mark = place > 0 && place === last ? word.lastMark : word.mark
    if (mark !== 0 && !ofPerson) {
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

const textsOf = (words: readonly Word[]): string[] => words.map(({ text }) => text)

const slugOfWords = (words: readonly Word[]): string => (words.length === 1 ? words[0]!.text : textsOf(words).join('_'))

const nameOfParts = (
  parts: Parts,
  apartWords: readonly Word[] | undefined,
  bracket: string,
  sportNumber: number,
): Name => {
  const isApart = apartWords !== undefined
  const of = apartWords ?? parts.words
  const words = textsOf(of)
  const sorted = words.length === 1 ? words[0]! : words.toSorted().join(' ')
  const beginnings: number[] = []
  let beginningBits = 0
  for (const { beginning } of of) {
    beginningBits |= 1 << ((beginning ^ (beginning >>> 5)) & 31)
    if (!isApart && beginnings.length < BEGINNINGS_MAX && !beginnings.includes(beginning)) beginnings.push(beginning)
  }
  return {
    key: numberOf(sorted, sportNumber),
    words,
    sorted,
    marks: parts.marks,
    numbers: parts.numbers,
    clubWords: parts.clubWords.length === 0 ? NO_TEXTS : textsOf(parts.clubWords),
    bracket,
    beginnings,
    beginningBits,
    letters: lettersOf(sorted),
    isApart,
  }
}

/** Per sport; a name of several words without its club words, for it has them or not. */
const APART_NAMES: ReadonlyMap<Sport, ReadonlySet<string>> = new Map(
  Array.from(APART, ([sport, slugs]) => {
    const reader = new WordReader()
    const names = Array.from(slugs, (slug) => {
      const { words, unmarked } = partsOf(reader.wordsOf(joined(slug)), sport)
      return slugOfWords(words.length > 1 ? words : unmarked)
    })
    return [sport, new Set(names)]
  }),
)

/** Words of a name that stands apart, else undefined: "Paris FC" does with its club word, "Paris" does not. */
const apartWordsOf = ({ words, unmarked }: Parts, sport: Sport): readonly Word[] | undefined => {
  if (!unmarked.some(({ isOfApart }) => isOfApart)) return undefined
  const names = APART_NAMES.get(sport)
  if (names === undefined) return undefined
  if (names.has(slugOfWords(words))) return words
  return names.has(slugOfWords(unmarked)) ? unmarked : undefined
}
