// Users of the portal: the commands, and the portal of a running service over HTTP.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Json, list } from '../json.ts'
import { command, done, get, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'

const PASSWORD = 'correct horse battery'

const folders: { remove(): void }[] = []
const folder = (): string => {
  const made = newFolder()
  folders.push(made)
  return made.path
}
after(() => {
  for (const each of folders) each.remove()
})

interface Told {
  readonly status: number
  readonly body: Json
  readonly cookie: string | null
}

const ask = async (
  { port }: RunningService,
  method: string,
  path: string,
  { body, cookie = '', csrf = '' }: { body?: object; cookie?: string; csrf?: string } = {},
): Promise<Told> => {
  const response = await fetch(`http://127.0.0.1:${port}/portal/api/${path}`, {
    method,
    headers: { cookie, 'x-csrf-token': csrf, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const set = response.headers.get('set-cookie')
  return {
    status: response.status,
    body: text === '' ? {} : JSON.parse(text),
    cookie: set === null ? null : set.split(';', 1)[0]!,
  }
}

const tokenOf = (url: string): string => {
  const token = /\/login#link=([\w-]{43})$/.exec(url)?.[1]
  assert(token !== undefined, url)
  return token
}

const useLink = async (service: RunningService, token: string): Promise<{ cookie: string; csrf: string }> => {
  const used = await ask(service, 'POST', 'link', { body: { token, password: PASSWORD } })
  assert.equal(used.status, 200, JSON.stringify(used.body))
  return { cookie: used.cookie!, csrf: String(used.body.csrf) }
}

test('user create prints a link alone; users are listed, changed and removed; what is wrong is refused', () => {
  const dataDir = folder()
  done(dataDir, 'org', 'create', 'acme', '--plan', 'pro')
  const link = command(dataDir, 'user', 'create', ' Ada@Example.com', '--org', 'acme', '--role', 'owner')
  assert.equal(link.code, 0, link.stderr)
  assert.match(link.stdout, /^http:\/\/localhost:8080\/login#link=[\w-]{43}\n$/)
  const again = done(dataDir, 'user', 'link', 'ada@example.com')
  assert.notEqual(tokenOf(again), tokenOf(link.last))
  const rows = (): Record<string, unknown>[] => {
    const { stdout, code } = command(dataDir, 'user', 'list')
    assert.equal(code, 0)
    return stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
  const [row] = rows()
  assert.deepEqual(
    [row!.email, row!.role, row!.organization, row!.password],
    ['ada@example.com', 'owner', 'acme', false],
  )
  done(dataDir, 'user', 'set', 'ada@example.com', '--role', 'member')
  assert.equal(rows()[0]!.role, 'member')
  for (const [args, message] of [
    [['create', 'ada@example.com', '--org', 'acme', '--role', 'owner'], /there is a user ada@example\.com already/],
    [['create', 'ada', '--org', 'acme', '--role', 'owner'], /EMAIL must be an address/],
    [['create', 'b@example.com', '--org', 'acme', '--role', 'boss'], /--role has no value "boss"; use one of operator/],
    [['create', 'b@example.com', '--org', 'none', '--role', 'owner'], /--org: there is no organization "none"/],
    [['link', 'b@example.com'], /there is no user b@example\.com/],
    [['set', 'b@example.com', '--role', 'owner'], /there is no user/],
    [['remove', 'b@example.com'], /there is no user/],
  ] as const) {
    const { code, stdout, stderr } = command(dataDir, 'user', ...args)
    assert.deepEqual([code, stdout], [1, ''], args.join(' '))
    assert.match(stderr, message)
  }
  assert.equal(command(dataDir, 'user', 'set', 'ada@example.com').code, 2)
  done(dataDir, 'user', 'remove', 'ada@example.com')
  assert.deepEqual(rows(), [])
})

test('a key of the portal works with curl, and is refused at once when it was revoked there', async () => {
  const dataDir = folder()
  done(dataDir, 'org', 'create', 'acme', '--plan', 'pro')
  const service = await startService(dataDir)
  const link = done(dataDir, 'user', 'create', 'ada@example.com', '--org', 'acme', '--role', 'owner')
  assert(link.startsWith(`http://localhost:${service.port}/login#`), link)
  const browser = await useLink(service, tokenOf(link))
  const created = await ask(service, 'POST', 'keys', { ...browser, body: { name: 'curl' } })
  assert.equal(created.status, 201)
  const curl = (): string => {
    const header = `Authorization: Bearer ${String(created.body.secret)}`
    const { stdout } = spawnSync(
      'curl',
      ['-s', '-o', '/dev/null', '-w', '%{http_code}', '-H', header, `${service.api}/sports`],
      { encoding: 'utf8' },
    )
    return stdout
  }
  const hasCurl = spawnSync('curl', ['--version']).status === 0
  if (hasCurl) assert.equal(curl(), '200')
  assert.equal((await get(service, '/sports', String(created.body.secret))).status, 200)
  assert.equal((await ask(service, 'DELETE', `keys/${String(created.body.key!.id)}`, browser)).status, 204)
  assert.equal((await get(service, '/sports', String(created.body.secret))).status, 401)
  if (hasCurl) assert.equal(curl(), '401')
  const [refused] = list((await ask(service, 'GET', 'refusals', browser)).body.data)
  assert.deepEqual(
    [refused!.code, refused!.path, refused!.message],
    ['invalid_api_key', '/api/v1/sports', 'This API key has been revoked'],
  )
  // No page of another origin gets CORS headers here.
  done(dataDir, 'user', 'remove', 'ada@example.com')
  assert.equal((await ask(service, 'GET', 'session', browser)).body.user, null)
  assert.equal(await service.stop(), 0)
})

test('SIGKILL loses nothing that was confirmed: sessions, keys, revocations, passwords', async () => {
  const dataDir = folder()
  done(dataDir, 'org', 'create', 'acme', '--plan', 'pro')
  const link = done(dataDir, 'user', 'create', 'ada@example.com', '--org', 'acme', '--role', 'owner')
  const first = await startService(dataDir)
  const browser = await useLink(first, tokenOf(link))
  const keys: { id: string; secret: string }[] = []
  for (const name of ['kept', 'revoked', 'rotated']) {
    const { body } = await ask(first, 'POST', 'keys', { ...browser, body: { name } })
    keys.push({ id: String(body.key!.id), secret: String(body.secret) })
  }
  const [kept, revoked, rotated] = keys
  const rotate = { ...browser, body: { graceSeconds: 0 } }
  const next = String((await ask(first, 'POST', `keys/${rotated!.id}/rotate`, rotate)).body.secret)
  assert.equal((await ask(first, 'DELETE', `keys/${revoked!.id}`, browser)).status, 204)
  await first.kill()
  const second = await startService(dataDir)
  assert.equal((await ask(second, 'GET', 'session', browser)).status, 200)
  const statusOf = async (secret: string): Promise<number> => (await get(second, '/sports', secret)).status
  assert.deepEqual(
    await Promise.all([kept!.secret, next, revoked!.secret, rotated!.secret].map(statusOf)),
    [200, 200, 401, 401],
  )
  const body = { email: 'ada@example.com', password: PASSWORD }
  assert.equal((await ask(second, 'POST', 'session', { body })).status, 200)
  const used = await ask(second, 'POST', 'link', { body: { token: tokenOf(link), password: PASSWORD } })
  assert.equal(used.status, 401)
  await second.stop()
})

test('the demo prints a link that logs in without a password; its page key reads prices', async () => {
  const service = await startService(folder(), '--demo')
  const token = tokenOf((await service.printed(/^Dashboard: (\S+)$/m))[1]!)
  const used = await ask(service, 'POST', 'link', { body: { token } })
  assert.equal(used.status, 200)
  const user = used.body.user!
  assert.deepEqual([user.role, user.organization!.name], ['owner', 'demo'])
  const browser = { cookie: used.cookie!, csrf: String(used.body.csrf) }
  const { secret } = (await ask(service, 'POST', 'live-key', browser)).body
  assert.equal((await get(service, '/events?transport=live', String(secret))).status, 200)
  const stream = new AbortController()
  const response = await fetch(`${service.api}/stream?topic=odds`, {
    headers: { 'x-api-key': String(secret) },
    signal: stream.signal,
  })
  assert.equal(response.status, 200)
  const [session] = list((await ask(service, 'GET', 'sessions', browser)).body.data)
  assert.deepEqual(
    [session!.carrier, typeof session!.queuedBytes, typeof session!.behindMs],
    ['sse', 'number', 'number'],
  )
  stream.abort()
  const status = list((await ask(service, 'GET', 'status')).body.bookmakers)
  assert(status.length > 10 && status.some(({ state }) => String(state) === 'live'))
  await service.stop()
})

test('the demo prints a link of an operator, too; what they change holds for live sessions before the answer', async () => {
  const dataDir = folder()
  const service = await startService(dataDir, '--demo')
  const token = tokenOf((await service.printed(/^Operator: (\S+)$/m))[1]!)
  const used = await ask(service, 'POST', 'link', { body: { token } })
  assert.deepEqual([used.body.user!.email, used.body.user!.role], ['operator@localhost', 'operator'])
  assert.equal((await ask(service, 'POST', 'link', { body: { token } })).status, 401)
  const operator = { cookie: used.cookie!, csrf: String(used.body.csrf) }
  const terms = { name: 'acme', plan: 'pro', bookmakers: ['aldermoor', 'emberquote'] }
  const created = await ask(service, 'POST', 'operator/organizations', { ...operator, body: terms })
  const id = String(created.body.organization!.id)
  // Commands see what the portal has made, and the other way round.
  const secret = done(dataDir, 'key', 'create', '--org', 'acme')
  const stream = await fetch(`${service.api}/stream?topic=odds&snapshot=true`, { headers: { 'x-api-key': secret } })
  assert.equal(stream.status, 200)
  let said = ''
  const isEnded = (async () => {
    for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) said += part
  })()
  const waitFor = async (text: string): Promise<void> => {
    while (!said.includes(text)) await pause(5)
  }
  const sessions = list((await ask(service, 'GET', 'operator/sessions', operator)).body.data)
  assert.deepEqual(
    sessions.map(({ organization, carrier }) => [organization, carrier]),
    [[id, 'sse']],
  )
  await waitFor('aldermoor')
  const set = (body: object) => ask(service, 'POST', `operator/organizations/${id}`, { ...operator, body })
  assert.equal((await set({ bookmakers: ['emberquote'] })).status, 200)
  await waitFor('"reason":"audience"')
  assert(!said.slice(said.indexOf('"reason":"audience"')).includes('aldermoor'))
  done(dataDir, 'org', 'set', 'acme', '--bookmakers', 'ginestra')
  const { data } = (await ask(service, 'GET', 'operator/organizations', operator)).body
  assert.deepEqual(list(data).find(({ name }) => String(name) === 'acme')?.bookmakers, ['ginestra'])
  // The plan loses the live channel: the session ends.
  assert.equal((await set({ plan: 'starter' })).status, 200)
  await isEnded
  assert.match(said, /live_not_enabled/)
  assert.equal((await get(service, '/events?transport=live', secret)).status, 403)
  await service.stop()
})

test('the status of a bookmaker of which nothing has come is unknown, without a delay', async () => {
  const dataDir = folder()
  const coverage = writeCoverage(dataDir, [['quietbook', 'verified_rest_live', true, true]])
  done(dataDir, 'coverage', 'import', coverage)
  const service = await startService(dataDir)
  const status = await ask(service, 'GET', 'status')
  assert.deepEqual(list(status.body.bookmakers), [
    { slug: 'quietbook', displayName: 'QUIETBOOK', state: 'unknown', delayMs: null },
  ])
  await service.stop()
})
