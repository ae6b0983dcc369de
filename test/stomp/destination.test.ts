// Destinations (docs/live-protocol.md 2): what each text names, and that nothing else is one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal } from '../../src/domain/refusal.ts'
import { SPORTS } from '../../src/domain/sport.ts'
import { feedOf, isTopic, parseTopics, TOPICS } from '../../src/stomp/destination.ts'
import { Random, SEED } from '../random.ts'

/** As text: topic, then sport, bookmaker and event; * is whichever. */
const named = (destination: string): string => {
  const pattern = parseTopics(destination)
  if (isRefusal(pattern)) return pattern.refused
  const { topic, sport, bookmaker, eventId } = pattern
  return [topic, sport ?? '*', bookmaker ?? '*', eventId ?? '*'].join(' ')
}

const CASES: readonly (readonly [destination: string, names: string])[] = [
  ['/topic/status.football.bet365.1042', 'status football bet365 1042'],
  ['/topic/odds.football.bet365.1042', 'odds football bet365 1042'],
  ['/topic/odds.*.*.*', 'odds * * *'],
  ['/topic/odds.*.bet365.*', 'odds * bet365 *'],
  ['/topic/odds.*.*.1042', 'odds * * 1042'],
  ['/topic/odds.american_football.*.*', 'odds american_football * *'],
  // A last # means any rest, an empty one included.
  ['/topic/odds.#', 'odds * * *'],
  ['/topic/odds.football.#', 'odds football * *'],
  ['/topic/odds.*.#', 'odds * * *'],
  ['/topic/odds.football.bet365.#', 'odds football bet365 *'],
  ['/topic/odds.football.bet365.1042.#', 'odds football bet365 1042'],
  ['/topic/odds.football.*.1042.#', 'odds football * 1042'],
  ['/topic/status.#', 'status * * *'],
  ['/topic/events.football.1042', 'events football * 1042'],
  ['/topic/events.*.*', 'events * * *'],
  ['/topic/events.#', 'events * * *'],
  ['/topic/events.tennis.#', 'events tennis * *'],
  ['/topic/events.tennis.7.#', 'events tennis * 7'],
  ['/topic/feeds.bet365', 'feeds * bet365 *'],
  ['/topic/feeds.*', 'feeds * * *'],
  ['/topic/feeds.#', 'feeds * * *'],
  ['/topic/feeds.bet365.#', 'feeds * bet365 *'],
  ['/topic/lag', 'lag * * *'],
  ['/topic/lag.#', 'lag * * *'],
  ['/topic/refusals', 'refusals * * *'],
  // Slugs hold dots, and look like numbers.
  ['/topic/odds.football.bet.365.1042', 'odds football bet.365 1042'],
  ['/topic/odds.football.bet.365.*', 'odds football bet.365 *'],
  ['/topic/odds.football.a.b.c.d.1042', 'odds football a.b.c.d 1042'],
  ['/topic/odds.football.888.1042', 'odds football 888 1042'],
  ['/topic/odds.football.888.#', 'odds football 888 *'],
  ['/topic/odds.football.bet.de.#', 'odds football bet.de *'],
  ['/topic/feeds.bet.365', 'feeds * bet.365 *'],
  ['/topic/feeds.bet.365.#', 'feeds * bet.365 *'],
  // Nothing of ours.
  ['', 'not_found'],
  ['/', 'not_found'],
  ['/topic', 'not_found'],
  ['/topic/', 'not_found'],
  ['topic/odds.#', 'not_found'],
  ['/queue/odds.#', 'not_found'],
  ['/topic/odds', 'not_found'],
  ['/topic/odds.', 'not_found'],
  ['/topic/odds.football', 'not_found'],
  ['/topic/odds.football.bet365', 'not_found'],
  ['/topic/odds.football.bet365.', 'not_found'],
  ['/topic/odds..bet365.1', 'not_found'],
  ['/topic/odds.chess.bet365.1042', 'not_found'],
  ['/topic/odds.Football.bet365.1042', 'not_found'],
  ['/topic/odds.football.Bet365.1042', 'not_found'],
  ['/topic/odds.football.bet365.x', 'not_found'],
  ['/topic/odds.football.bet365.-1', 'not_found'],
  ['/topic/odds.football.bet365.1e3', 'not_found'],
  ['/topic/odds.football.bet365.1234567890123456', 'not_found'],
  ['/topic/odds.#.1042', 'not_found'],
  ['/topic/odds.#.#', 'not_found'],
  ['/topic/odds.football.#.#', 'not_found'],
  ['/topic/odds.**.*.*', 'not_found'],
  ['/topic/odds.foot*.*.*', 'not_found'],
  ['/topic/odds.football.bet*.*', 'not_found'],
  ['/topic/events.football.bet365.1042', 'not_found'],
  ['/topic/events.football', 'not_found'],
  ['/topic/feeds', 'not_found'],
  ['/topic/lag.football', 'not_found'],
  ['/topic/refusals.bet365', 'not_found'],
  ['/topic/constructor.#', 'not_found'],
  ['/topic/__proto__.#', 'not_found'],
  ['/feed/bet365', 'not_found'],
]

for (const [destination, names] of CASES) {
  test(`${destination === '' ? 'an empty destination' : destination} names ${names}`, () => {
    assert.equal(named(destination), names)
  })
}

test('every topic that a message can have names itself, and its wildcards include it', () => {
  const random = new Random(SEED)
  const characters = 'abcxyz0189_-.'
  for (let round = 0; round < 20_000; round++) {
    const sport = random.pick(SPORTS)
    const slug = Array.from({ length: random.int(1, 12) }, () => random.pick([...characters])).join('')
    if (!/^[a-z0-9][a-z0-9_.-]*$/.test(slug)) continue
    const id = String(random.int(1, 2 ** 31))
    const at = `seed ${SEED}: ${slug}`
    assert.equal(named(`/topic/odds.${sport}.${slug}.${id}`), `odds ${sport} ${slug} ${id}`, at)
    assert.equal(named(`/topic/status.*.${slug}.${id}`), `status * ${slug} ${id}`, at)
    assert.equal(named(`/topic/status.${sport}.${slug}.*`), `status ${sport} ${slug} *`, at)
    assert.equal(named(`/topic/feeds.${slug}`), `feeds * ${slug} *`, at)
    assert.equal(named(`/topic/events.${sport}.${id}`), `events ${sport} * ${id}`, at)
    assert.equal(feedOf(`/feed/${slug}`), slug, at)
  }
})

test('no text throws, and what is refused is refused as not_found, with all topics in the message', () => {
  const random = new Random(SEED)
  const pieces = [
    '/topic/',
    'odds',
    'status',
    'events',
    'feeds',
    'lag',
    '.',
    '.',
    '*',
    '#',
    'football',
    '12',
    '/',
    'é',
    '',
  ]
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: random.int(0, 9) }, () => random.pick(pieces)).join('')
    const pattern = parseTopics(text)
    if (!isRefusal(pattern)) {
      assert(text.startsWith(`/topic/${pattern.topic}`), `seed ${SEED}: ${text}`)
      continue
    }
    assert.equal(pattern.refused, 'not_found')
    for (const topic of Object.keys(TOPICS)) assert(pattern.message.includes(`/topic/${topic}`))
  }
})

test('a feed is /feed/ and one bookmaker', () => {
  assert.equal(feedOf('/feed/bet365'), 'bet365')
  assert.equal(feedOf('/feed/bet.365'), 'bet.365')
  for (const text of ['/feed/', '/feed/Bet365', '/feed/a/b', '/feed/*', '/feed', 'feed/bet365', '/topic/odds.#']) {
    assert.equal(feedOf(text), undefined, text)
  }
  assert(isTopic('/topic/odds.football.bet365.1042'))
  assert(!isTopic('/feed/bet365'))
})
