import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { mintSecret } from '../../src/access/key.ts'
import { endedWithTests } from '../children.ts'
import { type ListenOptions, type Script, ScriptedBroker } from '../source/kit/scripted-broker.ts'
import { ROOT } from '../root.ts'
import { done, MAIN, newFolder, startService, writeCoverage } from '../service.ts'
import { onTerminal, terminalMissing } from './terminal.ts'

const KEY = mintSecret('feed')
const OBSERVATIONS = join(ROOT, 'fixtures', 'observations', 'observations.jsonl')

const folder = newFolder()
const brokers: ScriptedBroker[] = []
after(async () => {
  folder.remove()
  for (const broker of brokers) await broker.close()
})

const listen = async (script?: Script, options?: ListenOptions): Promise<ScriptedBroker> => {
  const broker = await ScriptedBroker.listen(script, options)
  brokers.push(broker)
  return broker
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts `oddswire feed …`. Does not block until its end: the broker that it talks to lives in this process. */
const start = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const child: ChildProcess = endedWithTests(
    spawn(process.execPath, ['--enable-source-maps', MAIN, 'feed', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    }),
  )
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  )
  return { child, ended }
}

const feed = async (...args: string[]): Promise<Ended> => {
  const result = await start(args).ended
  assert(!`${result.stdout}${result.stderr}`.includes(KEY), 'the key is never shown')
  return result
}

const to = ({ port }: ScriptedBroker): string => `stomp://127.0.0.1:${port}`

const linesOf = (text: string): string[] => text.trimEnd().split('\n')

const oneLine = (stderr: string): string => {
  assert.equal(linesOf(stderr).length, 1, stderr)
  assert(!stderr.includes('    at '), stderr)
  return stderr
}

test('a recording is sent, and what became of it is one object of JSON on stdout', async () => {
  const broker = await listen()
  const result = await feed('send', OBSERVATIONS, '--format', 'observations', '--to', to(broker), '--key', KEY)
  assert.equal(result.stderr, '')
  assert.equal(result.code, 0)
  const summary = JSON.parse(result.stdout)
  assert.equal(linesOf(result.stdout).length, 1)
  const { file, lines, read, mapped, malformed, observations, sent, receipted, refused, unanswered, unsent } = summary
  assert.deepEqual(
    { file, lines, read, mapped, malformed, observations, sent, receipted, refused, unanswered, unsent },
    {
      file: OBSERVATIONS,
      lines: 3,
      read: 4,
      mapped: 4,
      malformed: 0,
      observations: 3,
      sent: 3,
      receipted: 3,
      refused: 0,
      unanswered: 0,
      unsent: 0,
    },
  )
  assert.equal(summary.to, to(broker))
  assert.deepEqual(
    broker.sends().map(({ headers }) => headers.destination),
    ['/feed/northbet', '/feed/southbet', '/feed/swap_one'],
  )
})

test('what is malformed or refused is named on stderr, and ends it with 1', async () => {
  const path = join(folder.path, 'bad.jsonl')
  writeFileSync(path, `{"oops\n${readFileSync(OBSERVATIONS, 'utf8')}`)
  const fine = await listen()
  const malformed = await feed('send', path, '--format', 'observations', '--to', to(fine), '--key', KEY)
  assert.equal(malformed.code, 1)
  assert.match(oneLine(malformed.stderr), /^line 1: observation is not JSON: .*; skipped$/m)
  assert.equal(JSON.parse(malformed.stdout).receipted, 3)

  const strict = await listen((frame, peer) => {
    if (frame.headers.receipt !== '2') return false
    peer.refusal(frame, 'validation_failed', 'others must be keep', 'others')
    peer.receipt(frame, { refused: 'validation_failed' })
    return true
  })
  const refused = await feed('send', OBSERVATIONS, '--format', 'observations', '--to', to(strict), '--key', KEY)
  assert.equal(refused.code, 1)
  assert.equal(
    refused.stderr,
    'observation 2 (southbet, Harbour Town v Kestrel & Vale): validation_failed: others must be keep\n',
  )
  const summary = JSON.parse(refused.stdout)
  assert.deepEqual(summary.refusals, [{ code: 'validation_failed', observations: 1, message: 'others must be keep' }])
  assert.deepEqual([summary.receipted, summary.refused], [2, 1])
})

test('a connection that breaks is reported, replaced, and is no reason to fail', async () => {
  const broker = await listen((frame, peer) => {
    if (frame.headers.receipt !== '2' || peer.number > 1) return false
    peer.socket.destroy()
    return true
  })
  const result = await feed('send', OBSERVATIONS, '--format', 'observations', '--to', to(broker), '--key', KEY)
  assert.equal(result.code, 0)
  assert.match(oneLine(result.stderr), /^the connection is broken: .*; the next try is in 0\.\d s$/m)
  assert.equal(JSON.parse(result.stdout).receipted, 3)
})

test('an engine that says no is one line with its code and what to do, with exit code 1', async () => {
  const atTheDoor = await listen((frame, peer) => {
    if (frame.command !== 'CONNECT') return false
    peer.send('ERROR', { message: 'invalid_api_key', 'content-type': 'text/plain' }, `no such key: ${KEY}`)
    peer.socket.end()
    return true
  })
  const first = await feed('send', OBSERVATIONS, '--format', 'observations', '--to', to(atTheDoor), '--key', KEY)
  assert.equal(first.code, 1)
  assert.match(oneLine(first.stderr), /^oddswire: stomp:\S+ refused: invalid_api_key: .*oddswire key create/)
  assert.equal(first.stdout, '')

  const later = await listen((frame, peer) => {
    if (frame.headers.destination !== '/feed/southbet') return frame.command === 'SEND' && frame.headers.receipt === '3'
    peer.send('ERROR', { message: 'api_key_scope_denied', 'receipt-id': frame.headers.receipt! })
    peer.socket.end()
    return true
  })
  const second = await feed('send', OBSERVATIONS, '--format', 'observations', '--to', to(later), '--key', KEY)
  assert.equal(second.code, 1)
  assert.match(oneLine(second.stderr), /refused SEND \/feed\/southbet: api_key_scope_denied; the key does not feed/)
  assert.equal(JSON.parse(second.stdout).receipted, 1)
})

test('values that are refused give one line, with exit code 1', async () => {
  const broker = await listen()
  const { port } = broker
  const given = { format: 'observations', to: to(broker), key: KEY }
  const cases: readonly [changed: Readonly<Record<string, string>>, message: RegExp][] = [
    [{ format: 'xml' }, /--format must be one of/],
    [{ transport: 'tv' }, /--transport must be one of/],
    [{ 'odds-format': 'fractional' }, /--odds-format must be decimal or american, not "fractional"/],
    [{ 'odds-format': 'american' }, /--odds-format is for the-odds-api-csv and the-odds-api only: observations has/],
    [{ speed: '0' }, /--speed must be a number above 0/],
    [{ speed: 'fast' }, /--speed must be a number above 0/],
    [{ speed: '1e3' }, /--speed must be a number above 0/],
    [{ to: `http://127.0.0.1:${port}` }, /--to must be stomp:\/\/HOST:PORT/],
    [{ to: '127.0.0.1' }, /--to must be/],
    [{ to: 'stomp://127.0.0.1:0' }, /--to must be/],
    [{ to: 'stomp://127.0.0.1:99999' }, /--to must be/],
    [{ to: `stomp://127.0.0.1:${port}/feed` }, /--to must be/],
    [{ to: `stomp://me:${KEY}@127.0.0.1:${port}` }, /--to must be/],
    [{ key: KEY.slice(0, -1) }, /--key .*is incomplete or mistyped/],
    [{ key: mintSecret('customer') }, /--key .*must be a feed key/],
    [{ to: 'stomp://127.0.0.1:1' }, /cannot be reached: .*is the engine running/],
    [{ to: 'stomp://[::1]:1/' }, /stomp:\/\/\[::1\]:1 cannot be reached/],
  ]
  for (const [changed, message] of cases) {
    const flags = Object.entries({ ...given, ...changed }).map(([name, value]) => `--${name}=${value}`)
    const result = await feed('send', OBSERVATIONS, ...flags)
    assert.equal(result.code, 1, `${flags.join(' ')}: ${result.stderr}`)
    assert.match(oneLine(result.stderr), message)
    assert(!result.stderr.includes(KEY.slice(0, -1)))
    assert.equal(result.stdout, '')
  }
  const missing = join(folder.path, 'none')
  const unread = await feed('send', missing, '--format', 'observations', '--to', to(broker), '--key', KEY)
  assert.equal(unread.code, 1)
  assert.match(oneLine(unread.stderr), /none does not exist/)
})

test('wrong usage is exit code 2; help is 0', async () => {
  const file = [OBSERVATIONS, '--format', 'observations']
  const wrong: readonly (readonly [usage: RegExp, ...args: readonly string[][]])[] = [
    [/feed status\|explain\|send\|run\|check …/, [], ['receive'], ['--key', KEY]],
    [
      /feed send FILE/,
      ['send'],
      ['send', OBSERVATIONS],
      ['send', ...file],
      ['send', ...file, '--to', 'stomp://127.0.0.1:1'],
      ['send', '--format', 'observations', '--to', 'stomp://127.0.0.1:1', '--key', KEY],
      ['send', OBSERVATIONS, KEY, '--format', 'observations', '--to', 'stomp://127.0.0.1:1', '--key', KEY],
      ['send', OBSERVATIONS, '--nonsense'],
    ],
    [/feed explain FILE…/, ['explain'], ['explain', OBSERVATIONS], ['explain', '--format', 'observations']],
    [/feed status/, ['status', 'all']],
    [/feed run NAME/, ['run'], ['run', 'one', '--seconds', 'soon']],
    [/feed check/, ['check', 'it']],
  ]
  for (const [usage, ...lines] of wrong) {
    for (const args of lines) {
      const result = await feed(...args)
      assert.equal(result.code, 2, `${args.join(' ')}: ${result.stderr}`)
      assert.match(result.stderr, new RegExp(`^oddswire: .*\\nusage: oddswire ${usage.source}`))
    }
  }
  const right: readonly (readonly [RegExp, string[]])[] = [
    [/^oddswire feed status\|explain/, ['--help']],
    [/^oddswire feed status\|explain/, ['-h']],
    [/^oddswire feed status\|explain/, ['help']],
    [/^oddswire feed send FILE --format FORMAT/, ['send', '--help']],
    [/^oddswire feed explain FILE…/, ['explain', '--help']],
    [/^oddswire feed status/, ['status', '--help']],
    [/^oddswire feed run NAME/, ['run', '--help']],
    [/^oddswire feed check/, ['check', '--help']],
  ]
  for (const [text, args] of right) {
    const result = await feed(...args)
    assert.equal(result.code, 0, args.join(' '))
    assert.match(result.stdout, text)
    assert.equal(result.stderr, '')
  }
})

test('explain prints what became of each source market, and of all together', async () => {
  const path = join(ROOT, 'fixtures', 'observations', 'observations.jsonl')
  const result = await feed('explain', path, '--format', 'observations')
  const rows = linesOf(result.stdout).map((line) => JSON.parse(line) as Record<string, unknown>)
  const total = rows.at(-1)!
  assert.equal(total.id, 'total')
  assert.equal(
    rows.slice(0, -1).reduce((sum, row) => sum + (row.outcomes as number), 0),
    total.read,
  )
  assert((total.quotes as number) > 0)
  assert.deepEqual(
    rows.slice(0, -1).map(({ sport, mapped, outcomes }) => [sport, mapped === outcomes]),
    rows.slice(0, -1).map(({ sport }) => [sport, true]),
  )
  assert.deepEqual(total.bySport, { football: { outcomes: 3, mapped: 3 }, golf: { outcomes: 1, mapped: 1 } })
  // A source may call a market like the row of all.
  const matches = ['matchups', 'markets'].map((name) => join(ROOT, 'fixtures', 'pinnacle', `${name}.json`))
  const pinnacle = await feed('explain', ...matches, '--format', 'pinnacle')
  const found = linesOf(pinnacle.stdout).map((line) => JSON.parse(line) as { id: string; sourceMarket?: string })
  assert.ok(
    found.some(({ sourceMarket }) => sourceMarket === 'total'),
    pinnacle.stdout,
  )
  assert.equal(
    found.findIndex(({ id }) => id === 'total'),
    found.length - 1,
  )
  assert.equal(new Set(found.map(({ id }) => id)).size, found.length)
  const missing = await feed('explain', join(folder.path, 'none'), '--format', 'kambi')
  assert.equal(missing.code, 1)
  assert.match(oneLine(missing.stderr), /none does not exist/)
})

test('explain refuses American odds by the file unless they are said to be, and says which names are missing', async () => {
  const fixture = (name: string): string => join(ROOT, 'fixtures', name)
  const csv = [fixture('the-odds-api/american.csv'), '--format', 'the-odds-api-csv']
  const refused = await feed('explain', ...csv)
  assert.equal(refused.code, 1)
  assert.match(oneLine(refused.stderr), /american\.csv holds American odds .*--odds-format american/)
  assert.equal(refused.stdout, '')
  const converted = await feed('explain', ...csv, '--odds-format', 'american')
  assert.equal(converted.code, 0, converted.stderr)
  assert.equal((JSON.parse(linesOf(converted.stdout).at(-1)!) as { mapped: number }).mapped, 8)

  const betfair = [fixture('betfair/unnamed.jsonl'), '--format', 'betfair']
  const unnamed = await feed('explain', ...betfair)
  assert.match(oneLine(unnamed.stderr), /unnamed\.jsonl does not name 2 events .*--fixtures FILE/)
  const named = await feed('explain', ...betfair, '--fixtures', fixture('betfair/fixtures.json'))
  assert.equal(named.stderr, '')
  assert.ok((JSON.parse(linesOf(named.stdout).at(-1)!) as { mapped: number }).mapped > 0)
})

test('check says what a configuration would run, and names the field that is wrong; run prints observations', async () => {
  const config = join(folder.path, 'feeds.json')
  const source = { name: 'mine', kind: 'file', path: OBSERVATIONS, format: 'observations' }
  writeFileSync(config, JSON.stringify({ sources: [source] }))
  const right = await feed('check', '--feeds', config)
  assert.equal(right.code, 0, right.stderr)
  assert.equal((JSON.parse(right.stdout) as { id: string }).id, 'mine')
  const ran = await feed('run', 'mine', '--feeds', config, '--seconds', '2')
  assert.match(ran.stderr, /mine: \d+ outcomes read/)
  assert.deepEqual(Object.keys(JSON.parse(linesOf(ran.stdout)[0]!) as object).slice(0, 3), [
    'bookmaker',
    'transport',
    'observedAt',
  ])
  const other = await feed('run', 'yours', '--feeds', config)
  assert.equal(other.code, 1)
  assert.match(oneLine(other.stderr), /has no source "yours"; it has mine/)
  writeFileSync(config, JSON.stringify({ sources: [{ ...source, format: 'xml' }] }))
  const wrong = await feed('check', '--feeds', config)
  assert.equal(wrong.code, 1)
  assert.match(oneLine(wrong.stderr), /sources\[0\]\.format must be one of /)
})

test('check reports every fault of every source, each on a line, and lists what can be read', async () => {
  const config = join(folder.path, 'faults.json')
  const file = { kind: 'file', path: OBSERVATIONS, format: 'observations' }
  const sources = [
    { name: 'fine', ...file },
    { name: 'odd', ...file, spede: 2 },
    { name: 'feed', kind: 'uof', amqpUrl: '$CHECK_URL', apiToken: '$CHECK_TOKEN' },
    { name: 'new', kind: 'kamby', apiKey: '$CHECK_KEY' },
  ]
  writeFileSync(config, JSON.stringify({ sources }))
  const { code, stdout, stderr } = await feed('check', '--feeds', config)
  assert.equal(code, 1)
  assert.deepEqual(
    linesOf(stdout).map((line) => (JSON.parse(line) as { id: string }).id),
    ['fine', 'feed'],
  )
  const unset = 'is not set in the environment, nor in .env'
  assert.deepEqual(
    linesOf(stderr).map((line) =>
      line.slice(`oddswire: --feeds ${config}: sources`.length).replace(/ one of.*;/, '…;'),
    ),
    [
      '[1].spede is not known here; did you mean "speed"?',
      `[2].amqpUrl $CHECK_URL ${unset}`,
      `[2].apiToken $CHECK_TOKEN ${unset}`,
      '[3].kind must be…; did you mean "kambi"?',
      `[3].apiKey $CHECK_KEY ${unset}`,
    ],
  )
  // One that lacks something keeps only itself from being run.
  writeFileSync(config, JSON.stringify({ sources: [sources[0], sources[2]] }))
  const off = await feed('run', 'feed', '--feeds', config)
  assert.match(oneLine(off.stderr), /^oddswire: feed is off: amqpUrl \$CHECK_URL is not set/)
  assert.equal((await feed('run', 'fine', '--feeds', config, '--seconds', '1')).code, 0)
})

test('lists are tables with a summary on a terminal, as wide as it is, and JSON elsewhere and with --json', {
  skip: terminalMissing,
}, async () => {
  const config = join(folder.path, 'table.json')
  const file = { kind: 'file', path: OBSERVATIONS, format: 'observations' }
  writeFileSync(
    config,
    JSON.stringify({
      sources: [
        { name: 'fine', ...file },
        { name: 'b', ...file, spede: 2 },
      ],
    }),
  )
  const table = onTerminal(70, 'feed', 'check', '--feeds', config)
  assert.equal(table.code, 1)
  assert.match(
    table.lines[0]!,
    /^source {2}kind {2}bookmak… {2}runs {2}late aft… {2}down aft… {2}suspends {2}prices\/s$/,
  )
  assert.match(table.lines[1]!, /^fine {4}file {2}- {9}yes {3}10 s .* never {8}50000$/)
  assert.equal(table.lines[2], '')
  assert.equal(table.lines[3], `${config}: 2 sources: 1 fine, 1 wrong; 1 fault, so that serve does not start`)
  assert.match(table.lines[4]!, /^oddswire: .*spede is not known here; did you mean "speed"\?$/)
  for (const line of table.lines.slice(0, 2)) assert.ok(line.length <= 70, line)
  const json = onTerminal(70, 'feed', 'check', '--feeds', config, '--json')
  const piped = await feed('check', '--feeds', config)
  assert.equal(json.lines[0], linesOf(piped.stdout)[0])

  const data = newFolder()
  done(
    data.path,
    'coverage',
    'import',
    writeCoverage(data.path, [['a', 'verified_rest_only', true, false, ['football', 'tennis']]]),
  )
  const at = ['--data-dir', data.path]
  assert.deepEqual(onTerminal(80, 'coverage', 'list', ...at).lines, [
    'bookmaker  sport     status              rest  live  verified',
    'a          football  verified_rest_only  yes   no    -',
    'a          tennis    verified_rest_only  yes   no    -',
    '',
    '1 bookmaker, 2 rows of coverage, 0 verified',
  ])
  assert.equal(onTerminal(80, 'coverage', 'list', '--json', ...at).lines.length, 2)
  assert.equal(onTerminal(80, 'plan', 'list', ...at).lines.at(-1), '3 plans; 0 is unlimited')
  assert.deepEqual(onTerminal(80, 'key', 'list', ...at).lines, ['no keys: oddswire key create makes one'])
  assert.equal(onTerminal(80, 'org', 'list', ...at).lines.at(-1), 'no organizations')
  data.remove()
})

test('status shows the sources of a running server, which never start and why, and what became of markets', async () => {
  const config = join(folder.path, 'status.json')
  const mine = { name: 'mine', kind: 'file', path: OBSERVATIONS, format: 'observations' }
  const off = {
    name: 'off',
    kind: 'pinnacle',
    baseUrl: 'https://p.example/',
    groups: [{ name: 'one', matchups: 'm', straight: 's' }],
  }
  writeFileSync(config, JSON.stringify({ sources: [mine, { ...off, sourceMode: 'disabled' }] }))
  const data = newFolder()
  const service = await startService(data.path, '--feeds', config)
  const status = (...args: string[]): Promise<Ended> => feed('status', ...args, '--data-dir', data.path)
  try {
    let rows: Record<string, unknown>[] = []
    while (rows[0]?.observations !== linesOf(readFileSync(OBSERVATIONS, 'utf8')).length) {
      const { code, stdout, stderr } = await status()
      assert.equal(code, 0, stderr)
      rows = linesOf(stdout).map((line) => JSON.parse(line) as Record<string, unknown>)
    }
    assert.deepEqual(
      rows.map(({ id, kind }) => [id, kind]),
      [
        ['mine', 'file'],
        ['off', 'pinnacle'],
      ],
    )
    assert.deepEqual([rows[1]!.state, rows[1]!.problem], ['never started', 'is disabled: never polled'])
    const markets = await status('--markets', 'mine')
    assert.equal(markets.code, 0, markets.stderr)
    assert.deepEqual(JSON.parse(linesOf(markets.stdout)[0]!), {
      id: 'match_result_1x2',
      sport: 'football',
      match_result_1x2: 2,
    })
    for (const name of ['off', 'a/b ?']) {
      const none = await status('--markets', name)
      assert.equal(none.code, 1)
      assert.ok(oneLine(none.stderr).includes(`no source "${name}" that was started`), none.stderr)
    }
  } finally {
    await service.stop()
    data.remove()
  }
})

test('the example configuration is right, and wants its secrets from the environment', async () => {
  const example = join(ROOT, 'examples', 'feeds.json')
  const secrets = [...readFileSync(example, 'utf8').matchAll(/"\$([A-Z_]+)"/g)].map(([, name]) => name!)
  const environment = Object.fromEntries(secrets.map((name) => [name, name.includes('URL') ? 'amqps://t@h/v' : 's']))
  const right = await start(['check', '--feeds', example], environment).ended
  assert.equal(right.code, 0, right.stderr)
  assert.equal(linesOf(right.stdout).length, 8)
  const { BETFAIR_APP_KEY: _, ...others } = environment
  const wrong = await start(['check', '--feeds', example], others).ended
  assert.equal(wrong.code, 1)
  assert.equal(linesOf(wrong.stdout).length, 8)
  assert.match(oneLine(wrong.stderr), /sources\[3\]\.appKey \$BETFAIR_APP_KEY is not set in the environment/)
})

test('SIGINT and SIGTERM stop it early, with the summary', async () => {
  const path = join(folder.path, 'slow.jsonl')
  const [first] = linesOf(readFileSync(OBSERVATIONS, 'utf8'))
  writeFileSync(path, `${first}\n${first!.replace('2026-03-07T11:58', '2026-03-08T11:58')}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const broker = await listen()
    const sending = ['send', path, '--format', 'observations', '--to', to(broker), '--key', KEY, '--speed', '1']
    const { child, ended } = start(sending)
    await broker.until(() => broker.sends().length === 1)
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    assert.equal(stderr, '')
    assert.equal(code, 0)
    const summary = JSON.parse(stdout)
    assert.deepEqual([summary.stopped, summary.sent, summary.receipted], [true, 1, 1])
  }
})

test('what has no answer when it is stopped ends it with 1; a second signal does not wait', async () => {
  const broker = await listen(({ command }) => command === 'SEND')
  const sending = ['send', OBSERVATIONS, '--format', 'observations', '--to', to(broker), '--key', KEY]
  const patient = start(sending)
  await broker.until(() => broker.sends().length === 3)
  patient.child.kill('SIGTERM')
  const { code, stdout } = await patient.ended
  assert.equal(code, 1)
  assert.equal(JSON.parse(stdout).unanswered, 3)

  const hurried = start(sending)
  await broker.until(() => broker.sends().length === 6)
  // The first may not have been seen yet when the next one comes: then both are one.
  const again = setInterval(() => hurried.child.kill('SIGINT'), 50)
  const { signal } = await hurried.ended
  clearInterval(again)
  assert.equal(signal, 'SIGINT')
})

test('stomp+ssl is TLS, and a certificate that is not trusted is reported', async (context) => {
  const [keyFile, certFile] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-keyout', keyFile, '-out', certFile],
  ])
  if (status !== 0) return context.skip('openssl is not installed')
  const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  const broker = await listen(undefined, { tls })
  const flags = ['--format', 'observations', '--key', KEY]
  for (const host of ['127.0.0.1', 'localhost']) {
    const to = ['--to', `stomp+ssl://${host}:${broker.port}`]
    const trusted = await start(['send', OBSERVATIONS, ...flags, ...to], { NODE_EXTRA_CA_CERTS: certFile }).ended
    assert.equal(trusted.code, 0, trusted.stderr)
    assert.equal(JSON.parse(trusted.stdout).receipted, 3)
    const untrusted = await feed('send', OBSERVATIONS, ...flags, ...to)
    assert.equal(untrusted.code, 1)
    assert.match(oneLine(untrusted.stderr), /cannot be reached: its certificate is self-signed; NODE_EXTRA_CA_CERTS/)
  }
  const plain = await listen(undefined, { onConnection: ({ socket }) => socket.end('ERROR\nmessage:syntax\n\n\0\n') })
  const wrong = await feed('send', OBSERVATIONS, ...flags, '--to', `stomp+ssl://127.0.0.1:${plain.port}`)
  assert.equal(wrong.code, 1)
  assert.match(oneLine(wrong.stderr), /cannot be reached: /)
})
