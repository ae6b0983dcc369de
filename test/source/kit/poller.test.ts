// The loop: what is polled when, what an answer does to the schedule, and that nothing is asked for that should not be.

import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { now } from '../../../src/clock.ts'
import type { SourceAccess } from '../../../src/source/kit/http-client.ts'
import type { PollLimits } from '../../../src/source/kit/poll-limits.ts'
import type { Hold, PollTarget } from '../../../src/source/kit/poll-target.ts'
import { Poller } from '../../../src/source/kit/poller.ts'
import { Paces } from '../../../src/source/kit/rate.ts'
import { SEED } from '../../random.ts'
import { changed, Desk, DIRECT, QUICK, say, type Script, ScriptedSource, until } from './scripted-source.ts'

interface Stand {
  readonly source: ScriptedSource
  readonly desk: Desk
  readonly poller: Poller & { renew(key: string): void }
  /** What came of the targets: `take /a …`, `stands /a`, `gone /a`, `stale /a`. */
  readonly came: string[]
  readonly target: (path: string, changes?: Partial<PollTarget>) => PollTarget
}

interface StandOptions {
  readonly limits?: Partial<PollLimits>
  readonly access?: Partial<SourceAccess>
  readonly holdOf?: (target: PollTarget, nowAt: number) => Hold | undefined
  readonly secrets?: readonly string[]
}

const stand = async (context: TestContext, script: Script, options: StandOptions = {}): Promise<Stand> => {
  const source = await new ScriptedSource(script).start()
  const desk = new Desk()
  const came: string[] = []
  class Polled extends Poller {
    override renew(key: string): void {
      super.renew(key)
    }

    protected override holdOf(target: PollTarget, nowAt: number): Hold | undefined {
      return options.holdOf?.(target, nowAt)
    }
  }
  const poller = new Polled(
    {
      access: { ...DIRECT, ...options.access },
      limits: { ...QUICK, ...options.limits },
      origin: source.origin,
      secrets: options.secrets ?? [],
    },
    desk,
    new Paces(),
  )
  context.after(async () => {
    await poller.stop()
    await source.stop()
  })
  const target: Stand['target'] = (path, changes = {}) => ({
    key: path,
    url: new URL(path, source.origin),
    kind: 'prices',
    group: 'all',
    priority: 1,
    intervalMs: () => 5,
    read: async (text) => {
      came.push(`take ${path} ${text}`)
      changed()
      return text.startsWith('{') ? true : 'is not JSON'
    },
    unchanged: async () => {
      came.push(`stands ${path}`)
      changed()
      return true
    },
    ...changes,
  })
  return { source, desk, poller, came, target }
}

test('a target is polled again and again; 304 says that all stands', async (context) => {
  const one = await stand(context, ({ number, headers }, response) => {
    if (number === 1) assert.equal(headers['if-none-match'], undefined)
    if (headers['if-none-match'] === '"1"') response.writeHead(304).end()
    else say(response, '{}', { etag: '"1"' })
  })
  one.poller.put(one.target('/a'))
  one.poller.start()
  await until(() => one.desk.heard >= 4, 'four answers')
  assert.deepEqual(one.came.slice(0, 4), ['take /a {}', 'stands /a', 'stands /a', 'stands /a'])
  await one.poller.stop()
  const { polls, notModified, failures, lastStatus, nextPollAt, urls } = one.poller.facts()
  assert.deepEqual([lastStatus, failures, urls, nextPollAt], [304, 0, 1, null])
  assert.ok(Number(notModified) >= 3 && Number(polls) > Number(notModified))
  assert.deepEqual(one.desk.told, [])
})

test('the Date of every answer is reported: its quotes have our times, and ours may be behind', async (context) => {
  const one = await stand(context, ({ number }, response) => {
    if (number === 1) say(response, '{}', { date: 'Sun, 22 Nov 2026 12:00:00 GMT' })
    else if (number === 2) say(response, '{}', { date: 'soon' })
    else say(response, '', { date: 'Sun, 22 Nov 2026 12:00:07 GMT' }, 404)
  })
  one.poller.put(one.target('/a'))
  one.poller.start()
  await until(() => one.desk.dates.length >= 2, 'two times')
  assert.deepEqual(one.desk.dates.slice(0, 2), [Date.UTC(2026, 10, 22, 12), Date.UTC(2026, 10, 22, 12, 0, 7)])
  await one.poller.stop()
})

test('an answer that cannot be read is told, does not become the known state, and the next one is taken', async (context) => {
  const one = await stand(context, ({ number, headers }, response) => {
    // With the validators of the answer that was not read, 304 would say that nothing at all stands.
    assert.notEqual(headers['if-none-match'], '"bad"')
    if (number === 2 || number === 3) say(response, '<html>', { etag: '"bad"' })
    else say(response, '{}', { etag: `"${number}"` })
  })
  one.poller.put(one.target('/a'))
  one.poller.start()
  await until(() => one.desk.heard >= 2, 'a good answer after the bad ones')
  assert.deepEqual(one.came.slice(0, 4), ['take /a {}', 'take /a <html>', 'take /a <html>', 'take /a {}'])
  assert.deepEqual(one.desk.malformed, ['/a is not JSON', '/a is not JSON'])
  assert.equal(one.desk.account.malformed, 2)
  await until(() => one.desk.told.length >= 2, 'word that it answers again')
  assert.deepEqual(one.desk.told.slice(0, 2), ['warn /a: is not JSON', 'info /a: answers again'])
})

test('server errors pause, are told once, and end', async (context) => {
  const one = await stand(context, ({ number }, response) => {
    if (number <= 6) say(response, '{"message":"no database"}', {}, 500)
    else say(response, '{}')
  })
  one.poller.put(one.target('/a', { intervalMs: () => 3_600_000 }))
  one.poller.put(one.target('/b', { intervalMs: () => 3_600_000 }))
  one.poller.start()
  await until(() => one.desk.heard >= 2, 'both answers')
  const warnings = one.desk.told.filter((line) => line.startsWith('warn'))
  assert.match(warnings.join('\n'), /^warn \/[ab]: failed \(status 500: "no database"\)$/)
  assert.equal(one.poller.facts().failures, 6)
  assert.equal(one.source.seen.length, 8)
})

test('pauses grow with each failure of the source, whichever URL fails', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '', {}, 502), {
    limits: { backOffMsMin: 20, backOffMsMax: 160, concurrency: 1 },
  })
  // Chance at its largest: the pauses are their bounds.
  Object.assign(one.desk, { chance: () => 1 })
  for (const path of ['/a', '/b', '/c', '/d']) one.poller.put(one.target(path, { intervalMs: () => 1 }))
  one.poller.start()
  await until(() => one.source.seen.length >= 6, 'six tries')
  const pauses = one.source.seen.slice(1, 6).map(({ at }, index) => at - one.source.seen[index]!.at)
  for (const [index, bound] of [20, 40, 80, 160, 160].entries()) {
    assert.ok(pauses[index]! >= bound - 2, `pause ${index + 1} was ${pauses[index]} ms, not ${bound}`)
  }
})

for (const [form, value] of [
  ['seconds', () => '1'],
  ['a date', (): string => new Date(Math.ceil(now() / 1000) * 1000 + 1000).toUTCString()],
] as const) {
  test(`Retry-After as ${form} keeps the whole source quiet`, async (context) => {
    const one = await stand(context, ({ number }, response) => {
      // Without a Date of the server, times are ours.
      response.sendDate = false
      if (number === 1) say(response, '', { 'retry-after': value() }, 429)
      else say(response, '{}')
    })
    for (const path of ['/a', '/b', '/c']) one.poller.put(one.target(path))
    one.poller.start()
    await until(() => one.desk.heard >= 1, 'an answer after the pause')
    const [first, second] = one.source.seen
    const limit = form === 'seconds' ? 990 : 900
    // Those that were under way already are the only ones that may come close.
    const early = one.source.seen.filter(({ at, number }) => number > QUICK.concurrency && at - first!.at < limit)
    assert.deepEqual(early, [], `asked ${second!.at - first!.at} ms later`)
    assert.match(one.desk.told[0]!, /^warn \/[abc]: asks for fewer requests \(status 429\)$/)
  })
}

test('503 with Retry-After is obeyed like 429', async (context) => {
  const one = await stand(
    context,
    ({ number }, response) => {
      if (number === 1) say(response, '', { 'retry-after': '1' }, 503)
      else say(response, '{}')
    },
    { limits: { concurrency: 1 } },
  )
  one.poller.put(one.target('/a'))
  one.poller.start()
  await until(() => one.desk.heard >= 1, 'an answer after the pause')
  assert.ok(one.source.seen[1]!.at - one.source.seen[0]!.at >= 990)
})

for (const [form, value] of [
  ['0', '0'],
  ['a date in the past', 'Wed, 21 Oct 2015 07:28:00 GMT'],
] as const) {
  test(`Retry-After: ${form} is no leave to ask at once: pauses grow`, async (context) => {
    const one = await stand(context, (_seen, response) => say(response, '', { 'retry-after': value }, 429), {
      limits: { backOffMsMin: 20, backOffMsMax: 160, concurrency: 1 },
    })
    // Chance at its largest: the pauses are their bounds.
    Object.assign(one.desk, { chance: () => 1 })
    for (const path of ['/a', '/b', '/c', '/d']) one.poller.put(one.target(path, { intervalMs: () => 1 }))
    one.poller.start()
    await until(() => one.source.seen.length >= 6, 'six tries')
    const pauses = one.source.seen.slice(1, 6).map(({ at }, index) => at - one.source.seen[index]!.at)
    for (const [index, bound] of [20, 40, 80, 160, 160].entries()) {
      assert.ok(pauses[index]! >= bound - 2, `pause ${index + 1} was ${pauses[index]} ms, not ${bound}`)
    }
  })
}

test('who is asked to slow down waits for an interval at least', async (context) => {
  const one = await stand(context, ({ url }, response) => {
    if (url === '/a') say(response, '', { 'retry-after': '0' }, 429)
    else say(response, '{}')
  })
  one.poller.put(one.target('/a', { intervalMs: () => 3_600_000 }))
  one.poller.put(one.target('/b'))
  one.poller.start()
  await until(() => one.source.urlsOf('/a').length > 0, 'the refusal')
  const { heard } = one.desk
  await until(() => one.desk.heard >= heard + 10, 'ten polls of the other one')
  assert.equal(one.source.urlsOf('/a').length, 1)
})

test('refused credentials stop the source for minutes, and are told once', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '{"detail":"who?"}', {}, 401), {
    limits: { concurrency: 1 },
  })
  const keys = ['/a', '/b', '/c', '/d', '/e']
  for (const path of keys) one.poller.put(one.target(path))
  one.poller.start()
  // Only the first one is told, so nothing else says when the others have come.
  const waiting = AbortSignal.timeout(10_000)
  while (Number(one.poller.facts().failures) < keys.length) {
    assert.ok(!waiting.aborted, 'a refusal of each')
    await nextTurn()
  }
  assert.match(one.desk.told[0]!, /^warn \/[a-e]: credentials refused \(status 401: "who\?"\)$/)
  assert.equal(one.desk.told.length, 1)
  const { nextPollAt, lastPollAt } = one.poller.facts()
  assert.ok(Number(nextPollAt) - Number(lastPollAt) >= 0.75 * QUICK.refusedMs)
  assert.equal(one.source.seen.length, keys.length)
  assert.match((await one.poller.refresh())!, /^source \/[a-e]: credentials refused \(status 401: "who\?"\)$/)
  assert.equal(one.desk.heard, 0)
})

test('a URL whose credentials are refused pauses alone while others answer', async (context) => {
  const one = await stand(context, ({ url }, response) => say(response, '{}', {}, url === '/refused' ? 403 : 200))
  for (const path of ['/refused', '/a', '/b', '/c']) one.poller.put(one.target(path))
  one.poller.start()
  await until(() => one.source.urlsOf('/refused').length > 0, 'the refusal')
  const { heard } = one.desk
  await until(() => one.desk.heard >= heard + 30, 'thirty polls of the others')
  assert.equal(one.source.urlsOf('/refused').length, 1)
  assert.equal(one.poller.trouble(), '/refused: credentials refused (status 403)')
})

test('URLs that are refused, however many come first, keep the good ones from nothing', async (context) => {
  const isGood = (url: string): boolean => /[fgh]$/.test(url)
  const one = await stand(context, ({ url }, response) => say(response, '{}', {}, isGood(url) ? 200 : 401), {
    limits: { concurrency: 1 },
  })
  for (const path of ['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h']) one.poller.put(one.target(path))
  one.poller.start()
  await until(
    () => ['/f', '/g', '/h'].every((path) => one.source.urlsOf(path).length >= 5),
    'five polls of each good one',
  )
  assert.ok(['/a', '/b', '/c', '/d', '/e'].every((path) => one.source.urlsOf(path).length <= 1))
})

test('a URL that was answered before is asked again soon after it was refused', async (context) => {
  const one = await stand(context, ({ number }, response) =>
    say(response, '{}', {}, number >= 2 && number <= 5 ? 403 : 200),
  )
  one.poller.put(one.target('/a'))
  one.poller.start()
  await until(() => one.came.length >= 3, 'it is answered again')
})

test('a URL that is gone is polled no longer; one that must be there is asked for slowly', async (context) => {
  const one = await stand(context, ({ url }, response) => {
    if (url === '/stays') say(response, '{}')
    else say(response, '', {}, url === '/over' ? 410 : 404)
  })
  const gone: PollTarget['gone'] = async (receivedAt, sinceAt) => {
    one.came.push(receivedAt === sinceAt ? 'missed' : 'gone')
    if (receivedAt > sinceAt) one.poller.drop('/over')
    changed()
  }
  one.poller.put(one.target('/over', { gone }))
  one.poller.put(one.target('/wrong'))
  one.poller.put(one.target('/stays'))
  one.poller.start()
  await until(() => one.source.urlsOf('/stays').length >= 5 && one.came.includes('gone'), 'five polls')
  assert.deepEqual([one.source.urlsOf('/over').length, one.source.urlsOf('/wrong').length], [2, 1])
  assert.equal(
    one.came.find((what) => /missed|gone/.test(what)),
    'missed',
  )
  assert.deepEqual(one.desk.told, ['warn /wrong: was not found (status 404)'])
  assert.equal(one.poller.facts().urls, 2)
  assert.equal(one.poller.has('/over'), false)
})

test('what keeps failing is let go after its time, while others go on', async (context) => {
  let isWell = false
  const one = await stand(
    context,
    ({ url, headers }, response) => {
      if (url === '/well' || isWell) {
        assert.ok(url === '/well' || headers['if-none-match'] === undefined, 'everything must come back')
        say(response, '{}', { etag: '"1"' })
      } else say(response, '', {}, 500)
    },
    { limits: { staleMsMin: 1_000, backOffMsMax: 5 } },
  )
  const stale = (): void => {
    one.came.push('stale')
    changed()
    isWell = true
  }
  one.poller.put(one.target('/ill', { stale }))
  one.poller.put(one.target('/well', { stale }))
  one.poller.start()
  await until(() => one.came.includes('take /ill {}'), 'the answer that brings it back')
  assert.equal(one.came.filter((what) => what === 'stale').length, 1)
})

test('what is not there is let go in its time, however long it is before it is asked for again', async (context) => {
  const one = await stand(
    context,
    ({ url, number }, response) => {
      if (url === '/ill' && number > 2) say(response, '', {}, 404)
      else say(response, '{}')
    },
    { limits: { staleMsMin: 1_000 } },
  )
  const stale = (): void => {
    one.came.push('stale')
    changed()
  }
  one.poller.put(one.target('/ill', { stale }))
  one.poller.put(one.target('/well'))
  one.poller.start()
  await until(() => one.came.includes('stale'), 'the end of its time')
  assert.ok(Number(one.poller.facts().nextPollAt) <= now() + 60_000)
  const { heard } = one.desk
  await until(() => one.desk.heard >= heard + 5, 'polls of the other one')
  assert.equal(one.poller.trouble(), '/ill: was not found (status 404)', 'the others do not end its problem')
  assert.equal(one.came.filter((what) => what === 'stale').length, 1)
  one.poller.drop('/ill')
  assert.equal(one.poller.trouble(), null)
})

test('who can be polled too seldom only is told, and what is not polled in time is let go', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '{}', { etag: '"1"' }), {
    limits: { requestsPerSecond: 20, burst: 1, concurrency: 1, staleMsMin: 200 },
  })
  const stale = (): void => {
    one.came.push('stale')
    changed()
  }
  for (let index = 0; index < 20; index++) one.poller.put(one.target(`/${index}`, { intervalMs: () => 20, stale }))
  one.poller.start()
  await until(() => one.came.filter((what) => what === 'stale').length >= 10, 'ten that were not polled')
  assert.equal(
    one.desk.told[0],
    'warn 20 URLs need 1000.0 requests a second, 20 are allowed: they are polled later than configured',
  )
  assert.match(one.desk.told[1]!, /^warn \/\d+: not answered for \d s: its quotes are suspect$/)
  assert.equal(one.desk.told.length, 2)
  assert.ok(Number(one.poller.facts().behindMs) >= 150, `${one.poller.facts().behindMs} ms behind`)
  assert.match(one.poller.trouble()!, /requests a second.*; and 1 more$/)
})

test('an interval that becomes shorter leaves a turn to the poll that was planned before', async (context) => {
  let intervalMs = 300
  const one = await stand(context, (_seen, response) => say(response, '{}'), { limits: { staleMsMin: 1, jitter: 0 } })
  const stale = (): void => {
    one.came.push('stale')
  }
  one.poller.put(one.target('/a', { intervalMs: () => intervalMs, stale }))
  one.poller.start()
  await until(() => one.desk.heard === 1, 'the first answer')
  intervalMs = 50
  await until(() => one.desk.heard === 3, 'two more')
  assert.ok(!one.came.includes('stale'))
})

test('where something was refused, or cannot be confirmed, it is asked for in full; and soon, where that is wanted', async (context) => {
  const one = await stand(context, ({ headers }, response) => {
    if (headers['if-none-match'] === '"1"') response.writeHead(304).end()
    else say(response, '{}', { etag: '"1"' })
  })
  let [isRefused, isKnown, intervalMs] = [true, true, 5]
  const target = one.target('/a', { intervalMs: () => intervalMs })
  one.poller.put({
    ...target,
    read: async (...of) => (await target.read(...of)) === true && !isRefused,
    unchanged: async (receivedAt) => (await target.unchanged!(receivedAt)) && isKnown,
  })
  one.poller.start()
  await until(() => one.came.length >= 4, 'four answers')
  assert.deepEqual(new Set(one.came), new Set(['take /a {}']))
  isRefused = false
  await until(() => one.came.filter((word) => word === 'stands /a').length >= 2, 'that all holds')
  isKnown = false
  await until(() => one.came.at(-1) === 'take /a {}', 'all of it')
  isKnown = true
  intervalMs = 3_600_000
  const { polls } = one.poller.facts()
  await until(() => Number(one.poller.facts().polls) > Number(polls), 'the poll after which there is an hour')
  intervalMs = 5
  one.came.length = 0
  one.poller.resume()
  await until(() => one.came.length > 0, 'the next one')
})

test('what throws is told, pauses alone, and ends nothing', async (context) => {
  const faults: string[] = []
  const fault = (what: string): void => {
    if (faults.includes(what)) return
    faults.push(what)
    changed()
    throw new Error(`no ${what} (hunter2)`)
  }
  const one = await stand(
    context,
    ({ url }, response) => {
      if (url !== '/hung') say(response, '{}', { etag: '"1"' })
    },
    {
      limits: { staleMsMin: 100 },
      secrets: ['hunter2'],
      holdOf: () => {
        if (one.came.includes('take /well {}')) fault('schedule')
        return undefined
      },
    },
  )
  const { read } = one.target('/ill')
  one.poller.put(
    one.target('/ill', {
      read: async (...of) => {
        fault('room')
        return read(...of)
      },
    }),
  )
  one.poller.put(one.target('/hung', { stale: () => fault('end') }))
  one.poller.put(one.target('/well'))
  one.poller.start()
  await until(() => faults.length === 3, 'all faults')
  await until(() => one.came.includes('take /ill {}'), 'the next try')
  const { heard } = one.desk
  await until(() => one.desk.heard >= heard + 5, 'more answers')
  const warnings = one.desk.told.filter((line) => line.startsWith('warn')).join('\n')
  assert.match(warnings, /^warn \/ill: no room \(\(secret\)\)$/m)
  assert.match(warnings, /^warn worker \d: no schedule \(\(secret\)\)$|^warn watch: no schedule \(\(secret\)\)$/m)
})

test('an answer is a sign of life before its prices are on the board', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '{}'))
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const target = one.target('/a')
  one.poller.put({
    ...target,
    read: async (text, receivedAt, onReadable) => {
      onReadable()
      await released
      return target.read(text, receivedAt, onReadable)
    },
  })
  one.poller.start()
  await until(() => one.desk.heard > 0, 'the sign of life')
  assert.deepEqual(one.came, [])
  release()
  await until(() => one.came.length > 0, 'the prices')
})

test('a target that is renewed while its answer is being read is asked for in full next', async (context) => {
  const one = await stand(context, ({ headers }, response) => {
    if (headers['if-none-match'] === '"1"') response.writeHead(304).end()
    else say(response, '{}', { etag: '"1"' })
  })
  const target = one.target('/a')
  let isRenewing = false
  one.poller.put({
    ...target,
    read: async (...of) => {
      const result = await target.read(...of)
      if (isRenewing) one.poller.renew('/a')
      isRenewing = false
      return result
    },
  })
  one.poller.start()
  await until(() => one.came.at(-1) === 'stands /a', 'that all holds')
  isRenewing = true
  one.came.length = 0
  one.poller.renew('/a')
  await until(() => one.came.filter((word) => word === 'take /a {}').length >= 2, 'all of it, twice')
  await until(() => one.came.at(-1) === 'stands /a', 'that all holds again')
  const { length } = one.came
  await until(() => one.came.length >= length + 3, 'more answers')
  assert.ok(one.came.slice(length).every((word) => word === 'stands /a'))
})

test('a URL whose answers can be read but not recorded becomes stale all the same', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '{}'), { limits: { staleMsMin: 100 } })
  one.poller.put(
    one.target('/a', {
      read: async (_text, _receivedAt, onReadable) => {
        onReadable()
        throw new Error('no room')
      },
      stale: () => {
        one.came.push('stale /a')
        changed()
      },
    }),
  )
  one.poller.start()
  await until(() => one.came.includes('stale /a'), 'that it is stale')
})

test('the pace of the host holds for all URLs together', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '{}'), {
    limits: { requestsPerSecond: 40, burst: 2, concurrency: 4 },
  })
  for (let index = 0; index < 20; index++) one.poller.put(one.target(`/${index}`, { intervalMs: () => 1 }))
  const startedAt = now()
  one.poller.start()
  await until(() => one.source.seen.length >= 12, 'twelve polls')
  // Ten more than the burst need at least ten spacings, less what a timer may be early; the first may be late to arrive.
  const tookMs = one.source.seen[11]!.at - startedAt
  assert.ok(tookMs >= 10 * 25 - 10, `12 requests in ${tookMs} ms`)
})

test('of those that are due, priority decides how often each has its turn', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '{}'), {
    limits: { requestsPerSecond: 100, burst: 1, concurrency: 1, jitter: 0 },
  })
  one.poller.put(one.target('/low', { intervalMs: () => 1 }))
  one.poller.put(one.target('/high', { intervalMs: () => 1, priority: 5 }))
  one.poller.put(one.target('/low2', { intervalMs: () => 1 }))
  one.poller.start()
  await until(() => one.source.seen.length >= 60, 'sixty polls')
  const [high, low, low2] = ['/high', '/low', '/low2'].map(
    (path) => one.source.seen.filter(({ url }) => url === path).length,
  ) as [number, number, number]
  assert.ok(high > low && high > low2 && low > 0 && low2 > 0, `${high} ${low} ${low2}`)
})

test('stop aborts what is under way, at once', async (context) => {
  const one = await stand(context, () => {})
  one.poller.put(one.target('/a'))
  one.poller.start()
  await until(() => one.source.seen.length === 1, 'a request')
  const refreshed = one.poller.refresh()
  const before = now()
  await one.poller.stop()
  assert.ok(now() - before < 1_000)
  assert.equal(await refreshed, 'source was stopped')
  assert.equal(await one.poller.refresh(), 'source was stopped')
  assert.deepEqual([one.came, one.desk.told], [[], []])
})

test('an answer for a target that was dropped meanwhile is not taken', async (context) => {
  const one = await stand(context, ({ url }, response) => {
    if (url === '/a') one.poller.drop('/a')
    say(response, '{}')
  })
  one.poller.put(one.target('/a'))
  one.poller.put(one.target('/b'))
  one.poller.start()
  await until(() => one.desk.heard >= 3, 'polls of the other one')
  assert.ok(!one.came.some((what) => what.includes('/a')))
  assert.equal(one.source.urlsOf('/a').length, 1)
})

test('refresh polls lists, then some of each group, now and unconditionally', async (context) => {
  const one = await stand(
    context,
    ({ url, headers }, response) => {
      assert.equal(headers['if-none-match'], undefined)
      if (url === '/ill') say(response, '', {}, 500)
      else say(response, '{}', { etag: '"1"' })
    },
    { limits: { refreshesPerGroup: 2, concurrency: 1, jitter: 0 } },
  )
  const hourly = { intervalMs: () => 3_600_000 }
  for (const path of ['/a', '/b', '/c']) one.poller.put(one.target(path, hourly))
  one.poller.put(one.target('/other', { ...hourly, group: 'other' }))
  one.poller.put(one.target('/list', { ...hourly, kind: 'list', group: 'other' }))
  one.poller.start()
  await until(() => one.came.length === 5, 'the first round')
  assert.equal(await one.poller.refresh(), undefined)
  assert.deepEqual(one.came.slice(5), ['take /list {}', 'take /a {}', 'take /b {}', 'take /other {}'])
  // Lists alone are no sign of life where there are prices.
  assert.equal(one.desk.heard, 7)
})

test('a refresh tells why there are no prices', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '', {}, 500))
  one.poller.start()
  assert.equal(await one.poller.refresh(), 'source has nothing to poll now')
  one.poller.put(one.target('/a'))
  assert.match((await one.poller.refresh())!, /^source \/a: failed \(status 500\)$/)

  const hung = await stand(context, () => {}, { limits: { refreshMsMax: 50 } })
  hung.poller.put(hung.target('/a'))
  hung.poller.start()
  assert.equal(await hung.poller.refresh(), 'source /a was not answered in time')
})

test('a target on hold is left alone until its time', async (context) => {
  let isHeld = true
  const one = await stand(context, (_seen, response) => say(response, '{}'), {
    holdOf: ({ key }, nowAt) =>
      isHeld && key === '/dear' ? { untilAt: nowAt + 3_600_000, reason: 'costs too much' } : undefined,
  })
  one.poller.put(one.target('/dear'))
  one.poller.put(one.target('/cheap'))
  one.poller.start()
  await until(() => one.desk.heard >= 5, 'polls of the other one')
  assert.equal(one.source.urlsOf('/dear').length, 0)
  isHeld = false
  await until(() => one.source.urlsOf('/dear').length > 0, 'its turn')
})

test('what a source echoes of our secret is not told', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '{"message":"no such key: hunter2"}', {}, 403), {
    secrets: ['hunter2', ''],
  })
  one.poller.put(one.target('/a'))
  one.poller.start()
  await until(() => one.desk.told.length > 0, 'the warning')
  assert.deepEqual(one.desk.told, ['warn /a: credentials refused (status 403: "no such key: (secret)")'])

  // Where a message is cut, half of it would be told.
  const cut = await stand(
    context,
    (_seen, response) => say(response, JSON.stringify({ message: `${'x'.repeat(55)} hunter2` }), {}, 403),
    { secrets: ['hunter2'] },
  )
  cut.poller.put(cut.target('/a'))
  cut.poller.start()
  await until(() => cut.desk.told.length > 0, 'the warning')
  assert.ok(!cut.desk.told[0]!.includes('hun'), cut.desk.told[0])
})

test('it has delivered when every URL was answered once, and those that fail were let go', async (context) => {
  const answers: Record<string, () => number> = { '/a': () => 200, '/b': () => 500, '/c': () => 404, '/d': () => 403 }
  const one = await stand(context, ({ url }, response) => say(response, '{}', {}, answers[url]!()), {
    limits: { refusedMs: 20 },
  })
  const round = (key: string): Promise<void> =>
    until(() => one.source.urlsOf(key).length >= 2, `${key} was asked for again`)
  const { poller } = one
  assert.equal(poller.hasDelivered(), false, 'of nothing')
  for (const key of ['/c', '/d']) poller.put(one.target(key, { gone: async () => {} }))
  poller.start()
  await Promise.all(['/c', '/d'].map(round))
  assert.equal(poller.hasDelivered(), false, 'nothing of it was answered well')
  poller.put(one.target('/a'))
  await round('/a')
  assert.equal(poller.hasDelivered(), true)
  poller.put(one.target('/b'))
  assert.equal(poller.hasDelivered(), false)
  // Once: the waits between tries grow.
  await until(() => one.source.urlsOf('/b').length >= 1, '/b was asked for')
  assert.equal(poller.hasDelivered(), false, 'the next try may be well')
  answers['/b'] = () => 200
  await until(() => one.came.includes('take /b {}'), 'it is well')
  await round('/a')
  assert.equal(poller.hasDelivered(), true)
})

test('a URL that is refused again and again takes no turn from the others', async (context) => {
  const one = await stand(context, ({ url }, response) => say(response, '{}', {}, url === '/refused' ? 403 : 200), {
    limits: { refusedMs: 20, concurrency: 1 },
  })
  // It stands first in the schedule, and all are due when the pause after it is over.
  for (const path of ['/refused', '/a', '/b', '/c']) one.poller.put(one.target(path))
  one.poller.start()
  await until(() => one.source.urlsOf('/refused').length >= 12, 'it was asked for twelve times')
  for (const path of ['/a', '/b', '/c']) {
    const turns = one.source.urlsOf(path).length
    assert.ok(turns >= 10, `${path} had ${turns} turns of 11 (seed ${SEED})`)
  }
})

test('a URL that fails until it is let go, and one that is held for long, are not waited for', async (context) => {
  const one = await stand(context, ({ url }, response) => say(response, '{}', {}, url === '/bad' ? 500 : 200), {
    limits: { staleMsMin: 50 },
    holdOf: (target, nowAt) => (target.key === '/held' ? { untilAt: nowAt + 60_000, reason: 'no credits' } : undefined),
  })
  let isLetGo = false
  one.poller.put(one.target('/good'))
  one.poller.put(one.target('/held'))
  one.poller.put(
    one.target('/bad', {
      stale: () => {
        isLetGo = true
        changed()
      },
    }),
  )
  one.poller.start()
  await until(() => isLetGo, 'it is let go')
  await until(() => one.desk.heard > 0, 'the good one is answered')
  assert.equal(one.poller.hasDelivered(), true)
})
