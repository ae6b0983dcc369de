// What an explanation says: the rule, the figures, what to do; and what it does not tell a customer.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { CoverageRemoval } from '../../src/access/coverage-records.ts'
import { hashOf } from '../../src/access/key.ts'
import { UNRESTRICTED } from '../../src/access/scope.ts'
import type { Decision } from '../../src/domain/event-identity.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { answer, type AnswerParts } from '../../src/explain/answer.ts'
import type { Explanation, Reading } from '../../src/explain/explanation.ts'
import { fieldsOf, QUESTION_FIELDS, readQuestion } from '../../src/explain/question.ts'
import { RULES, spanText } from '../../src/explain/step.ts'
import { LIMITS } from '../../src/limits.ts'
import { bookmaker, type Customer, LiveRoom, price, sighting } from '../stomp/memory-carrier.ts'

let room: LiveRoom
let desk: Customer
let parts: AnswerParts
let removals: CoverageRemoval[]

beforeEach(() => {
  room = new LiveRoom({ bookmakers: [bookmaker('alpha'), bookmaker('beta', { sport: 'tennis' })] })
  desk = room.addCustomer('desk')
  removals = []
  parts = {
    ...LIMITS.explain,
    engine: room.engine,
    gate: room.gate,
    registry: room.registry,
    removalsOf: () => removals,
    sessionRefusal: (caller, nowAt) => room.broker.refusalOf(caller, nowAt),
    isServing: () => true,
    sourceOf: (name) => ({
      state: 'down',
      since: 0,
      heardAt: room.nowAt - 90_000,
      suspendedAt: 0,
      problem: `${name} says no`,
    }),
    ring: room.history.ring,
    now: () => room.nowAt,
  }
})

afterEach(() => room.close())

const idOf = (n: number): string => room.engine.sightings.find(`source:${n}`)!.record.event.id

const ask = (fields: Readonly<Record<string, string>> = {}, reading?: Reading): Explanation => {
  const all = { key: desk.keyId, bookmaker: 'alpha', event: 'event' in fields ? '' : idOf(1), ...fields }
  const given = answer(parts, all, reading)
  assert('steps' in given, JSON.stringify(given))
  return given
}

/** Tells prices of event 1, and ends the turn. */
const tell = (...args: Parameters<LiveRoom['tell']>): void => {
  room.tell(...args)
  room.turn()
}

const detailOf = ({ steps }: Explanation, rule: string): string =>
  steps.find((step) => step.rule === rule)?.detail ?? 'none'

const HOME = { market: 'match_result_1x2', line: 'none', outcome: 'home' }

const decide = (...decisions: readonly Decision[]): void => {
  room.turns.add({ kind: 'decide', decisions })
  room.turn()
}

test('all steps, in the order of the rules, and a verdict; the answer for one quote and for the book', () => {
  tell('alpha', 1, [price('home', 2), price('away', 3)], { transport: 'both' })
  const one = ask({ ...HOME, transport: 'live' })
  assert.deepEqual(
    one.steps.map(({ rule }) => rule),
    RULES,
  )
  assert(one.steps.every(({ passed, hides }) => passed && hides.length === 0))
  assert.deepEqual([one.hiddenBy, one.shownBy, one.quoteCount], [null, ['rest', 'live'], 1])
  assert.equal(one.verdict, 'visible: match_result_1x2 home of alpha, by GET odds?transport=live and the live channel')
  const whole = ask()
  assert.equal(whole.verdict, 'visible: 2 quotes of alpha, by GET odds?transport=rest')
  assert.deepEqual(
    whole.quotes.map(({ name, odds, status, shownBy }) => ({ name, odds, status, shownBy })),
    [
      { name: 'match_result_1x2 home', odds: 2, status: 'open', shownBy: ['rest'] },
      { name: 'match_result_1x2 away', odds: 3, status: 'open', shownBy: ['rest'] },
    ],
  )
  assert.deepEqual(whole.event?.name, 'Home 1 v Away 1')
})

test('a suspended quote is hidden from GET odds, and shown as suspended by the live channel, with its cause', () => {
  tell('alpha', 1, [price('home', 2, 'open'), price('away', 3)], { transport: 'both' })
  tell('alpha', 1, [price('home', 2, 'suspended')], { transport: 'both' })
  const rest = ask(HOME)
  assert.equal(rest.hiddenBy, 'status')
  assert.match(rest.verdict, /^hidden by: status — match_result_1x2 home is suspended by the bookmaker itself/)
  const live = ask({ ...HOME, transport: 'live' })
  assert.deepEqual([live.hiddenBy, live.shownBy], [null, ['live']])
  assert.match(live.verdict, /, by the live channel, as suspended$/)
  assert.match(ask().verdict, /^visible: 1 of 2 quotes/)

  decide({ kind: 'suspend', bookmaker: 'alpha', event: idOf(1) })
  assert.match(
    ask({ ...HOME, outcome: 'away' }).verdict,
    new RegExp(
      `suspended by an operator, alpha at event ${idOf(1)}; oddswire resume --bookmaker alpha --event ${idOf(1)} ends`,
    ),
  )
  decide({ kind: 'suspend', bookmaker: 'alpha', event: null })
  assert.match(detailOf(ask(HOME), 'status'), /operator, all of alpha; .*the bookmaker has suspended it, too/)
})

test('a suspect quote names what its producer may have missed, and its source', () => {
  const producer = 'feed part 1'
  const observe = (): void => {
    const prices = [price('home', 2)]
    const observation = {
      bookmaker: 'alpha',
      transport: 'rest',
      observedAt: room.nowAt,
      event: sighting(1),
      prices,
      others: 'keep',
    } as const
    room.turns.add({ kind: 'observe', observation, producer, doubt: undefined })
    room.turn()
  }
  observe()
  for (const [doubt, text] of [
    ['source_down', /source feed is down or was stopped/],
    ['gap', /source feed \(feed part 1\) may have missed something/],
    ['clock', /clock of source feed is ahead/],
  ] as const) {
    room.turns.add({ kind: 'suspect', producer, doubt })
    room.turn()
    const found = ask(HOME)
    assert.equal(found.hiddenBy, 'status')
    assert.match(found.verdict, text)
    assert.match(detailOf(found, 'source'), /Source feed is down and was heard 90 s ago, problem: feed says no/)
    assert.doesNotMatch(JSON.stringify(ask(HOME, { reader: 'customer' })), /feed part|source feed|says no/)
    observe()
  }
})

test('closed, never seen, of another market, aged out', () => {
  tell('alpha', 1, [price('home', 2), price('away', 3)], { transport: 'rest' })
  tell('alpha', 1, [price('away', 3, 'closed')], { transport: 'rest' })
  assert.match(ask({ ...HOME, outcome: 'away' }).verdict, /^hidden by: status — match_result_1x2 away is closed/)
  assert.match(ask({ ...HOME, outcome: 'hom' }).verdict, /^hidden by: quote — .* did you mean "home"\?$/)
  assert.match(
    ask({ market: 'btts' }).verdict,
    /^hidden by: quote — alpha has no btts .* It has the markets match_result_1x2\.$/,
  )
  assert.match(
    ask({ transport: 'live' }).verdict,
    /^hidden by: quote — The board has nothing of alpha at this event on transport live/,
  )
  tell('alpha', 2, [price('home', 2)], { transport: 'rest' })
  room.jump(24 * 3_600_000)
  const aged = ask(HOME)
  assert.match(aged.verdict, /^hidden by: freshness — Last observed at .*Z, 24 h ago: .* so that it aged out at/)
  const id = idOf(1)
  room.turn()
  assert.match(ask({ event: id }).verdict, /^hidden by: event — There is no event/)
})

test('an event that has ended is named while the log has its end; customers get no word of it', () => {
  tell('alpha', 1, [price('home', 2)])
  const id = idOf(1)
  room.jump(24 * 3_600_000)
  room.turn()
  assert.match(ask({ event: id }).verdict, /hidden by: event — Event \d+ \(Home 1 v Away 1\) has ended: .* 0 ms ago\.$/)
  assert.match(ask({ event: id }, { reader: 'customer' }).verdict, /There is no event/)
  parts = { ...parts, groupsMax: 0 }
  assert.match(ask({ event: id }).verdict, /There is no event/)
})

test('a merged event has its current id; events that were kept separate are named', () => {
  tell('alpha', 1, [price('home', 2)], { transport: 'both', event: sighting(1, { sourceKey: 'a:1' }) })
  tell('beta', 2, [price('home', 2)], { transport: 'both', event: sighting(2, { sourceKey: 'b:2' }) })
  const [one, two] = ['a:1', 'b:2'].map((key) => room.engine.sightings.find(key)!.record.event.id) as [string, string]
  decide({ kind: 'split', keys: ['a:1', 'b:2'] })
  const apart = ask({ event: one, bookmaker: 'beta' })
  assert.match(
    detailOf(apart, 'event'),
    new RegExp(`A decision keeps it separate from ${two} \\(Home 2 v Away 2, where beta has 1 quote\\)`),
  )
  assert.doesNotMatch(JSON.stringify(ask({ event: one }, { reader: 'customer' })), /separate/)
  decide({ kind: 'merge', keys: ['a:1', 'b:2'], swapped: false })
  const now = room.engine.sightings.find('a:1')!.record.event.id
  const former = now === one ? two : one
  assert.match(detailOf(ask({ event: former }), 'event'), new RegExp(`its id is ${now} now, and ${former} leads there`))
})

test('coverage: not registered, not of this sport, not of this transport, a removal that is announced', () => {
  tell('alpha', 1, [price('home', 2)], { transport: 'both' })
  tell('beta', 1, [price('home', 2)], { transport: 'both' })
  assert.match(
    ask({ bookmaker: 'alpah' }).verdict,
    /^hidden by: coverage — No bookmaker alpah is registered; did you mean "alpha"\? /,
  )
  assert.match(ask({ bookmaker: 'beta' }).verdict, /^hidden by: coverage — beta has no coverage of football/)
  room.setBookmakers([bookmaker('alpha', { status: 'live_beta' })])
  assert.match(
    ask().verdict,
    /^hidden by: coverage — Coverage of alpha in football \(by \*\) is live_beta, rest available/,
  )
  room.setBookmakers([bookmaker('alpha')])
  const loss = { sports: ['football'], transports: ['rest'] } as const
  const removal = { announcedAt: 0, effectiveAt: Date.UTC(2027, 0, 2), losses: [loss] } as unknown as CoverageRemoval
  removals = [removal]
  assert.match(detailOf(ask(), 'coverage'), /Its removal is announced: from 2027-01-02 on it is not shown/)
  assert.doesNotMatch(detailOf(ask({ transport: 'live' }), 'coverage'), /removal/)
})

test('rights: a revoked key, an expired one, scope, entitlement, a limit of live connections', () => {
  tell('alpha', 1, [price('home', 2)], { transport: 'both' })
  const { keyId, secret, organization } = desk
  const record = {
    id: keyId,
    name: '',
    hash: hashOf(secret),
    kind: 'customer',
    organization,
    scope: UNRESTRICTED,
    createdAt: 0,
    createdBy: 'command',
    lastUsedAt: null,
  } as const
  const nothing = { auditId: 0, plans: [], organizations: [], keys: [], keysDeleted: [], bookmakers: null }
  const put = (over: { readonly expiresAt?: number; readonly revokedAt?: number }): void =>
    room.gate.apply({ ...nothing, keys: [{ ...record, expiresAt: null, revokedAt: null, ...over }] })
  put({ expiresAt: room.nowAt - 60_000 })
  assert.match(ask().verdict, /^hidden by: key — Key key_desk of organization desk expired at .*, 60 s ago \(401/)
  put({ revokedAt: room.nowAt })
  assert.match(ask().verdict, /^hidden by: key — .* was revoked/)
  put({})
  for (const key of [keyId, secret, hashOf(secret), hashOf(secret).toUpperCase()])
    assert.equal(ask({ key }).hiddenBy, null)
  room.setScope(desk, { ...UNRESTRICTED, sports: ['tennis'] })
  assert.match(ask().verdict, /^hidden by: scope — This API key does not allow sport football; it allows tennis/)
  room.setScope(desk, UNRESTRICTED)
  room.setEntitlement(desk, ['beta'])
  assert.match(ask().verdict, /^hidden by: entitlement — alpha is not one of the 1 bookmakers of organization desk/)
  assert.match(
    ask({ key: `${secret}x` }).verdict,
    /^hidden by: key — This is not an API key: it is incomplete or mistyped/,
  )
})

test('keys of another organization are unknown, and a customer gets nothing behind the rule that hides', () => {
  tell('alpha', 1, [price('home', 2)], { transport: 'both' })
  const other = room.addCustomer('other')
  const unknown = ask({ key: 'key_none' }, { organization: desk.organization, reader: 'customer' })
  const foreign = ask({ key: other.keyId }, { organization: desk.organization, reader: 'customer' })
  assert.deepEqual(foreign, unknown)
  assert.deepEqual(
    foreign.steps.map(({ rule }) => rule),
    ['key'],
  )
  assert.deepEqual([foreign.event, foreign.quotes], [undefined, []])
  assert.equal(ask({}, { organization: desk.organization }).hiddenBy, null)
  room.setEntitlement(desk, [])
  const hidden = ask({}, { reader: 'customer' })
  assert.equal(hidden.steps.at(-1)?.rule, 'entitlement')
  assert.deepEqual([hidden.event, hidden.quotes, hidden.quoteCount], [undefined, [], 0])
})

test('asking is no use of a key, and finds nothing in the rights of the log', () => {
  tell('alpha', 1, [price('home', 2)])
  let used = 0
  room.gate.onUse(() => used++)
  const silent = room.addCustomer('silent')
  const before = used
  room.gate.renumber()
  assert.equal(ask({ key: silent.keyId }).hiddenBy, 'quote')
  assert.equal(used, before)
  room.use(silent)
  assert.equal(used, before + 1, 'the first request after that is a use')
})

test('an event is found by names or by the id of a source; several are listed', () => {
  tell('alpha', 1, [price('home', 2)], {
    event: sighting(1, { home: 'Harbour Town', away: 'Millbrook' }),
    transport: 'rest',
  })
  tell('alpha', 2, [price('home', 2)], {
    event: sighting(2, { home: 'Harbour Rovers', away: 'Ångström' }),
    transport: 'rest',
  })
  for (const event of ['Harbour Town v Millbrook', 'millbrook', 'source:1'])
    assert.equal(ask({ event }).event?.id, idOf(1))
  assert.equal(ask({ event: 'angstrom' }).event?.id, idOf(2))
  const fields = { key: desk.keyId, bookmaker: 'alpha', event: 'harbour' }
  const several = answer(parts, fields)
  assert('candidates' in several)
  assert.deepEqual(
    [several.candidates.map(({ name }) => name).sort(), several.isCut],
    [['Harbour Rovers v Ångström', 'Harbour Town v Millbrook'], false],
  )
  assert.deepEqual(answer(parts, { ...fields, event: 'nobody' }), { candidates: [], isCut: false })
  room.setEntitlement(desk, [])
  assert.deepEqual(answer(parts, fields, { reader: 'customer' }), { candidates: [], isCut: false })
  assert(isRefusal(answer(parts, { ...fields, event: ' v ' })))
})

test('the work of one question is bounded: events compared, and listed; quotes listed', () => {
  for (let n = 1; n <= 30; n++) room.tell('alpha', n, [price('home', 2)], { transport: 'rest' })
  const prices = Array.from({ length: LIMITS.explain.quotesMax + 1 }, (_, n) => price(`runner ${n}`, 2))
  tell('alpha', 1, prices, { transport: 'rest' })
  const whole = ask()
  assert.deepEqual([whole.quotes.length, whole.quoteCount], [LIMITS.explain.quotesMax, prices.length + 1])
  const fields = { key: desk.keyId, bookmaker: 'alpha', event: 'away' }
  const listed = answer(parts, fields)
  assert('candidates' in listed)
  assert.deepEqual([listed.candidates.length, listed.isCut], [LIMITS.explain.candidatesMax, true])
  const cut = answer({ ...parts, eventsMax: 0 }, fields)
  assert.deepEqual(cut, { candidates: [], isCut: true })
  room.jump(12 * 3_600_000)
  const past = answer(parts, fields)
  assert('candidates' in past && past.candidates.length === LIMITS.explain.candidatesMax, 'events that began long ago')
})

test('a question is refused by the name of its field', () => {
  const good = { key: 'key_1', event: '1', bookmaker: 'alpha' }
  for (const [field, value] of [
    ['key', ''],
    ['key', 'k'.repeat(257)],
    ['event', ' '],
    ['bookmaker', 'Alpha'],
    ['market', 'nothing'],
    ['line', 'two'],
    ['outcome', ''],
    ['transport', 'both'],
  ] as const) {
    const refused = readQuestion({ ...good, [field]: value })
    assert(isRefusal(refused) && refused.field === field, `${field} ${value}`)
  }
  assert.deepEqual(readQuestion({ ...good, line: '-1.50', transport: 'live' }), {
    ...{ ...good, market: undefined, line: -1.5, outcome: undefined, transport: 'live' },
  })
  assert.deepEqual(fieldsOf('event=Harbour%20Town&x=1&key=a'), { event: 'Harbour Town', key: 'a' })
  for (const name of QUESTION_FIELDS) {
    for (const query of [`${name}=%ff`, `${name}=a&${name}=b`]) {
      const refused = fieldsOf(query)
      assert(isRefusal(refused) && refused.field === name, query)
    }
  }
})

test('spans of time are written as people say them', () => {
  const spans = [-5, 999, 1_000, 119_999, 120_000, 7_199_999, 7_200_000, 8_100_000, 172_800_000].map(spanText)
  assert.deepEqual(spans, ['0 ms', '999 ms', '1 s', '119 s', '2 min', '119 min', '2 h', '2 h 15 min', '2 d'])
})
