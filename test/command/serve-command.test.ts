import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import * as clock from '../../src/clock.ts'
import { LIMITS } from '../../src/limits.ts'
import { endedWithTests } from '../children.ts'
import { until } from '../feeds/waiting.ts'
import { ROOT } from '../root.ts'
import {
  command,
  done,
  get,
  list,
  MAIN,
  newFolder,
  type RunningService,
  startService,
  writeCoverage,
} from '../service.ts'

const observedAt = new Date(clock.now() - 60_000).toISOString()

const line = (over: object = {}): string =>
  JSON.stringify({
    bookmaker: 'northbank',
    transport: 'rest',
    observedAt,
    event: {
      sport: 'football',
      league: { key: 'l', name: 'L' },
      home: 'A',
      away: 'B',
      kickoffAt: observedAt,
    },
    quotes: [{ type: 'match_result_1x2', outcome: 'home', odds: 2.1 }],
    ...over,
  })

/** Runs `serve` to its end, which must come by itself. */
const serve = (dataDir: string, ...args: string[]) =>
  command(dataDir, 'serve', '--http-port', '0', '--stomp-port', '0', '--admin-port', '0', ...args)

const oneLine = (stderr: string): string => {
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
  assert(!stderr.includes('    at '), stderr)
  return stderr
}

test('what keeps the service from starting is one line, with exit code 1', async () => {
  const folder = newFolder()
  const blocker = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => blocker.once('listening', resolve))
  const { port } = blocker.address() as { port: number }
  const text = join(folder.path, 'text')
  writeFileSync(text, 'not gzip')
  const cases: readonly [args: readonly string[], message: RegExp][] = [
    [['--http-port', String(port)], new RegExp(`port ${port} is in use.*--http-port`)],
    [['--admin-port', String(port), '--http-port', '0'], new RegExp(`port ${port} is in use.*--admin-port`)],
    [['--http-port', '99999'], /--http-port must be a port/],
    [['--quotes-max', '0'], /--quotes-max must be a whole number/],
    [['--log-level', 'loud'], /--log-level must be one of/],
    [['--public-url', 'nowhere'], /--public-url must be an absolute/],
    [['--tls-cert', 'x'], /--tls-cert, --tls-key/],
    [['--tls-cert', '/nope', '--tls-key', '/nope'], /--tls-cert \/nope .*cannot be used/],
    [['--tls-cert', text, '--tls-key', text], /cannot be used/],
    [['--host', '203.0.113.7'], /cannot listen on 203\.0\.113\.7.*--host/],
    [['--replay', join(folder.path, 'none'), '--format', 'observations'], /does not exist/],
    [['--replay', folder.path, '--format', 'observations'], /folder/],
    [['--replay', text, '--format', 'xml'], /--format must be one of/],
    [
      ['--replay', join(ROOT, 'fixtures', 'the-odds-api', 'american.json'), '--format', 'the-odds-api'],
      /american\.json holds American odds .*--odds-format american/,
    ],
    [['--replay', text, '--format', 'observations', '--transport', 'tv'], /--transport must be one of/],
    [['--coverage', join(folder.path, 'none')], /--coverage .* cannot be read/],
    [['--coverage', text], /--coverage .* not JSON/],
  ]
  for (const [args, message] of cases) {
    const result = serve(folder.path, ...args)
    assert.equal(result.code, 1, `${args.join(' ')}: ${result.stderr}`)
    assert.match(oneLine(result.stderr), message)
  }
  const unwritable = command('/proc/oddswire', 'serve', '--http-port', '0', '--stomp-port', '0', '--admin-port', '0')
  assert.equal(unwritable.code, 1)
  assert.match(oneLine(unwritable.stderr), /\/proc\/oddswire/)
  blocker.close()
  folder.remove()
})

test('unknown flags and missing arguments are usage errors, with exit code 2', () => {
  const folder = newFolder()
  const twoWays = ['--replay', 'a', 'b', '--replay', 'c', '--format', 'observations']
  for (const args of [['--nonsense'], ['--replay'], ['--rebase'], ['--replay', 'x'], ['extra'], twoWays]) {
    assert.equal(serve(folder.path, ...args).code, 2, args.join(' '))
  }
  assert.equal(command(folder.path, 'serve', '--help').code, 0)
  folder.remove()
})

test('a number below 0 is the value of the flag before it, refused by its name', () => {
  const folder = newFolder()
  for (const [name, value] of [
    ['redis-replicas', '-1'],
    ['http-port', '-1'],
    ['rights-away', '-.5'],
    ['seed', '-1'],
  ] as const) {
    for (const args of [[`--${name}`, value], [`--${name}=${value}`]]) {
      const { code, stderr } = serve(folder.path, ...args)
      assert.notEqual(code, 0)
      assert.match(stderr, new RegExp(`^oddswire: --${name} must be .*not "${value}"`), args.join(' '))
    }
  }
  // Not after a flag that is complete, nor where flags have ended.
  for (const args of [
    ['--demo', '-1'],
    ['--redis-replicas=1', '-1'],
    ['--', '-1'],
  ]) {
    assert.equal(serve(folder.path, ...args).code, 2, args.join(' '))
  }
  folder.remove()
})

test('a truncated recording is refused, not half served', () => {
  const folder = newFolder()
  const recording = join(folder.path, 'observations.jsonl.gz')
  const whole = gzipSync(Array.from({ length: 2000 }, (_, n) => line({ bookmaker: `b${n}` })).join('\n'))
  writeFileSync(recording, whole.subarray(0, whole.length / 2))
  const result = serve(folder.path, '--replay', recording, '--format', 'observations', '--log-level', 'silent')
  assert.equal(result.code, 1)
  assert.match(oneLine(result.stderr), /observations\.jsonl\.gz/)
  folder.remove()
})

test('a data folder serves one process; a kill leaves no stale lock', async () => {
  const folder = newFolder()
  const first = await startService(folder.path)
  const second = serve(folder.path)
  assert.equal(second.code, 1)
  assert.match(oneLine(second.stderr), new RegExp(`${first.process.pid}`))
  await first.kill()
  const third = await startService(folder.path)
  assert.equal(await third.stop(), 0)
  folder.remove()
})

test('bad lines are named with their numbers, skipped and counted, and the exit code says so', async () => {
  const folder = newFolder()
  const recording = join(folder.path, 'observations.jsonl')
  const bad = [
    line(),
    '{"bookmaker":',
    line({ quotes: [{ type: 'btts', outcome: 'yes', odds: 1 }] }),
    line({ bookmaker: 'x' }),
  ]
  writeFileSync(recording, bad.join('\n'))
  const more = join(folder.path, 'more.jsonl')
  writeFileSync(more, `${line({ bookmaker: 'y' })}\n{}`)
  const service = await startService(folder.path, '--replay', recording, more, '--format', 'observations')
  const code = await service.stop()
  assert.equal(code, 1)
  const log = service
    .stderr()
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  const skipped = log.filter(({ msg }) => msg === 'skipped').map(({ place, reason }) => `${place}: ${reason}`)
  assert.equal(skipped.length, 3)
  assert.match(skipped[0]!, /^observations\.jsonl line 2/)
  assert.match(skipped[1]!, /^observations\.jsonl line 3.*odds/)
  assert.match(skipped[2]!, /^more\.jsonl line 2/)
  const summary = log.find(({ msg }) => msg === 'replayed')
  assert.equal(summary.path, 'observations.jsonl, more.jsonl')
  assert.equal(summary.malformed, 3)
  assert.equal(summary.recorded, 3)
  folder.remove()
})

describe('a running service', () => {
  const folder = newFolder()
  let service: RunningService
  let key: string

  before(async () => {
    const recording = join(folder.path, 'observations.jsonl.gz')
    writeFileSync(recording, gzipSync(line()))
    const coverage = writeCoverage(folder.path, [['northbank', 'verified_rest_live', true, true]])
    done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
    key = done(folder.path, 'key', 'create', '--org', 'desk')
    service = await startService(
      folder.path,
      '--coverage',
      coverage,
      '--replay',
      recording,
      '--format',
      'observations',
      '--transport',
      'both',
    )
  })

  after(async () => {
    await service?.stop()
    folder.remove()
  })

  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${service.admin}/metrics`)).text()
    const found = text.split('\n').find((row) => row.startsWith(`${name} `))
    assert(found !== undefined, `${name} is not in /metrics`)
    return Number(found.slice(name.length + 1))
  }

  test('reports that it is live and ready', async () => {
    assert.equal((await fetch(`${service.admin}/livez`)).status, 200)
    assert.equal((await fetch(`${service.admin}/readyz`)).status, 200)
    assert.equal((await fetch(`${service.admin}/else`)).status, 404)
    const ready = JSON.parse(service.stdout().split('\n')[0]!)
    assert.equal(ready.ready, true)
    assert.equal(ready.http, service.port)
  })

  test('counts what it does', async () => {
    const before = await metric('oddswire_http_requests_total{operation="listSports",status="200"}').catch(() => 0)
    await get(service, '/sports', key)
    await get(service, '/sports', key)
    assert.equal(await metric('oddswire_http_requests_total{operation="listSports",status="200"}'), before + 2)
    assert.equal(await metric('oddswire_http_request_duration_seconds_count{operation="listSports"}'), before + 2)
    assert.equal(await metric('oddswire_quotes{transport="rest"}'), 1)
    assert.equal(await metric('oddswire_quotes{transport="live"}'), 1)
    assert.equal(await metric('oddswire_observations_total{result="recorded"}'), 1)
    assert.equal(await metric('oddswire_changes_total{change="added"}'), 2)
    assert((await metric('oddswire_reply_cache_total{result="hit"}')) >= 1)
    assert((await metric('oddswire_audiences')) >= 1)
  })

  test('applies what commands do while it runs', async () => {
    done(folder.path, 'org', 'create', 'later', '--plan', 'desk')
    const later = done(folder.path, 'key', 'create', '--org', 'later')
    assert.equal((await get(service, '/events', later)).status, 200)
    assert.equal(list((await get(service, '/events', later)).body.data).length, 1)
    done(folder.path, 'org', 'set', 'later', '--bookmakers', 'nobody')
    assert.equal(list((await get(service, '/events', later)).body.data).length, 0)
    done(folder.path, 'key', 'revoke', later)
    const revoked = await get(service, '/events', later)
    assert.equal(revoked.status, 401)
    assert.equal(revoked.body.error?.code, 'invalid_api_key')
  })

  test('a revocation holds before its command returns, for all of many callers', async () => {
    const revoked = done(folder.path, 'key', 'create', '--org', 'desk')
    let isRevoked = false
    let acceptedAfter = 0
    let accepted = 0
    const callers = Array.from({ length: 50 }, async () => {
      while (!isRevoked) {
        const startedAfter = isRevoked
        const { status } = await get(service, '/sports', revoked)
        if (status === 200) accepted++
        if (status === 200 && startedAfter) acceptedAfter++
        if (status === 401) return
      }
    })
    const revoking = endedWithTests(
      spawn(process.execPath, [MAIN, 'key', 'revoke', revoked, '--data-dir', folder.path]),
    )
    await new Promise((resolve) => revoking.once('exit', resolve))
    isRevoked = true
    assert.equal((await get(service, '/sports', revoked)).status, 401)
    await Promise.all(callers)
    assert(accepted > 0)
    assert.equal(acceptedAfter, 0)
  })
})

test('SIGTERM answers what is under way, ends with 0, and the port is free again', async () => {
  const folder = newFolder()
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  const key = done(folder.path, 'key', 'create', '--org', 'desk')
  const service = await startService(folder.path)
  let failed = 0
  let closed = 0
  let answered = 0
  let isOver = false
  const callers = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      try {
        const response = await fetch(`${service.api}/sports`, { headers: { authorization: `Bearer ${key}` } })
        await response.text()
        if (response.status === 200) answered++
        else failed++
        if (response.headers.get('connection') === 'close') closed++
      } catch {
        // No longer accepting: that is the end for this caller.
        return
      }
    }
  })
  while (answered < 50) await get(service, '/sports', key)
  const code = await service.stop()
  isOver = true
  await Promise.all(callers)
  assert.equal(code, 0)
  assert.equal(failed, 0)
  assert(closed > 0, 'connections are asked to close')
  folder.remove()
})

test('once it is stopped, nothing keeps the process', async () => {
  const folder = newFolder()
  const service = await startService(folder.path)
  const exited = service.stop()
  await until('it says that it is stopped', () => service.stderr().includes('"stopped"'))
  let hasExited = false
  void exited.then(() => (hasExited = true))
  // A timer of the end itself would be longer.
  await until('it has exited', () => hasExited, service.stderr, LIMITS.drainMsMax / 2)
  folder.remove()
})

test('SIGTERM while a recording is loaded ends with 0', async () => {
  const folder = newFolder()
  const recording = join(folder.path, 'observations.jsonl')
  writeFileSync(recording, Array.from({ length: 100_000 }, (_, n) => line({ bookmaker: `b${n % 50}` })).join('\n'))
  const child = endedWithTests(
    spawn(process.execPath, [
      ...[MAIN, 'serve', '--data-dir', folder.path, '--http-port', '0', '--stomp-port', '0', '--admin-port', '0'],
      ...['--replay', recording, '--format', 'observations'],
    ]),
  )
  const code = new Promise((resolve) => child.once('exit', resolve))
  // The lock's note is there once the service has begun.
  const { existsSync } = await import('node:fs')
  while (!existsSync(join(folder.path, 'server.json'))) await pause(5)
  child.kill('SIGTERM')
  assert.equal(await code, 0)
  folder.remove()
})

test('the demo greets with a key and lines that answer with data when pasted', async () => {
  const folder = newFolder()
  const service = await startService(folder.path, '--demo', '--warm-up', 'true')
  try {
    await service.printed(/Contract:/)
    const lines = service
      .stdout()
      .split('\n')
      .filter((text) => text.trim().startsWith('curl'))
    assert(lines.length >= 4, service.stdout())
    for (const text of lines) {
      const [, secret, url] = /Bearer (\S+)' '([^']+)'/.exec(text)!
      const response = await fetch(url!.replace('localhost', '127.0.0.1'), {
        headers: { authorization: `Bearer ${secret}` },
      })
      assert.equal(response.status, 200, text)
      const { data } = (await response.json()) as { data: { markets?: unknown[] } & unknown[] }
      assert((data.markets ?? data).length > 0, `${text} answers with data`)
    }
    // The first lines that a newcomer reads are these, and none is a warning.
    const logged = service
      .stderr()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly level: number; readonly msg: string })
    assert.equal(logged[0]!.msg, 'ready')
    assert.deepEqual(
      logged.filter(({ level }) => level > 30),
      [],
    )
    assert.match(
      service.stdout(),
      /\| nc 127\.0\.0\.1 \d+ \| tr .*\n {2}node \S*examples\/board\.mjs odds_live_\S+ ws:\/\/\S+\n/,
    )
  } finally {
    assert.equal(await service.stop(), 0)
    folder.remove()
  }
})

test('kill -9 in a request loop never yields more accepted requests than the quota', async () => {
  const folder = newFolder()
  const quota = 400
  done(folder.path, 'plan', 'set', 'tight', '--hourly', '0', '--monthly', String(quota))
  done(folder.path, 'org', 'create', 'tight', '--plan', 'tight')
  const key = done(folder.path, 'key', 'create', '--org', 'tight')
  let accepted = 0
  let refused = 0
  for (let round = 0; round < 12 && refused === 0; round++) {
    const service = await startService(folder.path, '--log-level', 'error')
    const killAfter = 20 + ((round * 37) % 60)
    let asked = 0
    while (asked < killAfter) {
      const statuses = await Promise.all(
        Array.from({ length: 8 }, () => get(service, '/sports', key).then((a) => a.status)),
      )
      asked += statuses.length
      accepted += statuses.filter((status) => status === 200).length
      refused += statuses.filter((status) => status === 429).length
    }
    await service.kill()
  }
  assert(accepted <= quota, `${accepted} of ${quota}`)
  assert(refused > 0, 'the quota is exhausted in the end')
  assert(accepted >= quota - 12 * 100, 'a crash costs at most 100 requests')
  folder.remove()
})
