// Words of names and what the rule makes of each (docs/identity.md 2): clubs' suffixes, the team that they mark, numbers.
// Names are many and made of few words: a word is worked out once, and found again without making a string of it.

import { slugOf } from '../domain/slug.ts'
import { APART } from './aliases.ts'
import { WORDS } from './aliases-words.ts'
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

const MARK_WORDS: readonly (readonly string[])[] = [
  [
    ...['women', 'womens', 'woman', 'w', 'wfc', 'ladies', 'femenino', 'femenina', 'femenil', 'feminino', 'feminina'],
    ...['feminine', 'feminin', 'fem', 'frauen', 'feminines', 'femminile', 'femmes', 'damen', 'dames'],
    ...['damer', 'kvinner', 'kvinder', 'kvinnor', 'vrouwen', 'zeny', 'zene', 'kobiet', 'kobiety', 'naiset', 'kadin'],
  ],
  ['ii', 'b'],
  ['iii'],
  ['reserves', 'reserve', 'res'],
  ['youth', 'primavera', 'j18', 'j20'],
  ['jong'],
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 23].map((age) => [`u${age}`, `under${age}`, `sub${age}`]),
]

/** Words that mark another team of the club, and the bit of each; spellings of one mark share it. */
export const TEAM_MARKS: ReadonlyMap<string, number> = new Map(
  MARK_WORDS.flatMap((words, bit) => words.map((word) => [word, 1 << bit] as const)),
)

export const SECOND = TEAM_MARKS.get('ii')!
export const THIRD = TEAM_MARKS.get('iii')!
/** Words that mark a team only at the end of a name. */
const LAST_MARKS: ReadonlyMap<string, number> = new Map([
  ['2', SECOND],
  ['3', THIRD],
  ['c', THIRD],
])

const INITIALS = /(?<=^|_)[a-z](?:_[a-z])+(?=_|$)/g
const LETTER = /^[a-z]$/
const AGE_PREFIX = /^(?:u|under|sub)$/
const AGE = /^(?:1[4-9]|2[0-3])$/
const NUMBER = /^[0-9]+$/

/** A slug in which "A.C." is one word, as "AC" is. */
export const joined = (slug: string): string => slug.replace(INITIALS, (letters) => letters.replaceAll('_', ''))

/** A slug as names are looked up: joined, and each word as it is compared. */
export const folded = (slug: string): string =>
  joined(slug)
    .split('_')
    .map((word) => WORDS.get(word) ?? word)
    .join('_')

const WORDS_OF_APART: ReadonlySet<string> = new Set(
  [...APART.values()].flatMap((slugs) => [...slugs].flatMap((slug) => folded(slug).split('_'))),
)

/** A number for a text, the same for the same. */
export const numberOf = (text: string): number => {
  let number = 0
  for (let i = 0; i < text.length; i++) number = Math.imul(number ^ text.charCodeAt(i), 0x0100_0193)
  return number ^ (number >>> 15)
}

/** Another one: texts that share the one number do not share this. */
const checkOf = (text: string): number => {
  let number = text.length
  for (let i = 0; i < text.length; i++)
    number = (Math.imul(number ^ (number >>> 13), 0x5bd1_e995) + text.charCodeAt(i)) | 0
  number = Math.imul(number ^ (number >>> 16), 0xc2b2_ae35)
  return number ^ (number >>> 13)
}

/** A word, and what the rule makes of it. */
export interface Word {
  /** As the slug has it. */
  readonly spelling: string
  /** As it is compared. */
  readonly text: string
  /** Bits of the team that it marks, and of the team that it marks at the end of a name. */
  readonly mark: number
  readonly lastMark: number
  readonly isClubWord: boolean
  /** Its value where it is one. */
  readonly number: number | undefined
  readonly isLetter: boolean
  /** Whether an age after it belongs to it: "U 21" is "U21". */
  readonly isAgePrefix: boolean
  /** It has no mark, is no club word and no number. */
  readonly isPlain: boolean
  /** Two numbers for it, and one for its beginning, the same for the same. */
  readonly key: number
  readonly check: number
  readonly beginning: number
  /** A bit for its first letter. */
  readonly initial: number
  /** Which letters it has, as {@link lettersOf} says. */
  readonly letters: number
  /** Whether a name that stands apart has it. */
  readonly isOfApart: boolean
  /** Whether a name that means another begins with it. */
  readonly isOpening: boolean
}

const WORDS_MAX = 65_536

/** A longer spelling is read the slow way. */
const LETTERS_MAX = 256

// What a character of ASCII is to a slug: a letter or digit stands for its lower case.
const GAP = 0
const DROPPED = 1
const AND = 2
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  if (/[a-z0-9]/.test(character)) return character.charCodeAt(0)
  return character === '&' ? AND : character === "'" || character === '`' ? DROPPED : GAP
})

/** Reads words; remembers a bounded number of them. */
export class WordReader {
  private readonly openings: ReadonlySet<string>
  /** By {@link numberOf} the letters; of two with one number the later. */
  private readonly words = new Map<number, Word>()
  /** Letters of the word that is being read. */
  private readonly letters = new Uint8Array(LETTERS_MAX)

  /** @param openings first words of the names that mean others */
  constructor(openings: ReadonlySet<string>) {
    this.openings = openings
  }

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

  /** The words with "U 21" as one. */
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

  private word(spelling: string): Word {
    const number = numberOf(spelling)
    const word = this.words.get(number)
    return word?.spelling === spelling ? word : this.remember(number, spelling)
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
      isAgePrefix: AGE_PREFIX.test(spelling),
      key: Math.imul(numberOf(text), 0x85eb_ca6b),
      check: checkOf(text),
      beginning: numberOf(beginningOf(text)),
      initial: lettersOf(text.slice(0, 1)),
      letters: lettersOf(text),
      isOfApart: WORDS_OF_APART.has(text),
      isOpening: this.openings.has(spelling) || this.openings.has(text),
    }
    if (this.words.size >= WORDS_MAX) this.words.clear()
    this.words.set(number, word)
    return word
  }
}
