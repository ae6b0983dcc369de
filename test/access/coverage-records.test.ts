import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CoverageRemoval } from '../../src/access/coverage-records.ts'
import { isFault } from '../../src/access/fault.ts'
import { Store } from '../../src/access/store.ts'
import type { Bookmaker, Coverage, CoverageStatus } from '../../src/domain/coverage.ts'
import { type Sport, SPORTS } from '../../src/domain/sport.ts'
import { newFolder } from './folder.ts'

const AT = Date.UTC(2026, 10, 20, 12)
const DAY_MS = 24 * 3_600_000

const openStore = (dataDir = newFolder()): Store => {
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(store))
  return store
}

const row = (sport: Sport | '*', status: CoverageStatus = 'verified_rest_only'): Coverage => ({
  sport,
  status,
  restAvailable: true,
  liveAvailable: status === 'verified_rest_live',
  lastVerifiedAt: null,
})

const bookmaker = (slug: string, ...coverage: Coverage[]): Bookmaker => ({
  slug,
  displayName: slug.toUpperCase(),
  region: 'Europe',
  countries: ['MT'],
  sourceMode: 'direct',
  customerNote: '',
  coverage,
})

const done = <T extends object>(value: T): Exclude<T, { readonly fault: string }> => {
  assert.ok(!isFault(value), JSON.stringify(value))
  return value as Exclude<T, { readonly fault: string }>
}

const refused = (value: object, message: RegExp): void => {
  assert.ok(isFault(value), JSON.stringify(value))
  assert.match(value.fault, message)
}

const rowsOf = (store: Store, slug: string): (string | boolean | null)[][] =>
  done(store.coverage.bookmakerOf(slug)).coverage.map((each) => [each.sport, each.status, each.lastVerifiedAt])

const removalsOf = (store: Store): Pick<CoverageRemoval, 'bookmaker' | 'sport' | 'notice' | 'status' | 'losses'>[] =>
  store.coverage
    .removals()
    .map(({ bookmaker: slug, sport, notice, status, losses }) => ({ bookmaker: slug, sport, notice, status, losses }))

const QUIET = { isNow: false, reason: undefined }
const HASTE = { isNow: true, reason: 'it lies' }

test('an import writes history for what really changed, and an immediate removal where customers lose', () => {
  const store = openStore()
  store.coverage.import([bookmaker('a', row('football'), row('tennis'))], AT)
  assert.equal(store.coverage.history().length, 2)
  store.coverage.import([bookmaker('a', row('football'), row('tennis'))], AT + 1)
  assert.equal(store.coverage.history('a').length, 2, 'the same again is no change')
  const effects = store.coverage.import([bookmaker('a', row('football', 'source_limited'), row('golf'))], AT + 2)
  assert.equal(effects.immediate, 1)
  assert.deepEqual(
    store.coverage
      .history()
      .slice(2)
      .map(({ at, sport, before, after, by }) => [at, sport, before?.status, after?.status, by]),
    [
      [AT + 2, 'football', 'verified_rest_only', 'source_limited', 'import'],
      [AT + 2, 'tennis', 'verified_rest_only', undefined, 'import'],
      [AT + 2, 'golf', undefined, 'verified_rest_only', 'import'],
    ],
  )
  assert.deepEqual(removalsOf(store), [
    {
      bookmaker: 'a',
      sport: '*',
      notice: 'immediate',
      status: 'done',
      losses: [{ sports: ['football', 'tennis'], transports: ['rest'] }],
    },
  ])
})

test('the same file at every start undoes nothing that has come since; a new one, or the command, does', () => {
  const store = openStore()
  const file = [bookmaker('a', row('football'), row('tennis'))]
  store.coverage.import(file, AT, true)
  done(store.coverage.set('a', 'football', { status: 'disabled_until_review' }, HASTE, AT))
  done(store.coverage.remove('a', 'tennis', { ...HASTE, effectiveAt: undefined }, AT))
  done(store.coverage.set('a', 'golf', { status: 'live_beta' }, QUIET, AT))
  const before = rowsOf(store, 'a')
  store.coverage.import(file, AT, true)
  assert.deepEqual(rowsOf(store, 'a'), before)
  const changed = [bookmaker('a', row('football', 'live_beta'), row('tennis'))]
  store.coverage.import(changed, AT, true)
  assert.deepEqual(rowsOf(store, 'a'), [
    ['football', 'live_beta', null],
    ['golf', 'live_beta', null],
  ])
  store.coverage.import(file, AT)
  assert.deepEqual(rowsOf(store, 'a'), [
    ['football', 'verified_rest_only', null],
    ['tennis', 'verified_rest_only', null],
  ])
})

test('a recorded date of verification survives an import that knows none', () => {
  const store = openStore()
  const verified = { ...row('football'), lastVerifiedAt: '2026-11-19' }
  store.coverage.import([bookmaker('a', verified)], AT)
  store.coverage.import([bookmaker('a', row('football', 'verified_rest_live'))], AT)
  assert.deepEqual(rowsOf(store, 'a'), [['football', 'verified_rest_live', '2026-11-19']])
})

test('what removes nothing from customers is set at once; what does needs haste and a reason', () => {
  const store = openStore()
  store.coverage.import([bookmaker('a', row('*'))], AT)
  refused(store.coverage.set('b', '*', { status: 'live_beta' }, QUIET, AT), /no bookmaker "b"/)
  refused(store.coverage.set('a', '*', { restAvailable: false }, QUIET, AT), /all sports on rest.*--now/)
  refused(store.coverage.set('a', 'golf', { status: 'source_limited' }, { ...QUIET, isNow: true }, AT), /golf on rest/)
  assert.equal(store.coverage.history().length, 1, 'nothing was changed')
  const wider = store.coverage.set('a', 'golf', { status: 'verified_rest_live', liveAvailable: true }, QUIET, AT)
  assert.equal(done(wider).immediate, 0)
  assert.equal(done(store.coverage.set('a', '*', { status: 'source_limited' }, HASTE, AT)).immediate, 1)
  assert.deepEqual(rowsOf(store, 'a'), [
    ['*', 'source_limited', null],
    ['golf', 'verified_rest_live', null],
  ])
  const [removal] = store.coverage.removals()
  assert.deepEqual(removal?.losses, [{ sports: SPORTS.filter((sport) => sport !== 'golf'), transports: ['rest'] }])
  assert.equal(removal?.reason, 'it lies')
  store.coverage.import([bookmaker('c', row('golf'))], AT)
  refused(store.coverage.set('c', 'tennis', { restAvailable: true }, QUIET, AT), /--status/)
})

test('a removal is announced for a day 90 days away at least, takes effect then, and keeps * from covering again', () => {
  const store = openStore()
  store.coverage.import([bookmaker('a', row('*'), row('golf'))], AT)
  const day = (days: number): number => Date.UTC(2026, 10, 20) + days * DAY_MS
  const remove = (effectiveAt?: number) => store.coverage.remove('a', 'golf', { ...QUIET, effectiveAt }, AT)
  refused(remove(day(90)), /90 days.*2027-02-19 at the earliest/)
  const { removal } = done(remove())
  assert.equal(removal?.effectiveAt, day(91), 'the first day that begins 90 days later')
  refused(remove(), /announced already/)
  assert.equal(store.coverage.removeDue(day(91) - 1), undefined)
  assert.deepEqual(rowsOf(store, 'a')[1], ['golf', 'verified_rest_only', null])
  assert.ok(store.coverage.removeDue(day(91)))
  assert.deepEqual(rowsOf(store, 'a')[1], ['golf', 'disabled_until_review', null])
  assert.deepEqual(removalsOf(store), [
    {
      bookmaker: 'a',
      sport: 'golf',
      notice: 'window',
      status: 'done',
      losses: [{ sports: ['golf'], transports: ['rest'] }],
    },
  ])
  assert.equal(store.coverage.history().at(-1)?.by, 'remove')
  assert.equal(store.coverage.removeDue(day(92)), undefined)
  refused(remove(), /no coverage in golf/)
})

test('an import or a change of that coverage withdraws what is announced; the same file again does not', () => {
  const store = openStore()
  const file = [bookmaker('a', row('football'), row('golf'))]
  store.coverage.import(file, AT, true)
  const announce = (): void => void done(store.coverage.remove('a', '*', { ...QUIET, effectiveAt: undefined }, AT))
  const statuses = (): string[] => store.coverage.removals().map(({ status }) => status)
  announce()
  store.coverage.import(file, AT, true)
  assert.deepEqual(statuses(), ['announced'])
  assert.equal(store.coverage.import(file, AT).withdrawn, 1)
  announce()
  assert.equal(done(store.coverage.set('a', 'golf', { status: 'source_limited' }, HASTE, AT)).withdrawn, 0)
  assert.equal(done(store.coverage.set('a', 'golf', { status: 'verified_rest_only' }, QUIET, AT)).withdrawn, 1)
  assert.deepEqual(statuses(), ['withdrawn', 'withdrawn', 'done'])
  assert.equal(store.coverage.removeDue(AT + 400 * DAY_MS), undefined)
  assert.equal(rowsOf(store, 'a').length, 2)
})

test('a removal in haste needs a reason; what no customer sees goes at once and without one', () => {
  const store = openStore()
  store.coverage.import([bookmaker('a', row('football'), row('golf', 'source_limited'))], AT)
  const unseen = done(store.coverage.remove('a', 'golf', { ...QUIET, effectiveAt: undefined }, AT))
  assert.equal(unseen.removal, undefined)
  refused(store.coverage.remove('a', '*', { ...QUIET, isNow: true, effectiveAt: undefined }, AT), /--reason/)
  done(store.coverage.remove('a', '*', { ...QUIET, effectiveAt: undefined }, AT))
  const { removal } = done(store.coverage.remove('a', '*', { ...HASTE, effectiveAt: undefined }, AT))
  assert.deepEqual([removal?.notice, removal?.effectiveAt], ['immediate', AT])
  assert.deepEqual(rowsOf(store, 'a'), [])
  assert.deepEqual(
    store.coverage.removals().map(({ status }) => status),
    ['withdrawn', 'done'],
  )
})
