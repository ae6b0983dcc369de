// Words of names and their properties in the rule (docs/identity.md 2): club suffixes, team marks, numbers. Names are
// many and consist of few words: a word is analysed once, and looked up again without creating a string.

import { ShardedMap } from '../domain/sharded-map.ts'
import { slugOf } from '../domain/slug.ts'
import { APART } from './aliases.ts'
import { WORDS } from './aliases-words.ts'
import { opensPlaceholder } from './placeholders.ts'
import { beginningOf, lettersOf } from './similarity.ts'

const CLUB_WORDS: ReadonlySet<string> = new Set(
  (
    'fc cf afc sc ac as ss ssc us sv vfl vfb tsg fk bk if ik ff kv krc aa rc cd ud sd ca ad bsc fsv club de ' +
    'the calcio bc hnk mfk sk ksv cp football futbol futebol fotball fodbold fotboll fussball boldklub ' +
    'ballklubb fotballklubb spor kulubu esporte associazione associacao association asociacion sportiva ' +
    'sportive sociedade societa pfc pfk nk gnk ks mks kks wks gks fks rts spvgg ssv dsc rcd rsc kaa kvc kas ' +
    'sbv fcv acf asd ssd sad saf pae basket basketball baloncesto kk hc'
  ).split(' '),
)

const AGES_OF_YOUTH = [14, 15, 16, 17, 18, 19, 20, 21, 22, 23]

const MARK_WORDS: readonly (readonly string[])[] = [
  [
    ...['women', 'womens', 'woman', 'w', 'wfc', 'ladies', 'femenino', 'femenina', 'femenil', 'feminino', 'feminina'],
    ...['feminine', 'feminin', 'fem', 'frauen', 'feminines', 'femminile', 'femmes', 'damen', 'dames'],
    ...['damer', 'kvinner', 'kvinder', 'kvinnor', 'vrouwen', 'zeny', 'zene', 'kobiet', 'kobiety', 'naiset', 'kadin'],
    ...['femeni', 'wom', 'girls', 'wmn', 'nok'],
  ],
  ['ii', 'b'],
  ['iii'],
  ['reserves', 'reserve', 'res', 'reserva', 'reservas'],
  ['youth', 'primavera', 'j18', 'j20', 'juvenil', 'junioren', 'jugend'],
  ['jong'],
  ...AGES_OF_YOUTH.map((age) => [`u${age}`, `under${age}`, `sub${age}`, `u${age}s`, `o${age}`, `onder${age}`]),
  // Other games than that of the sport.
  ['futsal'],
  ['3x3'],
  ['sevens', '7s'],
  // Simulated play; in the sport of video games it is a part of names.
  ['srl', 'sim', 'esports', 'esport', 'esoccer', 'virtual'],
]

/** Words that mark another team of the club, with their bits; spellings of one mark share a bit. */
export const TEAM_MARKS: ReadonlyMap<string, number> = new Map(
  MARK_WORDS.flatMap((words, bit) => [
    ...words.map((word) => [word, 1 << bit] as const),
    // The women of an age: they are the first row.
    ...words.filter((word) => /^u\d+$/.test(word)).map((word) => [`w${word}`, 1 | (1 << bit)] as const),
  ]),
)

export const WOMEN = TEAM_MARKS.get('women')!
export const SECOND = TEAM_MARKS.get('ii')!
export const THIRD = TEAM_MARKS.get('iii')!
export const YOUTH = TEAM_MARKS.get('youth')!
export const RESERVES = TEAM_MARKS.get('reserves')!
export const THREES = TEAM_MARKS.get('3x3')!
export const SEVENS = TEAM_MARKS.get('sevens')!
export const SIMULATED = TEAM_MARKS.get('srl')!
/** In sports of persons: of the men's tour, and two persons on a side. */
export const MEN = 1 << MARK_WORDS.length
export const DOUBLES = MEN << 1
/** By the league only: a "Beach" is a place in names. */
export const BEACH = DOUBLES << 1
export const INDOOR = BEACH << 1
/** Words that mark a team only at the end of a name. */
const LAST_MARKS: ReadonlyMap<string, number> = new Map([
  ['2', SECOND],
  ['3', THIRD],
  ['c', THIRD],
  ['f', WOMEN],
  ['z', WOMEN],
  ['lfc', WOMEN],
  ['r', RESERVES],
  ['am', SECOND],
  ['castilla', SECOND],
  ['academy', YOUTH],
])

const AGES = MARK_WORDS.reduce(
  (bits, [word], bit) => (word!.startsWith('u1') || word!.startsWith('u2') ? bits | (1 << bit) : bits),
  0,
)
const YOUNG = AGES | YOUTH
const TOURS = MEN | WOMEN

/**
 * Whether the marks of two sides can be of one. Of teams all are equal, but for "youth" beside an age. Of persons those
 * that both have: a source that names no tour may mean either.
 */
export const doMarksAgree = (a: number, b: number, areOfPersons: boolean): boolean => {
  if (a === b) return true
  if (areOfPersons) return ((a ^ b) & ~TOURS) === 0 && ((a & TOURS) === 0 || (b & TOURS) === 0)
  if (((a ^ b) & ~YOUNG) !== 0 || (a & YOUNG) === 0 || (b & YOUNG) === 0) return false
  return (a & AGES) === 0 || (b & AGES) === 0 || (a & b & AGES) !== 0
}

const INITIALS = /(?<=^|_)[a-z](?:_[a-z])+(?=_|$)/g
const LETTER = /^[a-z]$/
/** An age behind one of them belongs to it: "U 21". */
export const WORDS_OF_AGES: ReadonlySet<string> = new Set(['u', 'under', 'sub', 'onder'])
const AGE = /^(?:1[4-9]|2[0-3])$/
const NUMBER = /^[0-9]+$/

/** A slug in which "A.C." is one word, as "AC" is. */
export const joined = (slug: string): string => slug.replace(INITIALS, (letters) => letters.replaceAll('_', ''))

/** The form of a slug in look-ups: joined, and each word in its compared form. */
export const folded = (slug: string): string =>
  joined(slug)
    .split('_')
    .map((word) => WORDS.get(word) ?? word)
    .join('_')

const WORDS_OF_APART: ReadonlySet<string> = new Set(
  [...APART.values()].flatMap((slugs) => [...slugs].flatMap((slug) => folded(slug).split('_'))),
)

/** A hash of a text. */
export const numberOf = (text: string): number => {
  let number = 0
  for (let i = 0; i < text.length; i++) number = Math.imul(number ^ text.charCodeAt(i), 0x0100_0193)
  return number ^ (number >>> 15)
}

/** A second, independent hash. */
const checkOf = (text: string): number => {
  let number = text.length
  for (let i = 0; i < text.length; i++)
    number = (Math.imul(number ^ (number >>> 13), 0x5bd1_e995) + text.charCodeAt(i)) | 0
  number = Math.imul(number ^ (number >>> 16), 0xc2b2_ae35)
  return number ^ (number >>> 13)
}

/** A word with its properties in the rule. */
export interface Word {
  /** As in the slug. */
  readonly spelling: string
  /** The compared form. */
  readonly text: string
  /** Bits of its team marks: anywhere in a name, and at the end of one. */
  readonly mark: number
  readonly lastMark: number
  readonly isClubWord: boolean
  /** Its value, if it is a number. */
  readonly number: number | undefined
  readonly isLetter: boolean
  /** Whether an age after it belongs to it: "U 21" is "U21". */
  readonly isAgePrefix: boolean
  /** It has no mark, is no club word and no number. */
  readonly isPlain: boolean
  /** Two hashes of it, and one of its beginning. */
  readonly key: number
  readonly check: number
  readonly beginning: number
  /** A bit for its first letter. */
  readonly initial: number
  /** Set of its letters, see {@link lettersOf}. */
  readonly letters: number
  /** Whether a name that only matches itself contains it. */
  readonly isOfApart: boolean
  /** Whether a name that begins with it may be a placeholder. */
  readonly opensPlaceholder: boolean
}

const WORDS_MAX = 65_536

/** Longer spellings use the slow path. */
const LETTERS_MAX = 256

// The role of an ASCII character in a slug: a letter or digit is given by its lower case.
const GAP = 0
const DROPPED = 1
const AND = 2
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  if (/[a-z0-9]/.test(character)) return character.charCodeAt(0)
  return character === '&' ? AND : character === "'" || character === '`' ? DROPPED : GAP
})

/** Splits names into words; caches a bounded number of words. */
export class WordReader {
  /** By the {@link numberOf} their letters; of two with one number the later. */
  private readonly words = new ShardedMap<number, Word>()
  /** Letters of the current word. */
  private readonly letters = new Uint8Array(LETTERS_MAX)

  /** Words of the slug of a spelling, initials joined: of "A.C. Milan" `ac` and `milan`. Empty for none. */
  wordsOf(spelling: string): Word[] {
    if (spelling.length > LETTERS_MAX) return this.wordsOfSlug(slugOf(spelling))
    const { letters } = this
    const words: Word[] = []
    let length = 0
    let number = 0
    let wasLetter = false
    for (let i = 0; i <= spelling.length; i++) {
      const code = i < spelling.length ? spelling.charCodeAt(i) : 32
      if (code > 127) return this.wordsOfSlug(slugOf(spelling))
      const kind = KINDS[code]!
      if (kind > AND) {
        letters[length++] = kind
        number = Math.imul(number ^ kind, 0x0100_0193)
      } else if (kind !== DROPPED) {
        if (length > 0) {
          const word = this.read(number ^ (number >>> 15), length)
          if (wasLetter && word.isLetter) return this.wordsOfSlug(slugOf(spelling))
          wasLetter = word.isLetter
          words.push(word)
        }
        length = 0
        number = 0
        if (kind === AND) {
          words.push(this.word('and'))
          wasLetter = false
        }
      }
    }
    return words
  }

  /** A word of a slug. */
  word(spelling: string): Word {
    const number = numberOf(spelling)
    const word = this.words.get(number)
    return word?.spelling === spelling ? word : this.remember(number, spelling)
  }

  /** The words, with "U 21" as one word. */
  withAges(words: readonly Word[]): readonly Word[] {
    if (!words.some(({ isAgePrefix }) => isAgePrefix)) return words
    const all: Word[] = []
    for (let place = 0; place < words.length; place++) {
      const word = words[place]!
      const age = words[place + 1]?.spelling ?? ''
      const isAge = word.isAgePrefix && AGE.test(age)
      all.push(isAge ? this.word(word.spelling + age) : word)
      if (isAge) place++
    }
    return all
  }

  private wordsOfSlug(slug: string): Word[] {
    return slug === ''
      ? []
      : joined(slug)
          .split('_')
          .map((spelling) => this.word(spelling))
  }

  /** The word of the letters that were read last. */
  private read(number: number, length: number): Word {
    const word = this.words.get(number)
    if (word !== undefined && this.isRead(word.spelling, length)) return word
    return this.remember(number, String.fromCharCode(...this.letters.subarray(0, length)))
  }

  private isRead(spelling: string, length: number): boolean {
    if (spelling.length !== length) return false
    for (let i = 0; i < length; i++) if (spelling.charCodeAt(i) !== this.letters[i]) return false
    return true
  }

  private remember(number: number, spelling: string): Word {
    const text = WORDS.get(spelling) ?? spelling
    const mark = TEAM_MARKS.get(text) ?? 0
    const lastMark = mark | (LAST_MARKS.get(text) ?? 0)
    const isClubWord = CLUB_WORDS.has(text)
    const isNumber = NUMBER.test(text)
    const word: Word = {
      spelling,
      text,
      mark,
      lastMark,
      isClubWord,
      number: isNumber ? Number(text) : undefined,
      isPlain: lastMark === 0 && !isClubWord && !isNumber,
      isLetter: LETTER.test(spelling),
      isAgePrefix: WORDS_OF_AGES.has(spelling),
      key: Math.imul(numberOf(text), 0x85eb_ca6b),
      check: checkOf(text),
      beginning: numberOf(beginningOf(text)),
      initial: lettersOf(text.slice(0, 1)),
      letters: lettersOf(text),
      isOfApart: WORDS_OF_APART.has(text),
      opensPlaceholder: opensPlaceholder(spelling),
    }
    if (this.words.size >= WORDS_MAX) this.words.clear()
    this.words.set(number, word)
    return word
  }
}
