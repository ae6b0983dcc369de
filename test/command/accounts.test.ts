// The commands that work on the store, as real processes with piped output.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isFault } from '../../src/access/fault.ts'
import { isSecret } from '../../src/access/key.ts'
import { Store } from '../../src/access/store.ts'
import { newFolder } from '../access/folder.ts'
import { ROOT } from '../root.ts'
import { type CommandResult, command, done, MAIN, writeCoverage } from '../service.ts'

const rows = (result: CommandResult): Record<string, unknown>[] => {
  assert.equal(result.code, 0, result.stderr)
  return result.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** One line on stderr, nothing on stdout, and the exit code of a refusal. */
const refusedWith = (result: CommandResult, message: RegExp): void => {
  assert.equal(result.code, 1, result.stdout + result.stderr)
  assert.equal(result.stdout, '')
  assert.match(result.stderr, /^oddswire: [^\n]+\n$/)
  assert.match(result.stderr, message)
}

const misused = (result: CommandResult, message: RegExp): void => {
  assert.equal(result.code, 2, result.stdout + result.stderr)
  assert.equal(result.stdout, '')
  assert.match(result.stderr, message)
}

const oddswire = (args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) =>
  spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    ...options,
    env: { ...process.env, ...options.env },
  })

test('help and version of everything are on stdout, and no command is wrong usage', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  assert.deepEqual([oddswire(['--version']).stdout, oddswire(['--version']).status], [`${version}\n`, 0])
  const helps: [string[], RegExp][] = [
    [['--help'], /serve.*org.*plan.*key.*coverage.*spec/s],
    [['key', '--help'], /create .*list .*revoke /s],
    [['key', 'create', '--help'], /--expires.*--data-dir/s],
    [['plan', 'set', '--help'], /--hourly N/],
    [['org', 'create', '-h'], /NAME --plan PLAN/],
    [['coverage', 'import', '--help'], /FILE/],
  ]
  for (const [args, text] of helps) {
    const { stdout, stderr, status } = oddswire(args)
    assert.deepEqual([status, stderr], [0, ''], args.join(' '))
    assert.match(stdout, text)
  }
  for (const args of [[], ['frobnicate'], ['key'], ['key', 'make'], ['coverage', 'nothing'], ['toString']]) {
    const { stdout, stderr, status } = oddswire(args)
    assert.deepEqual([status, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^oddswire: [^\n]+\nusage: oddswire /)
  }
})

test('organizations: created, changed, listed, by name and by id', () => {
  const folder = newFolder()
  const id = done(folder, 'org', 'create', 'Acme Bets Ltd.', '--plan', 'pro', '--bookmakers', 'b,a,b')
  assert.match(id, /^org_[0-9A-Za-z]{12}$/)
  assert.deepEqual(rows(command(folder, 'org', 'list')), [
    { id, name: 'Acme Bets Ltd.', plan: 'pro', bookmakers: ['b', 'a'] },
  ])
  assert.equal(done(folder, 'org', 'set', 'Acme Bets Ltd.', '--plan', 'desk'), '')
  done(folder, 'org', 'set', id, '--bookmakers', '*')
  assert.deepEqual(rows(command(folder, 'org', 'list')), [
    { id, name: 'Acme Bets Ltd.', plan: 'desk', bookmakers: '*' },
  ])
  refusedWith(command(folder, 'org', 'create', 'Acme Bets Ltd.', '--plan', 'pro'), /already/)
  refusedWith(command(folder, 'org', 'create', 'x', '--plan', 'gold'), /--plan has no value "gold".*desk, pro, starter/)
  refusedWith(command(folder, 'org', 'create', 'x', '--plan', 'pro', '--bookmakers', 'A b'), /--bookmakers.*"A b"/)
  refusedWith(command(folder, 'org', 'create', 'x', '--plan', 'pro', '--bookmakers', ''), /--bookmakers/)
  refusedWith(command(folder, 'org', 'create', '', '--plan', 'pro'), /NAME/)
  refusedWith(command(folder, 'org', 'create', 'org_1', '--plan', 'pro'), /NAME/)
  refusedWith(command(folder, 'org', 'set', 'nobody', '--plan', 'pro'), /no organization "nobody"/)
  misused(command(folder, 'org', 'create', 'x'), /--plan is missing\nusage: oddswire org create NAME/)
  misused(command(folder, 'org', 'create', '--plan', 'pro'), /NAME is missing/)
  misused(command(folder, 'org', 'create', 'x', 'y', '--plan', 'pro'), /too many arguments: 2 given, 1 needed/)
  misused(command(folder, 'org', 'set', 'x'), /nothing to set/)
  misused(command(folder, 'org', 'list', '--color'), /'--color'/)
})

test('plans: made, changed field by field, listed', () => {
  const folder = newFolder()
  done(folder, 'plan', 'set', 'gold', '--hourly', '0', '--live', 'true', '--live-connections', '4')
  done(
    folder,
    'plan',
    'set',
    'gold',
    '--monthly',
    '12',
    '--history',
    'true',
    '--replay-window',
    '60',
    '--live',
    'false',
  )
  const plans = rows(command(folder, 'plan', 'list'))
  assert.deepEqual(
    plans.map(({ id }) => id),
    ['desk', 'gold', 'pro', 'starter'],
  )
  assert.deepEqual(plans[1], {
    id: 'gold',
    hourlyLimit: 0,
    monthlyQuota: 12,
    liveEnabled: false,
    historyEnabled: true,
    liveReplayWindowSeconds: 60,
    liveConnectionsMax: 4,
    isPublic: false,
  })
  refusedWith(command(folder, 'plan', 'set', 'gold', '--hourly', '1.5'), /--hourly must be a whole number.*"1.5"/)
  refusedWith(command(folder, 'plan', 'set', 'gold', '--hourly=-1'), /--hourly/)
  refusedWith(command(folder, 'plan', 'set', 'gold', '--monthly', '9999999999999'), /--monthly/)
  refusedWith(command(folder, 'plan', 'set', 'gold', '--live', 'yes'), /--live must be true or false, not "yes"/)
  refusedWith(command(folder, 'plan', 'set', 'Gold Plan'), /NAME/)
  refusedWith(command(folder, 'plan', 'set', 'gold', '--hourly', '-1'), /--hourly must be a whole number.*"-1"/)
  done(folder, 'plan', 'set', 'gold', '--public', 'true')
  assert.equal(rows(command(folder, 'plan', 'list'))[1]?.isPublic, true)
  refusedWith(command(folder, 'plan', 'set', 'gold', '--public', 'yes'), /--public must be true or false, not "yes"/)
  done(folder, 'org', 'create', 'holder', '--plan', 'gold')
  refusedWith(command(folder, 'plan', 'remove', 'gold'), /holder.*give them another one first/)
  done(folder, 'org', 'set', 'holder', '--plan', 'pro')
  done(folder, 'plan', 'remove', 'gold')
  refusedWith(command(folder, 'plan', 'remove', 'gold'), /there is no plan "gold"/)
  misused(command(folder, 'plan', 'set'), /NAME is missing/)
})

test('keys: the secret alone on the last line, then never again', () => {
  const folder = newFolder()
  const org = done(folder, 'org', 'create', 'acme', '--plan', 'pro')
  done(folder, 'org', 'create', 'other', '--plan', 'pro')
  const plain = done(folder, 'key', 'create', '--org', 'acme')
  const scope = ['--channels', 'rest,live', '--bookmakers', 'a,b', '--sports', 'golf', '--expires']
  const narrow = done(folder, 'key', 'create', '--org', org, ...scope, '2999-01-31T23:00:00+01:00')
  const feed = done(folder, 'key', 'create', '--org', 'other', '--feed', 'a,b')
  for (const secret of [plain, narrow, feed]) assert.ok(isSecret(secret))
  assert.match(feed, /^odds_feed_/)
  const listed = command(folder, 'key', 'list')
  for (const secret of [plain, narrow, feed]) assert.ok(!listed.stdout.includes(secret.slice(10, 20)))
  const all = rows(listed)
  assert.deepEqual(
    all.map((key) => [Object.keys(key)[0], key.organization, key.kind, key.status]),
    [
      ['id', 'acme', 'customer', 'active'],
      ['id', 'acme', 'customer', 'active'],
      ['id', 'other', 'feed', 'active'],
    ],
  )
  const narrowed = all[1]!
  assert.deepEqual(
    [narrowed.channels, narrowed.bookmakers, narrowed.sports, narrowed.expiresAt],
    [['rest', 'live'], ['a', 'b'], ['golf'], '2999-01-31T22:00:00.000Z'],
  )
  assert.deepEqual(all[2]!.bookmakers, ['a', 'b'])
  assert.equal(rows(command(folder, 'key', 'list', '--org', 'acme')).length, 2)
  assert.equal(rows(command(folder, 'key', 'list', '--org', org)).length, 2)

  done(folder, 'key', 'revoke', plain)
  done(folder, 'key', 'revoke', String(all[1]!.id))
  done(folder, 'key', 'revoke', plain)
  assert.deepEqual(
    rows(command(folder, 'key', 'list')).map(({ status }) => status),
    ['revoked', 'revoked', 'active'],
  )
  refusedWith(command(folder, 'key', 'revoke', 'key_000000000000'), /no such key; oddswire key list/)
  const mistyped = `${plain.slice(0, -1)}!`
  const refused = command(folder, 'key', 'revoke', mistyped)
  refusedWith(refused, /incomplete or mistyped/)
  assert.ok(!refused.stderr.includes(plain.slice(10, 20)))
})

test('keys: everything wrong is named', () => {
  const folder = newFolder()
  done(folder, 'org', 'create', 'acme', '--plan', 'pro')
  const create = (...args: string[]) => command(folder, 'key', 'create', '--org', 'acme', ...args)
  refusedWith(command(folder, 'key', 'create', '--org', 'nobody'), /--org: there is no organization "nobody"/)
  refusedWith(command(folder, 'key', 'list', '--org', 'nobody'), /--org: there is no organization "nobody"/)
  refusedWith(create('--channels', 'rest,push'), /--channels has no value "push"; use one of rest, live, history/)
  refusedWith(create('--sports', 'chess'), /--sports has no value "chess"; use one of football, tennis/)
  refusedWith(create('--sports', ''), /--sports/)
  refusedWith(create('--bookmakers', 'a,,b'), /--bookmakers/)
  refusedWith(create('--feed', '*'), /--feed/)
  const instants = ['2001-01-31T00:00:00Z', '2999-01-31', '2999-01-31T00:00:00', '2999-02-30T00:00:00Z', 'tomorrow']
  instants.push('2999-01-31T24:00:00Z', '2999-01-31 00:00:00Z', '')
  for (const instant of instants) refusedWith(create('--expires', instant), /--expires/)
  misused(create('--feed', 'a', '--sports', 'golf'), /--sports does not go with --feed/)
  misused(command(folder, 'key', 'create'), /--org is missing/)
  misused(command(folder, 'key', 'revoke'), /KEY_ID_OR_SECRET is missing/)
  assert.deepEqual(rows(command(folder, 'key', 'list')), [], 'nothing was made')
})

test('coverage: imported whole or not at all, and listed', () => {
  const folder = newFolder()
  const file = writeCoverage(folder, [
    ['b', 'verified_rest_only', true, false, ['football', 'tennis']],
    ['a', 'live_beta', true, true],
  ])
  done(folder, 'coverage', 'import', file)
  const listed = rows(command(folder, 'coverage', 'list'))
  assert.deepEqual(
    listed.map(({ id, bookmaker, sport, status }) => [id, bookmaker, sport, status]),
    [
      ['a:*', 'a', '*', 'live_beta'],
      ['b:football', 'b', 'football', 'verified_rest_only'],
      ['b:tennis', 'b', 'tennis', 'verified_rest_only'],
    ],
  )
  const broken = join(folder, 'broken.json')
  writeFileSync(broken, JSON.stringify({ bookmakers: [{ slug: 'NO' }] }))
  refusedWith(
    command(folder, 'coverage', 'import', broken),
    /broken\.json was not imported: bookmakers\[0\]\.slug must/,
  )
  refusedWith(command(folder, 'coverage', 'import', join(folder, 'none.json')), /none\.json cannot be read/)
  misused(command(folder, 'coverage', 'import'), /FILE is missing/)
  assert.deepEqual(rows(command(folder, 'coverage', 'list')), listed)
})

test('the data folder comes from the flag, the variable, or .env; a bad one is one line', () => {
  const folder = newFolder()
  const [first, second, third] = ['one', 'two/deep', 'three'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const create = ['org', 'create', 'acme', '--plan', 'desk']
  const env = { ODDSWIRE_DATA_DIR: second }
  assert.equal(oddswire([...create, '--data-dir', first], { env }).status, 0)
  assert.deepEqual([existsSync(first), existsSync(second)], [true, false])
  assert.equal(oddswire(create, { env }).status, 0)
  assert.equal(existsSync(second), true)
  writeFileSync(join(folder, '.env'), `ODDSWIRE_DATA_DIR=${third}\n`)
  assert.equal(oddswire(create, { cwd: folder }).status, 0)
  assert.equal(existsSync(third), true)
  for (const bad of ['/proc/oddswire', join(folder, '.env'), '']) {
    refusedWith(command(bad, 'org', 'list'), /--data-dir.*\n$/)
  }
  writeFileSync(join(first, 'oddswire.db'), 'this is no database, and long enough to be looked at'.repeat(40))
  refusedWith(command(first, 'org', 'list'), /store.*cannot be opened.*--data-dir/)
})

test('a command that only reads or changes what is there makes no store where there is none', () => {
  const away = join(newFolder(), 'away')
  for (const args of [
    ['key', 'revoke', 'key_1'],
    ['key', 'list'],
    ['org', 'list'],
    ['plan', 'list'],
    ['coverage', 'list'],
  ]) {
    refusedWith(
      command(away, ...args),
      /there is no store in .*away: name its folder with --data-dir, or make one with oddswire serve or org create\n$/,
    )
    assert.equal(existsSync(away), false, args.join(' '))
  }
})

test('a reader that closes early is no failure', () => {
  const folder = newFolder()
  done(folder, 'org', 'create', 'acme', '--plan', 'desk')
  const line = `${process.execPath} ${MAIN} plan list --data-dir ${folder} | head -n 1`
  const { stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', line], { encoding: 'utf8' })
  assert.match(stdout, /^\{"id":"desk"/)
  assert.equal(stderr, '')
})

test('many commands at once on a new folder all succeed', async () => {
  const folder = newFolder()
  const line = Array.from(
    { length: 8 },
    (_, n) => `${process.execPath} ${MAIN} org create org${n} --plan pro --data-dir ${folder} &`,
  )
  const { stdout, stderr } = spawnSync('bash', ['-c', `${line.join('\n')}\nwait`], { encoding: 'utf8' })
  assert.equal(stderr, '')
  assert.equal(new Set(stdout.trim().split('\n')).size, 8)
  const store = Store.open(folder, { waitMs: 0, busyMs: 0, at: 0 })
  assert.ok(!isFault(store))
  assert.equal(store.accounts.organizations().length, 8)
  store.close()
})
