import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownOf } from '../../../src/board/status.ts'
import type { Observation } from '../../../src/domain/observation.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { FedEvents } from '../../../src/source/stomp/fed-events.ts'
import { observation, T0 } from './world.ts'

const of = (number: number, sourceKey: string | null, over: Partial<Observation> = {}): Observation => {
  const one = observation(number)
  return { ...one, event: { ...one.event, sourceKey }, ...over }
}

const keys = (observations: Iterable<Observation>): string[] =>
  Array.from(observations, ({ bookmaker, transport, event, prices, others }) => {
    assert.deepEqual(prices, [])
    assert.equal(others, 'suspended')
    return `${bookmaker} ${transport} ${event.sourceKey}`
  })

test('what was fed is taken back once, by bookmaker, channel and event', () => {
  const fed = new FedEvents()
  fed.note(of(1, 'a'))
  fed.note(of(2, 'a'))
  fed.note(of(3, 'a', { transport: 'rest' }))
  fed.note(of(4, 'a', { bookmaker: 'southbet' }))
  fed.note(of(5, null))
  assert.deepEqual(keys(fed.takeBack()), [
    'northbet live a',
    'northbet rest a',
    'southbet live a',
    'northbet live null',
  ])
  assert.deepEqual(keys(fed.takeBack()), [])
})

test('on the board it is suspended, and opens with whatever the source says next', () => {
  const [limits, fed] = [{ quotesMax: 10, bookmakersMax: 10, wheelVisitsMax: 10, skewMsMax: 5_000 }, new FedEvents()]
  const engine = new Engine({ ...limits, feedLateMs: 10_000, feedDownMs: 30_000 }, T0)
  const status = (): number => shownOf(engine.board.quotes.status[1]!)
  const feed = (one: Observation): void => {
    assert.equal(engine.observe(one, T0 + 9_000), undefined)
    fed.note(one)
  }
  feed(of(20, 'a'))
  feed(of(10, 'a', { prices: [{ ...observation(1).prices[0]!, outcome: 'away' }] }))
  for (const one of fed.takeBack()) engine.observe(one, T0 + 9_000)
  assert.deepEqual([...engine.board.quotes.status.slice(1, 3)], [2, 2])
  feed(of(21, 'a'))
  assert.equal(status(), 1)
})

test('past what can be remembered the event that was silent longest is taken back', () => {
  const fed = new FedEvents(2)
  assert.equal(fed.note(of(1, 'a')), undefined)
  assert.equal(fed.note(of(2, 'b')), undefined)
  assert.equal(fed.note(of(3, 'a')), undefined)
  assert.deepEqual(keys([fed.note(of(4, 'c'))!]), ['northbet live b'])
  assert.deepEqual(keys(fed.takeBack()), ['northbet live a', 'northbet live c'])
})
