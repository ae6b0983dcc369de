// The real service on a host whose clock is set while it serves, and one whose clock is wrong at the start.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { FakeHost, faketimeMissing } from '../faketime.ts'
import { until } from '../feeds/waiting.ts'
import { done, get, list, newFolder, type RunningService, writeCoverage } from '../service.ts'
import { RawClient } from '../stomp/raw-client.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR
const HOURLY = 5

/** Shifts all clocks of a test, so that no hour begins while it runs. */
const middleMs = (): number => HOUR / 2 - (clock.now() % HOUR)

class World {
  readonly folder = newFolder()
  readonly host: FakeHost
  readonly middleMs = middleMs()
  private readonly feedKey: string
  readonly desk: string
  readonly limited: string
  service!: RunningService
  private feeder!: RawClient

  constructor() {
    const { path } = this.folder
    this.host = new FakeHost(path)
    done(path, 'coverage', 'import', writeCoverage(path, [['alpha', 'verified_rest_live', true, true]]))
    done(path, 'plan', 'set', 'few', '--hourly', `${HOURLY}`, '--monthly', '0')
    done(path, 'org', 'create', 'desk', '--plan', 'desk')
    done(path, 'org', 'create', 'limited', '--plan', 'few')
    this.desk = done(path, 'key', 'create', '--org', 'desk')
    this.limited = done(path, 'key', 'create', '--org', 'limited')
    this.feedKey = done(path, 'key', 'create', '--org', 'desk', '--feed', 'alpha')
  }

  /** The right time of this test. */
  now(): number {
    return clock.now() + this.middleMs
  }

  /** The clock of the host is wrong by so much. */
  set(wrongMs: number): void {
    this.host.set(this.middleMs + wrongMs)
  }

  async start(wrongMs: number): Promise<void> {
    this.set(wrongMs)
    this.service = await this.host.start(this.folder.path)
    this.feeder = await RawClient.open({ stomp: this.service.stompPort, http: this.service.port }, 'tcp', '1.2')
    await this.feeder.connect({ passcode: this.feedKey })
  }

  async stop(): Promise<void> {
    this.feeder.destroy()
    assert.equal(await this.service.stop(), 0)
  }

  async kill(): Promise<void> {
    this.feeder.destroy()
    await this.service.kill()
  }

  /** Sends a quote; returns whether it was recorded, or refused. A refusal ends the session. */
  async send(match: string, observedAt = this.now()): Promise<boolean> {
    const receipt = this.feeder.receiptId()
    const body = JSON.stringify({
      ...{ bookmaker: 'alpha', transport: 'both', observedAt: new Date(observedAt).toISOString() },
      event: {
        ...{ sport: 'football', league: { key: 'quarry_league', name: 'Quarry League' } },
        ...{ home: `${match} Home`, away: `${match} Away`, sourceId: match },
        kickoffAt: new Date(this.now() + 40 * DAY).toISOString(),
      },
      quotes: [{ type: 'match_result_1x2', line: null, outcome: 'home', odds: 2, status: 'open' }],
    })
    await this.feeder.frame('SEND', { destination: '/feed/alpha', receipt }, body)
    const { command } = await this.feeder.next()
    if (command === 'RECEIPT') return true
    assert.equal(command, 'ERROR')
    this.feeder.destroy()
    this.feeder = await RawClient.open({ stomp: this.service.stompPort, http: this.service.port }, 'tcp', '1.2')
    await this.feeder.connect({ passcode: this.feedKey })
    return false
  }

  async shown(): Promise<string[]> {
    const { body } = await get(this.service, '/events?limit=500', this.desk)
    return list(body.data).map(({ homeTeam }) => `${homeTeam}`.replace(' Home', ''))
  }

  /** Requests that the limited customer is granted. */
  async granted(): Promise<number> {
    let count = 0
    for (let n = 0; n < 2 * HOURLY; n++) if ((await get(this.service, '/sports', this.limited)).status === 200) count++
    return count
  }

  logged(): string {
    return this.service.stderr()
  }

  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.service.admin}/metrics`)).text()
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1])
  }
}

test('the clock is set while the service serves: nothing expires by it, no quota begins anew, no feed is refused', {
  skip: faketimeMissing(),
}, async () => {
  const world = new World()
  try {
    await world.start(0)
    assert.equal(await world.granted(), HOURLY)
    assert.ok(await world.send('lasting', world.now() - 12 * HOUR))
    const steps = [1, -1, 25, -25]
    for (const [n, hours] of steps.entries()) {
      // It expires while the clock is wrong, and neither before nor after its time.
      const leftMs = 3 * SECOND
      const dueAt = world.now() + leftMs
      assert.ok(await world.send(`due ${n}`, dueAt - DAY))
      const before = await world.shown()
      assert.ok(before.includes(`due ${n}`) || world.now() >= dueAt)
      world.set(hours * HOUR)
      await until('the step is measured', async () => {
        const driftS = await world.metric('oddswire_clock_drift_seconds')
        return Math.abs(driftS - hours * 3_600) < 60
      })
      assert.ok(await world.send(`after ${n}`), `a right time after ${hours} h`)
      const shown = await world.shown()
      const shownAt = world.now()
      assert.ok(shown.includes(`after ${n}`))
      assert.ok(shown.includes('lasting'))
      assert.ok(shown.includes(`due ${n}`) || shownAt >= dueAt, 'not early')
      assert.equal(await world.granted(), 0)
      await until('it has expired', async () => !(await world.shown()).includes(`due ${n}`))
      assert.ok(world.now() >= dueAt, 'not early')
      world.set(0)
      assert.ok(await world.send(`back ${n}`))
      assert.equal(await world.granted(), 0)
    }
    const shown = await world.shown()
    for (const n of steps.keys()) assert.ok(shown.includes(`after ${n}`) && shown.includes(`back ${n}`))
    assert.ok(shown.includes('lasting'))
    assert.match(world.logged(), /the system's clock was set forward by 60\.0 min/)
    assert.equal(await world.metric('oddswire_clock_corrections_total'), 0)
    assert.equal(await world.metric('oddswire_times_translated_total'), 0)

    // A restart continues the time of the log, whatever the clock of the host says.
    for (const hours of [1, -25]) {
      const match = `due over a restart at ${hours} h`
      const dueAt = world.now() + 8 * SECOND
      assert.ok(await world.send(match, dueAt - DAY))
      await world.kill()
      await world.start(hours * HOUR)
      assert.equal(await world.granted(), 0)
      const shown = await world.shown()
      assert.ok(shown.includes(match) || world.now() >= dueAt, 'not early')
      assert.ok(shown.includes('lasting'))
      assert.ok(await world.send(`after the restart at ${hours} h`))
      await until('it has expired', async () => !(await world.shown()).includes(match))
      assert.ok(world.now() >= dueAt, 'not early')
      assert.match(world.logged(), /the log is continued, and the system's clock does not agree/)
    }
    await world.stop()
  } finally {
    await world.service.kill()
    world.folder.remove()
  }
})

for (const hours of [-25, 25]) {
  test(`a clock that is wrong by ${hours} h at the start is set: feeds are heard again soon`, {
    skip: faketimeMissing(),
  }, async () => {
    const world = new World()
    try {
      await world.start(hours * HOUR)
      const isHeard = await world.send('early')
      assert.equal(isHeard, hours > 0)
      world.set(0)
      let n = 0
      const isIn = async (match: string): Promise<boolean> =>
        (await world.send(match)) && (await world.shown()).includes(match)
      if (hours < 0) {
        await until('feeds are heard', async () => isIn(`match ${n++}`))
        assert.match(world.logged(), /the time of the service went forward by/)
        assert.equal(await world.metric('oddswire_clock_corrections_total'), 1)
        const driftS = await world.metric('oddswire_clock_drift_seconds')
        assert.ok(Math.abs(driftS) < 1, `${driftS}`)
      } else {
        await until('times are translated', async () => {
          await world.send(`match ${n++ % 10}`)
          return (await world.metric('oddswire_times_translated_total')) > 0
        })
        assert.ok(await isIn('last'))
        assert.match(world.logged(), /times of alpha go with the system's clock/)
      }
      await world.stop()
    } finally {
      await world.service.kill()
      world.folder.remove()
    }
  })
}
