// The store of a running server goes away, and its thread ends: seen from outside.

import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'
import { LIMITS } from '../../src/config.ts'
import { get } from '../service.ts'
import { CARRIERS, RawClient } from '../stomp/raw-client.ts'
import { World } from '../stomp/world.ts'

const hook = new URL('./end-threads.js', import.meta.url).href
const world = await World.start({ environment: { NODE_OPTIONS: `--import ${hook}` } })
const { service } = world

after(() => world.stop())

const until = async (what: string, condition: () => Promise<boolean>): Promise<void> => {
  const startedMs = clock.elapsedMs()
  while (!(await condition())) {
    assert.ok(clock.elapsedMs() - startedMs < 60_000, `in vain: ${what}`)
    await pause(20)
  }
}

const admin = async (path: string): Promise<string> => (await fetch(`${service.admin}${path}`)).text()

const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await admin('/metrics'))?.[1])

const statusOf = async (): Promise<number> => (await get(service, '/sports', world.deskKey)).status

const logged = (text: string): number => service.stderr().split(text).length - 1

const BEGINS = 'all requests are refused with 503'
const ENDS = 'the store works again'

test('the store thread ends: the process goes on, another thread takes over, and all of it is reported', async () => {
  assert.equal(await metric('oddswire_store_up'), 1)
  for (let round = 1; round <= 3; round++) {
    service.process.kill('SIGUSR2')
    await until('another thread', async () => (await metric('oddswire_store_restarts_total')) >= round)
    await until('readiness', async () => (await admin('/readyz')) === 'ready\n')
    await until('answers', async () => (await statusOf()) === 200)
    assert.deepEqual([logged(BEGINS), logged(ENDS)], [round, round], service.stderr())
  }
  const key = await world.key()
  await world.command('key', 'revoke', key)
  assert.equal((await get(service, '/sports', key)).status, 401)
})

test('the database is deleted: all is refused, live sessions end, readiness says why, until it is back', async () => {
  const [begins, ends] = [logged(BEGINS), logged(ENDS)]
  const event = await world.event(world.book())
  const clients = await Promise.all(
    CARRIERS.map(async (carrier) => {
      const client = await RawClient.open(world.endpoint, carrier, '1.2')
      await client.connect({ passcode: world.deskKey })
      await client.subscribe(event.topic())
      return client
    }),
  )
  const path = join(service.dataDir, 'oddswire.db')
  renameSync(path, `${path}.away`)
  await until('503', async () => (await statusOf()) === 503)
  const readiness = await fetch(`${service.admin}/readyz`)
  assert.equal(readiness.status, 503)
  assert.match(await readiness.text(), /^not ready\n- access rights cannot be checked: .*oddswire\.db was deleted.*\n$/)
  assert.equal(await metric('oddswire_store_up'), 0)
  const refused = await RawClient.open(world.endpoint, 'tcp', '1.2')
  refused.frame('CONNECT', { 'accept-version': '1.2', passcode: world.deskKey })
  await refused.refused('service_unavailable')
  for (const client of clients) {
    const error = await client.refused('service_unavailable', LIMITS.rightsUnknownMsMax + 60_000)
    assert.match(error.headers.get('resume-from')!, /^\w+-\d+$/)
    client.destroy()
  }
  renameSync(`${path}.away`, path)
  await until('readiness', async () => (await admin('/readyz')) === 'ready\n')
  assert.equal(await statusOf(), 200)
  assert.deepEqual([logged(BEGINS), logged(ENDS)], [begins + 1, ends + 1], service.stderr())
})
