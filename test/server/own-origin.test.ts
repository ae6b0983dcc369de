import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { newFolder, type RunningService, startService } from '../service.ts'

const folder = newFolder()
let service: RunningService

before(async () => {
  const origins = ['--origins', 'https://app.example.com', '--public-url', 'https://odds.example/base']
  service = await startService(folder.path, ...origins)
})

after(async () => {
  await service.stop()
  folder.remove()
})

/** The status of an upgrade from a page of this origin. */
const upgrade = (origin: string): Promise<number> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${service.port}/stomp`, { origin })
    socket.once('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.once('unexpected-response', (_, answer) => resolve(answer.statusCode!))
    socket.on('error', () => {})
  })

test('pages of the service itself may connect whatever origins are listed; other origins may not', async () => {
  assert.equal(await upgrade('https://odds.example'), 101)
  assert.equal(await upgrade('https://app.example.com'), 101)
  assert.equal(await upgrade('https://elsewhere.example'), 403)
})
