// What the library keeps of a listener: once it is closed, nothing of the service that it served.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { WebSocket } from 'ws'
import { Listener, type Serving } from '../../src/server/listener.ts'
import { certificate, hasOpenssl } from '../listeners.ts'
import { testsWith } from '../root.ts'

const test = testsWith('openssl', !hasOpenssl && 'openssl is not installed')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What handlers refer to; it is counted where it is still there. */
class Service {
  requests = 0
}

const live: WeakRef<Service>[] = []

/** Gives an app routes of all kinds that refer to a service. */
const setUp = (serving: Serving): void => {
  const service = new Service()
  live.push(new WeakRef(service))
  const { routes } = serving
  routes.filter((_res, change) => {
    service.requests += 0
    serving.connections += change
  })
  routes.get('/*', (res) => res.end(`${++service.requests}`))
  routes.any('/*', (res) => res.end(`${++service.requests}`))
  routes.ws('/live', {
    open: (socket) => void socket.send(`${++service.requests}`),
    message: () => void service.requests++,
    close: () => routes.after(1_000_000_000, () => service.requests++),
  })
}

const liveServices = async (): Promise<number> => {
  // A WeakRef that was made or read holds its object to the end of the iteration.
  await nextIteration()
  collect()
  return live.filter((each) => each.deref() !== undefined).length
}

const ask = (port: number, agent: Agent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent, rejectUnauthorized: false }, (response) =>
      response.resume().once('end', () => resolve(response.statusCode)),
    ).once('error', reject)
  })

test('a listener that was closed, or could not listen, holds nothing of what its handlers refer to', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-listener-'))
  const agent = new Agent({ keepAlive: true })
  try {
    const tls = certificate(folder, 'one')!
    const listener = await Listener.listen(tls, '127.0.0.1', 0, setUp)
    assert('reloadCertificate' in listener)
    assert('busyPort' in (await Listener.listen(tls, '127.0.0.1', listener.port, setUp)))
    assert.equal(await liveServices(), 1)

    const ended: Promise<unknown>[] = []
    for (let certificates = 0; certificates < 3; certificates++) {
      assert.equal(await ask(listener.port, agent), 200)
      const socket = new WebSocket(`wss://127.0.0.1:${listener.port}/live`, { rejectUnauthorized: false })
      ended.push(new Promise((resolve) => socket.once('close', resolve).on('error', resolve)))
      await new Promise((resolve) => socket.once('message', resolve))
      agent.destroy()
      assert.equal(listener.reloadCertificate(), true)
    }
    assert((await liveServices()) > 1)
    listener.close()
    await Promise.all(ended)
    assert.equal(await liveServices(), 0)
  } finally {
    agent.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
})
