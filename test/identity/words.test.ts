import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WORDS } from '../../src/identity/aliases-words.ts'
import { NameReader } from '../../src/identity/names.ts'
import { isPlaceholder } from '../../src/identity/placeholders.ts'
import { folded, joined, WordReader } from '../../src/identity/words.ts'
import { slugOf } from '../../src/domain/slug.ts'
import { Random, SEED } from '../random.ts'

const spellingsOf = (reader: WordReader, spelling: string): string =>
  reader
    .wordsOf(spelling)
    .map((word) => word.spelling)
    .join('_')

test('the words of a spelling are those of its slug, whatever it is made of', () => {
  const random = new Random(SEED)
  const reader = new WordReader()
  const pieces = [...'aBcU19 ..-&\'`"()_ßéØÆ’З\t\u007f', ' FC ', ' United', 'A.C. ', ' & ']
  let initials = 0
  for (let round = 0; round < 20_000; round++) {
    const spelling = Array.from({ length: random.int(0, 12) }, () => random.pick(pieces)).join('')
    const slug = slugOf(spelling)
    assert.equal(spellingsOf(reader, spelling), joined(slug), `seed ${SEED}: ${JSON.stringify(spelling)}`)
    if (joined(slug) !== slug) initials++
  }
  assert.ok(initials > 100, `seed ${SEED}: initials in only ${initials}`)
})

test('a spelling of any length is read, and more words than are remembered', () => {
  const reader = new WordReader()
  const long = 'Arsenal '.repeat(100)
  assert.equal(spellingsOf(reader, long), slugOf(long))
  for (let word = 0; word < 70_000; word++) assert.equal(spellingsOf(reader, `Side ${word}`), `side_${word}`)
})

test('an age belongs to the word before it', () => {
  const reader = new WordReader()
  const texts = (spelling: string): string[] => reader.withAges(reader.wordsOf(spelling)).map(({ text }) => text)
  assert.deepEqual(texts('Arsenal U 21'), ['arsenal', 'u21'])
  assert.deepEqual(texts('U-19 Under 20 sub 13'), ['u19', 'under20', 'sub', '13'])
})

test('a word has one spelling that is compared, and none stands for one that stands for another', () => {
  for (const [spelling, word] of WORDS) {
    assert.equal(slugOf(spelling), spelling)
    assert.equal(slugOf(word), word)
    assert.notEqual(spelling, word)
    assert.ok(!WORDS.has(word), `${spelling} = ${word} = ${WORDS.get(word)}`)
  }
  assert.equal(folded('a_c_sparta_praha'), 'ac_sparta_prague')
  assert.equal(folded(folded('dynamo_kiev')), folded('dynamo_kiev'))
})

test('placeholders are no names, whatever their first word; names that begin alike are', () => {
  const reader = new NameReader()
  const none =
    'TBA|TBD 2|To be announced|to-be-determined|Unknown|N/A|N.A.|Home|Home Team|The Home Side|Away Goals|Guest|Visitors team|' +
    'Team A|Team 12|Player 3|Opponent B|Winner SF1|Winner of Match 12|Losers QF 2|Runner-up Group C|Winner1|Winner A|WinnerA12|' +
    'Qualifier|Qualifier 4|Seed 7|Lucky Loser|Lucky loser 2|W12|L3|W of Group A|1st Group A|1 Group B|2nd place Group C|' +
    'Group A Winner|Pool B 2|Group D'
  for (const name of none.split('|')) {
    const isNone = reader.nameOf(name, 'football') === undefined
    assert.equal(isNone, isPlaceholder(name), name)
  }
  assert(none.split('|').filter(isPlaceholder).length > 30)
  for (const name of [
    'Home United',
    'Seedorf',
    'Lucky Star',
    'Team Liquid',
    'Winnipeg Jets',
    'Guestling',
    'W Connection',
  ]) {
    assert(reader.nameOf(name, 'football') !== undefined, name)
  }
})
