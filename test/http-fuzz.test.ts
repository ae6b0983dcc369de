// Seeded fuzz of raw sockets against the running service: whatever comes, every answer is well-formed or the connection
// is closed, and the service continues.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { Random, SEED } from './random.ts'
import { done, get, newFolder, type RunningService, startService, writeCoverage } from './service.ts'

const REQUESTS = 3_000
/** Ten times longer than anything may need on a loaded machine; a request without an end is closed by the server. */
const DEADLINE_MS = 30_000

const folder = newFolder()
let service: RunningService
let key: string

before(async () => {
  const coverage = writeCoverage(folder.path, [['northbank', 'verified_rest_live', true, true]])
  done(folder.path, 'coverage', 'import', coverage)
  done(folder.path, 'org', 'create', 'fuzz', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'fuzz')
  service = await startService(folder.path, '--log-level', 'error')
})

after(async () => {
  await service?.stop()
  folder.remove()
})

const PATHS = ['/sports', '/events', '/events/1/odds', '/bookmakers', '/spec', '/', '/events/', '/x', '/events/1/odds/']
const NAMES = ['transport', 'limit', 'offset', 'sport', 'league', 'dateFrom', 'dateTo', 'bookmaker', 'x', '']
const VALUES = [
  'rest',
  'live',
  '0',
  '1',
  '501',
  '-1',
  '1.5',
  '01',
  '',
  '%',
  '%zz',
  '%00',
  'a,b',
  'a,,b',
  'football',
  '+',
  '%F0%9F',
]
const METHODS = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE', 'get', 'G', 'TRACE', 'GÉT']

const randomText = (random: Random, lengthMax: number): string =>
  Array.from({ length: random.int(0, lengthMax) }, () => String.fromCharCode(random.int(0, 255))).join('')

const randomHeader = (random: Random): string => {
  const name = random.pick([
    'Host',
    'Authorization',
    'X-Api-Key',
    'Content-Length',
    'Transfer-Encoding',
    'If-None-Match',
    'Connection',
    'Expect',
    'Upgrade',
    'Range',
    'X-Long',
    '',
    ' Folded',
  ])
  const value = random.pick([
    `Bearer ${key}`,
    key,
    'Bearer',
    'Basic eDp5',
    '0',
    '5',
    '-1',
    '+5',
    '1e9',
    '99999999999999999999',
    'chunked',
    'close',
    'keep-alive',
    '*',
    '"x", W/"y"',
    '100-continue',
    'websocket',
    'x'.repeat(random.int(0, 5_000)),
    randomText(random, 20),
  ])
  return `${name}: ${value}`
}

const randomRequest = (random: Random): Buffer => {
  if (random.chance(0.05)) return Buffer.from(randomText(random, 400), 'latin1')
  const query = Array.from({ length: random.int(0, 3) }, () => `${random.pick(NAMES)}=${random.pick(VALUES)}`).join('&')
  const target = `/api/v1${random.pick(PATHS)}${query === '' ? '' : `?${query}`}${random.chance(0.02) ? randomText(random, 30) : ''}`
  const headers = Array.from({ length: random.int(0, 5) }, () => randomHeader(random))
  if (random.chance(0.8)) headers.push('Host: localhost')
  if (random.chance(0.5)) headers.push(`Authorization: Bearer ${key}`)
  const end = random.chance(0.95) ? '\r\n\r\n' : random.pick(['\n\n', '\r\n', '', '\r\n\r\nGET '])
  const body = random.chance(0.15) ? randomText(random, 50) : ''
  const version = random.chance(0.95) ? 'HTTP/1.1' : random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/1.1 x', ''])
  const text = `${random.pick(METHODS)} ${target} ${version}\r\n${headers.join('\r\n')}${end}${body}`
  const bytes = Buffer.from(text, 'latin1')
  if (random.chance(0.1) && bytes.length > 0) bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
  return bytes
}

/** Everything that is not the end of the input, in pieces. */
const send = async (socket: Socket, bytes: Buffer, random: Random): Promise<void> => {
  const cut = random.chance(0.3) ? random.int(0, bytes.length) : bytes.length
  socket.write(bytes.subarray(0, cut))
  if (cut === bytes.length) return
  await new Promise((resolve) => setImmediate(resolve))
  if (!socket.destroyed) socket.write(bytes.subarray(cut))
}

/** Checks that `bytes` are whole HTTP answers, one after the other; HEAD answers have no body. */
const checkAnswers = (bytes: Buffer, isHead: boolean, at: string): number => {
  let rest = bytes.toString('latin1')
  let count = 0
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n')
    assert(headEnd > 0, `${at}: an answer without an end: ${JSON.stringify(rest.slice(0, 200))}`)
    const [statusLine, ...headerLines] = rest.slice(0, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine!)?.[1])
    assert(status >= 100 && status < 600, `${at}: ${statusLine}`)
    const headers = new Map(
      headerLines.map((line) => {
        const colon = line.indexOf(':')
        assert(colon > 0, `${at}: header ${line}`)
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    rest = rest.slice(headEnd + 4)
    // 100 Continue has no body, and the answer follows.
    if (status < 200) continue
    // What the HTTP parser refuses itself has an HTML body up to the close, whatever the method (README, limits).
    const isParsers = headers.get('content-type') !== 'application/json' && status >= 400
    const length = !isParsers && (isHead || status === 304) ? 0 : Number(headers.get('content-length') ?? rest.length)
    assert(rest.length >= length, `${at}: the body is shorter than its length`)
    const body = rest.slice(0, length)
    if (headers.get('content-type') === 'application/json' && length > 0) {
      const json = JSON.parse(Buffer.from(body, 'latin1').toString()) as { error?: { code: string; message: string } }
      if (status >= 400) {
        assert.match(json.error!.code, /^[a-z_]+$/, at)
        assert(!/\bat .*\.(ts|js)\b|node:internal/.test(json.error!.message), `${at}: a stack trace`)
      }
    }
    rest = rest.slice(length)
    count++
  }
  return count
}

const CLEAN_REQUEST = /^(GET|HEAD) [!-~]+ HTTP\/1\.1\r\nHost: localhost\r\n(Authorization: [ -~]+\r\n)?\r\n$/

/** One connection, one request. Resolves to what came back once the connection has ended or gone quiet. */
const exchange = (random: Random, bytes: Buffer, at: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(service.port, '127.0.0.1')
    const deadline = setTimeout(() => {
      socket.destroy()
      reject(new Error(`${at}: neither an answer nor a close`))
    }, DEADLINE_MS)
    const finish = (): void => {
      clearTimeout(deadline)
      socket.destroy()
      resolve(Buffer.concat(chunks))
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      // The answer is complete when its length has come; a keep-alive connection stays open otherwise.
      const text = Buffer.concat(chunks).toString('latin1')
      const headEnd = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0)
      if (headEnd > 0 && (bytes.toString('latin1').startsWith('HEAD') || text.length >= headEnd + 4 + length)) {
        socket.end()
        setImmediate(finish)
      }
    })
    socket.on('error', finish)
    socket.on('close', finish)
    socket.on('connect', () => {
      void send(socket, bytes, random).then(() => {
        // What is not a clean request may get silence and a close after ten seconds; the test does not wait for that. A clean
        // one is answered on a connection that stays open.
        if (!CLEAN_REQUEST.test(bytes.toString('latin1'))) socket.end()
      })
    })
  })

test('whatever comes over a raw socket is answered well-formed or closed', async () => {
  const random = new Random(SEED)
  let answers = 0
  for (let batch = 0; batch < REQUESTS / 50; batch++) {
    const requests = Array.from({ length: 50 }, () => randomRequest(random))
    const results = await Promise.all(
      requests.map(async (bytes, n) => {
        const at = `seed ${SEED}, batch ${batch}, request ${n}: ${JSON.stringify(bytes.toString('latin1').slice(0, 300))}`
        return checkAnswers(await exchange(random, bytes, at), bytes.toString('latin1').startsWith('HEAD'), at)
      }),
    )
    answers += results.reduce((sum, count) => sum + count, 0)
    assert.equal(service.process.exitCode, null, `seed ${SEED}, batch ${batch}: the service has ended`)
  }
  assert(answers > REQUESTS / 3, `seed ${SEED}: only ${answers} of ${REQUESTS} were answered`)
  const after = await get(service, '/sports', key)
  assert.equal(after.status, 200)
  assert.equal(service.stderr(), '', 'nothing is logged as a fault')
})

test('a client that sends on and reads nothing is closed, and fills no memory', async () => {
  const residentMb = (): number => {
    const pages = Number(readFileSync(`/proc/${service.process.pid}/statm`, 'utf8').split(' ')[1])
    return (pages * 4096) / 2 ** 20
  }
  const beforeMb = residentMb()
  const sockets = Array.from({ length: 5 }, async () => {
    const socket = connect(service.port, '127.0.0.1')
    socket.pause()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    const requests = Buffer.from('GET /api/v1/spec HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(200))
    for (let round = 0; round < 100 && !socket.destroyed; round++) {
      await new Promise((resolve) => socket.write(requests, resolve))
    }
    socket.resume()
    await closed
  })
  await Promise.all(sockets)
  // Unread answers of all that was asked for would be 2 GB.
  assert(residentMb() - beforeMb < 200, `${Math.round(residentMb() - beforeMb)} MB more`)
  assert.equal((await get(service, '/sports', key)).status, 200)
})
