import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFault } from '../../src/access/fault.ts'
import { Store } from '../../src/access/store.ts'
import type { VerificationOutcome, VerificationPolicy } from '../../src/domain/coverage.ts'
import type { Sport } from '../../src/domain/sport.ts'
import { newFolder } from './folder.ts'

const AT = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000

const POLICY: VerificationPolicy = { everyHours: 24, failuresMax: 2, onFailure: 'source_limited' }

const openStore = (): Store => {
  const store = Store.open(newFolder(), { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(store))
  const shared = {
    status: 'verified_rest_live',
    restAvailable: true,
    liveAvailable: true,
    lastVerifiedAt: null,
  } as const
  const facts = { displayName: 'A', region: '', countries: [], sourceMode: 'direct', customerNote: '' } as const
  store.coverage.import(
    [
      {
        slug: 'a',
        ...facts,
        coverage: [
          { sport: '*', ...shared },
          { sport: 'golf', ...shared },
        ],
      },
    ],
    AT,
  )
  return store
}

const record = (store: Store, sport: Sport, at: number, ...outcomes: readonly VerificationOutcome[]) => {
  const [rest = 'passed', live = rest] = outcomes
  const channels = [
    { transport: 'rest', outcome: rest, quotes: 1, detail: 'x' },
    { transport: 'live', outcome: live, quotes: 1, detail: 'y' },
  ] as const
  return store.verification.record({ bookmaker: 'a', sport, channels }, POLICY, null, at)
}

const coverage = (store: Store): Record<string, readonly [string, string | null]> =>
  Object.fromEntries(
    store.coverage
      .bookmakers()
      .flatMap((each) => each.coverage)
      .map(({ sport, status, lastVerifiedAt }) => [sport, [status, lastVerifiedAt]]),
  )

test('only a run that passed on every channel gives the date, and only to the sport that it looked at', () => {
  const store = openStore()
  record(store, 'golf', AT, 'passed', 'skipped')
  assert.equal(coverage(store).golf?.[1], null)
  record(store, 'golf', AT, 'passed')
  record(store, 'tennis', Date.UTC(2026, 10, 21) - 1, 'passed')
  assert.deepEqual(coverage(store), {
    '*': ['verified_rest_live', null],
    golf: ['verified_rest_live', '2026-11-20'],
    tennis: ['verified_rest_live', '2026-11-20'],
  })
  const changes = store.coverage.history().length
  const audit = store.lastAuditId()
  record(store, 'golf', AT + 1, 'passed')
  assert.deepEqual(
    [store.coverage.history().length, store.lastAuditId()],
    [changes, audit],
    'the same day changes nothing',
  )
  assert.deepEqual(store.coverage.history().at(-1)?.by, 'verification')
})

test('failures in a row let the status fall, with history and a removal; a pass or a skip between does as it should', () => {
  const store = openStore()
  assert.equal(record(store, 'golf', AT + 1, 'failed').fellTo, null)
  record(store, 'golf', AT + 2, 'passed')
  assert.equal(record(store, 'golf', AT + 3, 'passed', 'failed').fellTo, null, 'the pass restarted the count')
  record(store, 'golf', AT + 4, 'skipped')
  assert.deepEqual(record(store, 'golf', AT + 5, 'failed'), { outcome: 'failed', fellTo: 'source_limited' })
  assert.deepEqual(coverage(store).golf, ['source_limited', '2026-11-20'])
  assert.deepEqual(coverage(store)['*'], ['verified_rest_live', null], 'other sports stand')
  const change = store.coverage.history().at(-1)
  assert.deepEqual(
    [change?.by, change?.before?.status, change?.after?.status],
    ['verification', 'verified_rest_live', 'source_limited'],
  )
  assert.match(change!.reason, /rest: x; live: y/)
  const removals = store.coverage.removals()
  assert.equal(removals.length, 1)
  assert.deepEqual(removals[0]?.losses, [{ sports: ['golf'], transports: ['rest', 'live'] }])
  assert.equal(removals[0]?.notice, 'immediate')
  assert.equal(record(store, 'golf', AT + 6, 'failed').fellTo, null, 'it has fallen already')
  assert.equal(record(store, 'golf', AT + 7, 'passed').fellTo, null)
  assert.equal(coverage(store).golf?.[0], 'source_limited', 'only an operator can lift it')
})

test('a change by hand restarts the count of failures', () => {
  const store = openStore()
  record(store, 'golf', AT + 1, 'failed')
  record(store, 'golf', AT + 2, 'failed')
  const back = store.coverage.set('a', 'golf', { status: 'verified_rest_live' }, { isNow: false, reason: 'ok' }, AT + 3)
  assert.ok(!isFault(back))
  assert.equal(record(store, 'golf', AT + 4, 'failed').fellTo, null)
  assert.equal(record(store, 'golf', AT + 5, 'failed').fellTo, 'source_limited')
})

test('a run about coverage that is gone is recorded, and changes nothing; old runs are dropped', () => {
  const store = openStore()
  const removed = store.coverage.remove('a', '*', { isNow: true, reason: 'gone', effectiveAt: undefined }, AT)
  assert.ok(!isFault(removed))
  record(store, 'golf', AT, 'failed')
  assert.deepEqual(record(store, 'golf', AT + 100 * 24 * HOUR_MS, 'failed'), { outcome: 'failed', fellTo: null })
  assert.deepEqual(store.verification.last(), [{ bookmaker: 'a', sport: 'golf', at: AT + 100 * 24 * HOUR_MS }])
})

test('requests: sent once, as pending, with what they ask for', () => {
  const store = openStore()
  const before = store.lastAuditId()
  const { id, auditId } = store.verification.request({ bookmaker: 'a', sport: null }, AT)
  assert.deepEqual(store.changesSince(before)?.requests, [{ id, bookmaker: 'a', sport: null }])
  assert.equal(store.changesSince(auditId), undefined)
  store.verification.finish(id, 'nothing there')
  assert.deepEqual(store.changesSince(before)?.requests, [])
  assert.equal(store.verification.requestOf(id)?.detail, 'nothing there')
})
