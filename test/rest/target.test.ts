import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal } from '../../src/domain/refusal.ts'
import { parseDateTime } from '../../src/domain/time.ts'
import { type Query, Targets } from '../../src/rest/target.ts'

const targets = new Targets(100)

const parsed = (path: string, query: string): Query => {
  const target = targets.parse(`/api/v1${path}`, query)
  assert(target !== undefined && !isRefusal(target.query), `${path}?${query}`)
  return target.query
}

const refusedField = (path: string, query: string): string | undefined => {
  const target = targets.parse(`/api/v1${path}`, query)
  assert(target !== undefined && isRefusal(target.query), `${path}?${query} is refused`)
  assert.equal(target.query.refused, 'validation_failed')
  return target.query.field
}

test('defaults stand in for what is not sent', () => {
  const { transport, limit, offset, sport, league, bookmakers } = parsed('/events', '')
  assert.deepEqual(
    { transport, limit, offset, sport, league, bookmakers },
    {
      transport: 'rest',
      limit: 50,
      offset: 0,
      sport: undefined,
      league: undefined,
      bookmakers: undefined,
    },
  )
  assert.equal(parsed('/bookmakers', '').sport, 'football')
})

test('values inside the bounds are accepted, those just outside refused', () => {
  assert.equal(parsed('/sports', 'limit=1').limit, 1)
  assert.equal(parsed('/sports', 'limit=500').limit, 500)
  assert.equal(parsed('/sports', 'offset=9007199254740991').offset, 9007199254740991)
  for (const value of ['0', '501', '-1', '+1', '01', '1.0', '1e2', '', 'x', ' 1', '1 ', '٣']) {
    assert.equal(refusedField('/sports', `limit=${encodeURIComponent(value)}`), 'limit', value)
  }
  for (const value of ['-1', '00', '9007199254740992', '99999999999999999999']) {
    assert.equal(refusedField('/sports', `offset=${value}`), 'offset', value)
  }
  for (const value of ['', 'REST', 'both', 'rest,live'])
    assert.equal(refusedField('/events', `transport=${value}`), 'transport')
  for (const value of ['', 'Football', 'soccer']) assert.equal(refusedField('/events', `sport=${value}`), 'sport')
  assert.equal(refusedField('/events', 'league='), 'league')
})

test('the bookmaker filter accepts slugs once each and none blank', () => {
  assert.deepEqual(parsed('/events/1/odds', 'bookmaker=a,b').bookmakers, ['a', 'b'])
  assert.deepEqual(parsed('/events/1/odds', 'bookmaker=a%2Cb').bookmakers, ['a', 'b'])
  for (const value of ['', ',', 'a,', ',a', 'a,,b', 'a,a', '%20', 'a,%20', 'a,%09,b']) {
    assert.equal(refusedField('/events/1/odds', `bookmaker=${value}`), 'bookmaker', value)
  }
})

test('a known parameter given twice is refused, an unknown one and one of another operation are ignored', () => {
  assert.equal(refusedField('/events', 'sport=football&sport=football'), 'sport')
  assert.equal(refusedField('/events', 'limit=1&l%69mit=2'), 'limit')
  assert.equal(parsed('/events', 'foo=1&foo=2&bookmaker=,').limit, 50)
  assert.equal(parsed('/sports', 'sport=nonsense&dateFrom=x').limit, 50)
})

test('percent-encoding is decoded, a plus is a plus, broken encoding is refused', () => {
  assert.equal(parsed('/events', 'league=a%20b').league, 'a b')
  assert.equal(parsed('/events', 'league=a+b').league, 'a+b')
  assert.equal(parsed('/events/%31%32/odds', '').eventId, '12')
  for (const query of ['league=%', 'league=%zz', 'x=%ff', '%e0%a4=1']) refusedField('/events', query)
  assert.equal(refusedField('/events/%ff/odds', ''), 'eventId')
})

test('event ids are digits', () => {
  assert.equal(parsed('/events/0/odds', '').eventId, '0')
  assert.equal(parsed('/events/007/odds', '').eventId, '007')
  for (const id of ['x', '-1', '1.5', '1%20', '%D9%A3', '1%2F2']) {
    assert.equal(refusedField(`/events/${id}/odds`, ''), 'eventId', id)
  }
})

test('paths that are no operation have no target', () => {
  for (const path of [
    '/',
    '/sports/',
    '/Sports',
    '/events/',
    '/events/1',
    '/events/1/odds/',
    '/events//odds',
    '/events/odds',
    '/events/1/2/odds',
    '/sp%6Frts',
    '',
  ]) {
    assert.equal(targets.parse(`/api/v1${path}`, ''), undefined, path)
  }
  assert.equal(targets.parse('/sports', ''), undefined)
})

test('date-times are RFC 3339 with an offset', () => {
  const cases: readonly [string, string | undefined][] = [
    ['2026-11-20T19:03:11Z', '2026-11-20T19:03:11.000Z'],
    ['2026-11-20t19:03:11.5z', '2026-11-20T19:03:11.500Z'],
    ['2026-11-20T19:03:11.48299+01:30', '2026-11-20T17:33:11.482Z'],
    ['2026-11-20T19:03:11-00:00', '2026-11-20T19:03:11.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2026-02-29T00:00:00Z', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['2026-11-20T24:00:00Z', undefined],
    ['2026-11-20T19:60:00Z', undefined],
    ['2026-11-20T19:03:61Z', undefined],
    ['2026-11-20T19:03:11+24:00', undefined],
    ['2026-11-20T19:03:11', undefined],
    ['2026-11-20 19:03:11Z', undefined],
    ['2026-11-20', undefined],
    ['20261120T190311Z', undefined],
    ['1795201391', undefined],
  ]
  for (const [text, expected] of cases) {
    const value = parseDateTime(text)
    assert.equal(value === undefined ? undefined : new Date(value.epochMs).toISOString(), expected, text)
    const query = `dateFrom=${encodeURIComponent(text)}`
    if (expected === undefined) assert.equal(refusedField('/events', query), 'dateFrom', text)
    else assert.equal(parsed('/events', query).kickoffFrom, value!.epochMs + (value!.isExact ? 0 : 1), text)
  }
})

test('dateFrom after dateTo is refused, equal ones are accepted', () => {
  const at = '2026-11-20T19:00:00Z'
  const same = parsed('/events', `dateFrom=${at}&dateTo=2026-11-20T20:00:00%2B01:00`)
  assert.equal(same.kickoffFrom, same.kickoffTo)
  assert.equal(refusedField('/events', `dateFrom=2026-11-20T19:00:01Z&dateTo=${at}`), 'dateFrom')
})

test('what a request counts as is known before its parameters are right', () => {
  const transport = (query: string) => targets.parse('/api/v1/events', query)?.transport
  assert.equal(transport('transport=live&limit=0'), 'live')
  assert.equal(transport('transport=bogus'), 'rest')
  assert.equal(transport('transport=live&transport=rest'), 'rest')
  assert.equal(transport(''), 'rest')
})

test('refusals name what is allowed', () => {
  const message = (query: string): string => {
    const target = targets.parse('/api/v1/bookmakers', query)
    return target !== undefined && isRefusal(target.query) ? target.query.message : ''
  }
  assert.match(message('limit=0'), /limit .*1 to 500/)
  assert.match(message('transport=x'), /transport must be one of rest, live/)
  assert.match(message('sport=x'), /sport must be one of football, tennis/)
})
