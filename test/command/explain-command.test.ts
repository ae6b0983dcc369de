// oddswire explain beside the real service: what it prints, its exit codes, and that it agrees with REST.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { command, done, get, list, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { onTerminal, terminalMissing } from './terminal.ts'

const folder = newFolder()
let service: RunningService
let key = ''
let event = ''

const MATCHES = [
  ['Harbour Town', 'Millbrook'],
  ['Harbour Rovers', 'Kestrel City'],
] as const

before(async () => {
  const observedAt = new Date(clock.now() - 60_000).toISOString()
  const lines = MATCHES.flatMap(([home, away]) =>
    ['alpha', 'gamma'].map((bookmaker) =>
      JSON.stringify({
        ...{ bookmaker, transport: 'rest', observedAt },
        event: { sport: 'football', league: { key: 'l', name: 'L' }, home, away, kickoffAt: observedAt },
        quotes: [
          { type: 'match_winner', outcome: 'home', odds: 2 },
          { type: 'spread', line: -1.5, outcome: 'home', odds: 3, status: 'suspended' },
        ],
      }),
    ),
  )
  const recording = join(folder.path, 'observations.jsonl')
  writeFileSync(recording, lines.join('\n'))
  const coverage = writeCoverage(folder.path, [
    ['alpha', 'verified_rest_live', true, true],
    ['beta', 'verified_rest_live', true, true],
  ])
  done(folder.path, 'org', 'create', 'small', '--plan', 'starter')
  done(folder.path, 'plan', 'set', 'starter', '--hourly', '2')
  key = done(folder.path, 'key', 'create', '--org', 'small')
  service = await startService(
    folder.path,
    ...['--coverage', coverage, '--replay', recording, '--format', 'observations', '--log-level', 'error'],
  )
  const { body } = await get(service, '/events', key)
  event = String(list(body.data).find(({ homeTeam }) => String(homeTeam) === 'Harbour Town')!.id)
})

after(async () => {
  await service?.stop()
  folder.remove()
})

const explain = (...args: string[]) => command(folder.path, 'explain', '--key', key, ...args)

const OF = ['--bookmaker', 'alpha']

test('piped it prints one JSON object; the exit code is 0 for a visible quote and 3 for a hidden one', () => {
  const visible = explain('--event', event, ...OF, '--market', 'match_winner', '--outcome', 'home')
  assert.deepEqual([visible.code, visible.stderr], [0, ''])
  const body = JSON.parse(visible.stdout) as Record<string, unknown>
  assert.deepEqual([body.hiddenBy, body.shownBy, body.quoteCount], [null, ['rest'], 1])
  assert.doesNotMatch(visible.stdout, new RegExp(key), 'a secret is not repeated')
  for (const [args, rule] of [
    [[...OF, '--event', event, '--market', 'spread', '--line', '-1.5'], 'status'],
    [[...OF, '--event', event, '--transport', 'live'], 'plan'],
    [['--bookmaker', 'gamma', '--event', event], 'coverage'],
    [['--bookmaker', 'beta', '--event', event], 'quote'],
    [[...OF, '--event', '1'], 'event'],
  ] as const) {
    const hidden = explain(...args)
    assert.equal(hidden.code, 3, hidden.stderr)
    assert.equal((JSON.parse(hidden.stdout) as Record<string, unknown>).hiddenBy, rule)
  }
})

test('asking counts no request, and the limit is named when it is reached', async () => {
  assert.equal(explain('--event', event, ...OF).code, 0)
  const { status } = await get(service, `/events/${event}/odds`, key)
  assert.equal(status, 200, 'the second of two')
  assert.equal((await get(service, `/events/${event}/odds`, key)).status, 429)
  const limited = explain('--event', event, ...OF)
  assert.equal(limited.code, 3)
  assert.match(
    limited.stdout,
    /"verdict":"hidden by: limit — .*Hourly rate limit of 2 requests exhausted.*2 of the 2 requests of this hour are used/,
  )
})

test('an event may be given by names; several are listed with exit code 1', () => {
  const one = explain('--event', 'Harbour Town v Millbrook', ...OF)
  assert.equal((JSON.parse(one.stdout) as { readonly event: { readonly id: string } }).event.id, event)
  const several = explain('--event', 'harbour', ...OF)
  assert.equal(several.code, 1)
  assert.equal(several.stdout.trimEnd().split('\n').length, 2)
  assert.match(several.stderr, /several events have these names; give the id of one/)
  const none = explain('--event', 'Nobody', ...OF)
  assert.deepEqual([none.code, none.stdout], [1, ''])
  assert.match(none.stderr, /no event on the board has all these names: "Nobody"/)
})

test('what is mistyped is named, with what was probably meant', () => {
  for (const [args, code, text] of [
    [['--event', event], 2, /--bookmaker is missing/],
    [[...OF], 2, /--event is missing/],
    [['--event', event, '--bookmaker', 'Alpha'], 1, /--bookmaker must be a slug/],
    [['--event', event, ...OF, '--market', 'match_winer'], 1, /did you mean "match_winner"\?/],
    [['--event', event, ...OF, '--transport', 'liv'], 1, /did you mean "live"\?/],
    [['--event', event, ...OF, '--line', 'x'], 1, /line must be a number/],
    [['--event', event, ...OF, '--outcom', 'home'], 2, /did you mean "--outcome"\?/],
    [['--event', event, ...OF, '--key', `${key}x`], 1, /incomplete or mistyped/],
  ] as const) {
    const result = explain(...args)
    assert.equal(result.code, code, result.stderr)
    assert.match(result.stderr, text)
  }
  assert.match(explain('--event', event, '--bookmaker', 'alpah').stdout, /did you mean \\"alpha\\"\?/)
  const away = command(join(folder.path, 'none'), 'explain', '--key', key, '--event', '1', ...OF)
  assert.equal(away.code, 1)
  assert.match(away.stderr, /no server runs with data folder/)
})

test('on a terminal: a line for each rule, in any width, and the verdict last', { skip: terminalMissing }, () => {
  for (const columns of [60, 140]) {
    const args = ['explain', '--data-dir', folder.path, '--key', key, '--event', event, ...OF, '--market', 'spread']
    const { code, lines } = onTerminal(columns, ...args)
    assert.equal(code, 3)
    assert.match(lines[0]!, /^key +passes +Key key_/)
    const verdict = lines.findLastIndex((line) => line === '') + 1
    assert.match(lines[verdict]!, /^hidden by: limit — /)
    for (const line of lines) assert(line.length <= columns, line)
  }
})

test('the admin port answers GET /explain, and refuses what it cannot read', async () => {
  const ask = async (query: string) => {
    const response = await fetch(`${service.admin}/explain?${query}`)
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const { status, body } = await ask(`key=key_none&event=${event}&bookmaker=alpha`)
  assert.deepEqual([status, body.hiddenBy], [200, 'key'])
  assert.deepEqual(await ask('key=a&event=1&bookmaker=A'), {
    status: 400,
    body: {
      error: {
        ...{ code: 'validation_failed', field: 'bookmaker' },
        message: 'bookmaker must be a slug (^[a-z0-9][a-z0-9_.-]{0,63}$), as GET /bookmakers has it',
      },
    },
  })
  assert.equal((await ask('key=a&key=b')).status, 400)
})
