// What is thrown while a request is answered costs that request, and not the process.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from '../../src/metrics.ts'
import { AdminServer, type AdminServerOptions } from '../../src/server/admin-server.ts'
import { listenHttp } from './http.ts'

const admin = async (options: Partial<AdminServerOptions>): Promise<{ readonly base: string; close(): void }> => {
  const server = await AdminServer.listen({
    metrics: new Metrics(),
    host: '127.0.0.1',
    port: 0,
    tls: null,
    names: [],
    notReady: () => [],
    ask: () => undefined,
    ...options,
  })
  assert.ok(!('busyPort' in server))
  return { base: `http://127.0.0.1:${server.port}`, close: () => server.close() }
}

const ask = async (url: string): Promise<[status: number, text: string]> => {
  const response = await fetch(url, { headers: { connection: 'close' } })
  return [response.status, await response.text()]
}

test('/readyz lists why it is not ready', async () => {
  let reasons: readonly string[] = []
  const { base, close } = await admin({ notReady: () => reasons })
  assert.deepEqual(await ask(`${base}/readyz`), [200, 'ready\n'])
  reasons = ['the disk is full', 'no source has delivered']
  assert.deepEqual(await ask(`${base}/readyz`), [503, 'not ready\n- the disk is full\n- no source has delivered\n'])
  close()
})

test('a page of the admin port that throws is 500, and the next one is answered', async () => {
  const broken = (): never => {
    throw new Error('broken')
  }
  const metrics = {
    scrape: broken,
  } as unknown as Metrics
  const { base, close } = await admin({
    metrics,
    notReady: broken,
    ask: broken,
  })
  assert.equal((await ask(`${base}/metrics`))[0], 500)
  assert.equal((await ask(`${base}/feeds`))[0], 500)
  assert.equal((await ask(`${base}/readyz`))[0], 500)
  assert.deepEqual(await ask(`${base}/livez`), [200, 'live\n'])
  close()
})

test('an answer that fails later closes its connection, and nothing waits for it', async () => {
  const server = await listenHttp(() => Promise.reject(new Error('broken')))
  await assert.rejects(ask(`http://127.0.0.1:${server.port}/api/v1/sports`))
  await server.drain(30_000, 1)
  server.close()
})
