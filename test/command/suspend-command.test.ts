// oddswire suspend and resume beside the real service: what REST shows and what a subscriber has been sent when they return.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { command, rows } from '../feeds/command.ts'
import { Customer, listedEvents, quotesOf } from '../feeds/customer.ts'
import { until } from '../feeds/waiting.ts'
import { done, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { RawClient } from '../stomp/raw-client.ts'

const BOOKS = ['alpha', 'beta'] as const
const KICKOFF_AT = new Date(Math.floor(clock.now() / 3_600_000) * 3_600_000 + 7_200_000).toISOString()

const bodyOf = (bookmaker: string, match: number, odds: number): string =>
  JSON.stringify({
    ...{ bookmaker, transport: 'both', observedAt: new Date(clock.now()).toISOString() },
    event: {
      ...{ sport: 'football', league: { key: 'quarry_league', name: 'Quarry League' } },
      ...{ home: `Home ${match}`, away: `Away ${match}`, kickoffAt: KICKOFF_AT, sourceId: String(match) },
    },
    quotes: [{ type: 'match_result_1x2', line: null, outcome: 'home', odds, status: 'open' }],
  })

test('suspend and resume hold on REST and on the stream when they return, for later quotes, and after a restart', async () => {
  const folder = newFolder()
  const rowsOfCoverage = BOOKS.map((slug) => [slug, 'verified_rest_live', true, true] as const)
  done(folder.path, 'coverage', 'import', writeCoverage(folder.path, rowsOfCoverage))
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  const key = done(folder.path, 'key', 'create', '--org', 'desk')
  const feedKey = done(folder.path, 'key', 'create', '--org', 'desk', '--feed', BOOKS.join())
  let service: RunningService | undefined
  try {
    const start = async (): Promise<[RunningService, RawClient, Customer]> => {
      service = await startService(folder.path, '--log-level', 'warn')
      const feeder = await RawClient.open({ stomp: service.stompPort, http: service.port }, 'tcp', '1.2')
      await feeder.connect({ passcode: feedKey })
      return [service, feeder, await Customer.open(service, key)]
    }
    let [running, feeder, customer] = await start()
    const send = async (bookmaker: string, match: number, odds: number): Promise<void> => {
      const receipt = feeder.receiptId()
      await feeder.frame('SEND', { destination: `/feed/${bookmaker}`, receipt }, bodyOf(bookmaker, match, odds))
      assert.equal((await feeder.next()).command, 'RECEIPT')
      await customer.settle()
    }
    const counts = (): object[] => BOOKS.map((book) => customer.countsOf(book))
    const booksOf = async (id: string): Promise<string[]> =>
      (await quotesOf(running, key, id)).map(({ bookmaker }) => bookmaker).sort()
    const ran = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await command(folder.path, ...args)
      assert.equal(code, 0, stderr)
      await customer.settle()
      return stderr
    }

    await until('the picture is whole', async () => customer.isWhole)
    for (const match of [1, 2]) for (const book of BOOKS) await send(book, match, 2)
    const ids = await listedEvents(running, key)
    assert.equal(ids.length, 2)
    const [one, two] = ids as [string, string]

    assert.equal(await ran('suspend', '--bookmaker', 'alpha', '--event', one), `alpha at event ${one} is suspended\n`)
    assert.deepEqual([await booksOf(one), await booksOf(two)], [['beta'], ['alpha', 'beta']])
    assert.deepEqual(counts(), [
      { open: 1, suspended: 1 },
      { open: 2, suspended: 0 },
    ])

    assert.equal(await ran('suspend', '--bookmaker', 'beta'), 'beta is suspended\n')
    await send('beta', 3, 2)
    await send('beta', 1, 3)
    assert.deepEqual([await booksOf(one), await booksOf(two)], [[], ['alpha']])
    assert.deepEqual(counts()[1], { open: 0, suspended: 3 }, 'what comes later is suspended, too')

    const again = await command(folder.path, 'suspend', '--bookmaker', 'beta')
    assert.deepEqual([again.code, again.stderr], [1, 'oddswire: beta is suspended already\n'])
    const wrong = await command(folder.path, 'suspend', '--bookmaker', 'beta', '--event', 'x')
    assert.match(wrong.stderr, /--event must be the id of an event/)
    assert.match((await command(folder.path, 'resume', '--bookmaker', 'alpha')).stderr, /alpha is not suspended/)
    assert.deepEqual(
      (await rows(folder.path, 'event', 'decisions')).map(({ kind, about }) => [kind, about]),
      [
        ['suspend', ['alpha', one]],
        ['suspend', ['beta']],
      ],
    )

    await customer.leave()
    feeder.destroy()
    await running.stop()
    ;[running, feeder, customer] = await start()
    await until('the picture is whole', async () => customer.isWhole)
    for (const match of [1, 2]) for (const book of BOOKS) await send(book, match, 2)
    assert.deepEqual([await booksOf(one), await booksOf(two)], [[], ['alpha']], 'after a restart')

    assert.equal(await ran('resume', '--bookmaker', 'beta'), 'beta is resumed\n')
    assert.deepEqual([await booksOf(one), await booksOf(two)], [['beta'], ['alpha', 'beta']])
    assert.equal(await ran('resume', '--bookmaker', 'alpha', '--event', one), `alpha at event ${one} is resumed\n`)
    assert.deepEqual(await booksOf(one), ['alpha', 'beta'])
    assert.deepEqual(
      counts(),
      [
        { open: 2, suspended: 0 },
        { open: 3, suspended: 0 },
      ],
      'quotes of before the restart, too',
    )
    await customer.leave()
    feeder.destroy()
  } finally {
    await service?.stop()
    folder.remove()
  }
})
