// Messages of the Unified Odds Feed out of XML, whole, broken and several of them.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isFormatFault } from '../../../src/source/kit/normaliser.ts'
import { readUofMessages, type UofMessage } from '../../../src/source/uof/uof-message.ts'
import { Random, SEED } from '../../random.ts'
import { ROOT } from '../../root.ts'

const LIMITS = { pricesMax: 100, textLengthMax: 100 }

const read = (text: string, line = 1): { readonly messages: UofMessage[]; readonly flaws: string[] } => {
  const flaws: string[] = []
  const messages = readUofMessages(text, line, LIMITS, (place, reason) => flaws.push(`${place} ${reason}`))
  assert(!isFormatFault(messages), JSON.stringify(messages))
  return { messages: [...messages], flaws }
}

const kindsOf = (text: string): string[] => read(text).messages.map(({ kind }) => kind)

test('a message says what it is about', () => {
  const { messages, flaws } = read(
    '\ufeff<?xml version="1.0"?>\r\n<!-- one -->\n<odds_change product="3" event_id="sr:match:1" timestamp="5" request_id="9">' +
      '<odds><market id="18" specifiers="total=2.5|player=sr:player:1|a=b" status="-2"><outcome id="12" odds="2.5151515152" active="0"/>' +
      '<outcome id="1&#51;"/></market><market id="1" status="-4"/></odds></odds_change>',
  )
  assert.deepEqual(flaws, [])
  assert.deepEqual(messages, [
    {
      kind: 'odds_change',
      product: 3,
      sentAt: 5,
      eventId: 'sr:match:1',
      requestId: 9,
      isSubscribed: true,
      hasTimeRange: false,
      markets: [
        {
          id: '18',
          specifiers: 'a=b|player=sr:player:1|total=2.5',
          status: 'suspended',
          isHandedOver: true,
          outcomes: [
            { id: '12', odds: 2.5151515152, isActive: false },
            { id: '13', odds: null, isActive: true },
          ],
          illegible: [],
        },
        { id: '1', specifiers: '', status: 'closed', isHandedOver: false, outcomes: [], illegible: [] },
      ],
    },
  ])
})

const ALIVE = '<alive product="1" timestamp="5" subscribed="0"/>'

test('several messages may stand in one text, with and without declarations', () => {
  const declared = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${ALIVE}`
  assert.deepEqual(kindsOf(`${ALIVE}${ALIVE}`), ['alive', 'alive'])
  assert.deepEqual(kindsOf(`\n\ufeff${declared}\n\ufeff${declared}\n${ALIVE}\n\n`), ['alive', 'alive', 'alive'])
  assert.deepEqual(read(`${declared}${declared}`).flaws, [])
})

test('one that is broken is told with its place, and the others are read', () => {
  const { messages, flaws } = read(`${ALIVE}\n<alive product="1" timestamp=5/>\n  <bet_stop product="1"\n${ALIVE}`, 10)
  assert.equal(messages.length, 2)
  assert.deepEqual(flaws, ['line 11:30 is not XML: unquoted attribute value', 'line 12:23 is not XML: unexpected end'])
})

test('space around the id of an event is none of it', () => {
  const idsOf = (id: string) =>
    read(`<bet_stop product="1" event_id="${id}" timestamp="1"/>`).messages.map(({ eventId }) => eventId)
  for (const id of ['sr:match:1 ', ' \tsr:match:1\n', '&#160;sr:match:1', 'sr:match:1\ufeff'])
    assert.deepEqual(idsOf(id), ['sr:match:1'])
  assert.deepEqual(idsOf(' '), [])
})

test('what no message has is refused', () => {
  const cases: [string, string][] = [
    ['<alive product="1"/>', 'line 1:20 alive: timestamp must be milliseconds since 1970'],
    ['<alive product="one" timestamp="1"/>', 'line 1:36 alive: product must be a number'],
    ['<bet_stop product="1" timestamp="1"/>', 'line 1:37 bet_stop: event_id must be a text'],
    ['<hello product="1" timestamp="1"/>', 'line 1:34 is no message of the feed: "hello"'],
    [`<!DOCTYPE a [<!ENTITY b "c">]>${ALIVE}`, 'line 1:30 must not have a DTD'],
    ['<alive product="1" timestamp="&x;"/>', 'line 1:33 is not XML: undefined entity'],
    [`${ALIVE}</alive>`, 'line 1:57 is not XML: unmatched closing tag: alive'],
  ]
  for (const [text, flaw] of cases) assert.equal(read(text).flaws[0], flaw, text)
})

test('a market or an outcome that cannot be read is left out alone; an unknown status is none to bet on', () => {
  const { messages, flaws } = read(
    '<odds_change product="1" event_id="e" timestamp="1"><odds><market><outcome id="1"/></market>' +
      '<market id="2" status="7"><outcome id="1" odds="much"/><outcome odds="3"/><outcome id="2" odds="2"/></market></odds></odds_change>',
  )
  assert.deepEqual(messages[0]?.markets, [
    {
      id: '2',
      specifiers: '',
      status: 'suspended',
      isHandedOver: false,
      outcomes: [{ id: '2', odds: 2, isActive: true }],
      illegible: ['1', ''],
    },
  ])
  assert.deepEqual(
    flaws.map((flaw) => flaw.replace(/^line \d+:\d+ /, '')),
    [
      'market: id must be a text',
      'market 2: status "7" is not known',
      'market 2: outcome 1: odds must be a number',
      'market 2: outcome: id must be a text',
    ],
  )
})

test('long runs of spaces, and many messages on one line, take no longer than what they hold', () => {
  const spaces = ' '.repeat(2_000_000)
  const cases: [string, number][] = [
    [`<alive product="1" timestamp="5">${spaces}x${spaces}</alive>${spaces}${ALIVE}`, 2],
    [`<?xml version="1.0"?>${spaces}${ALIVE}${spaces}x`, 0],
    [`<?xml version="1.0"?><!--${'- '.repeat(500_000)}-->${ALIVE}`, 1],
    [`<?xml version="1.0"?>${'<!---->'.repeat(300_000)}${ALIVE}`, 1],
    [ALIVE.repeat(50_000), 50_000],
    ['<?xml version="1.0"?>'.repeat(50_000), 0],
    ['<?xml version="1.0"'.repeat(50_000), 0],
    [`\n${ALIVE.replace('5', '5" x="\n')}`.repeat(30_000), 30_000],
  ]
  for (const [text, count] of cases) {
    const begunMs = performance.now()
    assert.equal(read(text).messages.length, count, text.slice(0, 60))
    // Where the time grows with the square of the length, it is minutes.
    const tookMs = performance.now() - begunMs
    assert.ok(tookMs < 15_000, `${text.slice(0, 60)}: ${tookMs} ms`)
  }
})

test('a text that is no XML is a fault', () => {
  for (const text of ['', ' \n', 'event_id,odds', '{"a":1}', '\ufeff']) {
    const result = readUofMessages(text, 1, LIMITS, () => {})
    assert(isFormatFault(result), text)
  }
})

test('bytes changed at random throw nothing, and every message that is left is whole', () => {
  const text = readFileSync(join(ROOT, 'fixtures', 'uof', 'messages.xml'), 'utf8')
  const random = new Random(SEED)
  const whole = read(text).messages.length
  for (let run = 0; run < 500; run++) {
    const characters = [...text]
    for (let change = random.int(1, 4); change > 0; change--) {
      const at = random.int(0, characters.length - 1)
      if (random.chance(0.3)) characters.splice(at, random.int(1, 40))
      else characters[at] = '<>&"=/ x\n\0'[random.int(0, 9)]!
    }
    const changed = characters.join('')
    const messages = readUofMessages(changed, 1, LIMITS, () => {})
    if (isFormatFault(messages)) continue
    const left = [...messages]
    assert.ok(left.length <= whole, `seed ${SEED}, run ${run}`)
    for (const { sentAt, product } of left) {
      assert.ok(Number.isSafeInteger(sentAt) && Number.isSafeInteger(product), `seed ${SEED}, run ${run}`)
    }
  }
})
