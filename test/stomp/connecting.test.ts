// docs/live-protocol.md 1 against the running service, from the contract alone.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { newFolder } from '../service.ts'
import { CONNECTING, NARROWING, OVER_TLS } from './cases/connecting.ts'
import { runCases, seqOf } from './conformance.ts'
import { CARRIERS, RawClient } from './raw-client.ts'
import { HOME, World } from './world.ts'

runCases('live-protocol 1: connecting', [...CONNECTING, ...NARROWING])

const folder = newFolder()
after(() => folder.remove())

/** A certificate for the loopback; undefined where openssl is not installed. */
const certificate = (): { readonly cert: string; readonly key: string } | undefined => {
  const cert = join(folder.path, 'cert.pem')
  const key = join(folder.path, 'key.pem')
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject]
  try {
    execFileSync('openssl', args, { stdio: 'ignore' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return { cert, key }
}

const pair = certificate()
if (pair === undefined) test('live-protocol 1: over TLS', { skip: 'openssl is not installed' }, () => {})
else {
  const flags = ['--tls-cert', pair.cert, '--tls-key', pair.key]
  runCases('live-protocol 1: over TLS', OVER_TLS, { flags, ca: readFileSync(pair.cert, 'utf8') })
}

test('SIGTERM: sessions get ERROR `server_shutdown` with `resume-from`, spread over the drain.', async (t) => {
  const world = await World.start()
  const event = await world.event(world.book())
  const clients: RawClient[] = []
  for (const carrier of CARRIERS) {
    for (let place = 0; place < 20; place++) {
      const client = await RawClient.open(world.endpoint, carrier, '1.2')
      await client.connect({ passcode: world.deskKey })
      await client.subscribe(event.topic())
      clients.push(client)
    }
  }
  await event.observe([{ ...HOME, odds: 2 }])
  const last = await Promise.all(
    clients.map(async (client) => (await client.next('MESSAGE')).headers.get('message-id')),
  )
  const stopped = world.stop()
  const endedMs = await Promise.all(
    clients.map(async (client, place) => {
      const error = await client.refused('server_shutdown')
      // Nothing after the last message was missed.
      assert(seqOf(error.headers.get('resume-from')) >= seqOf(last[place]), error.headers.get('resume-from'))
      client.destroy()
      return clock.elapsedMs()
    }),
  )
  await stopped
  const spreadMs = Math.max(...endedMs) - Math.min(...endedMs)
  t.diagnostic(`40 sessions ended within ${spreadMs.toFixed(0)} ms`)
  // Of a drain of up to ten seconds.
  assert(spreadMs > 1_000, `all ended within ${spreadMs.toFixed(0)} ms`)
})

test('its machine-readable twin is an AsyncAPI 3 document, served at `/asyncapi.json`', async () => {
  const world = await World.start()
  try {
    const answer = await fetch(`http://127.0.0.1:${world.service.port}/asyncapi.json`)
    assert.equal(answer.status, 200)
    const document = (await answer.json()) as { asyncapi: string; channels: object; operations: object }
    assert.match(document.asyncapi, /^3\.\d+\.\d+$/)
    assert.match(JSON.stringify(document.channels), /\/topic\/status\./)
    assert.match(JSON.stringify(document), /\/feed\//)
  } finally {
    await world.stop()
  }
})
