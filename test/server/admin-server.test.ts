// The ports: TLS and its certificate, headers that every answer has, the admin port.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { isAdminHost } from '../../src/server/admin-server.ts'
import type { Tls } from '../../src/stomp/tls.ts'
import { certificate, hasOpenssl, Listeners, type ListenersOptions, until } from '../listeners.ts'
import { newFolder } from '../service.ts'

const folder = newFolder()
after(() => folder.remove())

const needsOpenssl = hasOpenssl ? {} : { skip: 'openssl is not installed' }

const withListeners = async (options: ListenersOptions, run: (at: Listeners) => Promise<void>): Promise<void> => {
  const at = await Listeners.start(options)
  try {
    await run(at)
  } finally {
    await at.stop()
  }
}

/** Whether `openssl s_client` comes to terms with a port. */
const agrees = (port: number, ...flags: string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const args = ['s_client', '-connect', `127.0.0.1:${port}`, ...flags]
    const child = execFile('openssl', args, (_error, stdout) => resolve(/Cipher is (?!\(NONE\))/.test(stdout)))
    child.stdin!.end()
  })

test('TLS: forward secrecy only, on both ports', needsOpenssl, () =>
  withListeners({ tls: certificate(folder.path, 'secret')! }, async ({ http, stomp }) => {
    for (const { port } of [http, stomp]) {
      assert(await agrees(port, '-tls1_3'), 'TLS 1.3')
      for (const suite of [
        'ECDHE-RSA-AES128-GCM-SHA256',
        'ECDHE-RSA-AES256-GCM-SHA384',
        'ECDHE-RSA-CHACHA20-POLY1305',
      ]) {
        assert(await agrees(port, '-tls1_2', '-cipher', suite), suite)
      }
      // Static RSA, and ephemeral without authenticated encryption.
      for (const suite of ['AES128-GCM-SHA256', 'AES256-SHA256', 'AES128-SHA', 'kRSA', 'ECDHE-RSA-AES128-SHA256']) {
        assert(!(await agrees(port, '-tls1_2', '-cipher', suite)), suite)
      }
      assert(!(await agrees(port, '-tls1_1', '-cipher', 'ALL:@SECLEVEL=0')), 'TLS 1.1')
    }
  }),
)

const put = (files: Tls, into: Tls): void => {
  copyFileSync(files.certFile, into.certFile)
  copyFileSync(files.keyFile, into.keyFile)
}

test('TLS: a new certificate holds for new connections, and those that are open go on', needsOpenssl, async () => {
  const [first, second, third] = ['first', 'second', 'third'].map((name) => certificate(folder.path, name)!)
  const files = { certFile: `${folder.path}/now.pem`, keyFile: `${folder.path}/now.key` }
  put(first!, files)
  await withListeners({ tls: files, adminTls: files }, async (at) => {
    const servers = [at.http, at.stomp, at.admin]
    const names = async (): Promise<string[]> => {
      const taps = await Promise.all(servers.map(({ port }) => at.connect(port)))
      return taps.map((tap) => {
        const { certificateName } = tap
        tap.socket.destroy()
        return certificateName
      })
    }
    const reload = () => servers.map((server) => server.reloadCertificate())
    assert.deepEqual(await names(), ['first', 'first', 'first'])
    const webSocket = await at.upgrade()
    await webSocket.came('101')
    webSocket.sendConnect(at.key, true)
    const tcp = await at.connect(at.stomp.port)
    tcp.sendConnect(at.key, false)
    const rest = await at.connect(at.http.port)
    const ask = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
    rest.socket.write(ask)
    for (const tap of [webSocket, tcp]) await tap.came('CONNECTED')
    await rest.came('200 OK')

    put(second!, files)
    assert.deepEqual(await names(), ['first', 'first', 'first'], 'until it is reloaded')
    assert.deepEqual(reload(), [true, true, true])
    assert.deepEqual(await names(), ['second', 'second', 'second'])
    const later = await at.upgrade()
    await later.came('101')
    later.sendConnect(at.key, true)
    await later.came('CONNECTED')

    // A room has WebSockets of both certificates.
    const subscribe = Buffer.from('SUBSCRIBE\nid:0\ndestination:/topic/lag\n\n\0')
    const head = Buffer.from([0x81, 0x80 | subscribe.length, 0, 0, 0, 0])
    for (const tap of [webSocket, later]) tap.socket.write(Buffer.concat([head, subscribe]))
    tcp.socket.write(subscribe)
    for (const tap of [webSocket, later, tcp]) await tap.came('MESSAGE')
    rest.text = ''
    rest.socket.write(ask)
    await rest.came('200 OK')

    copyFileSync(first!.keyFile, files.keyFile)
    for (const reason of reload()) assert.match(String(reason), /now\.pem.*now\.key cannot be used: .*mismatch/)
    writeFileSync(files.certFile, 'no certificate')
    for (const reason of reload()) assert.match(String(reason), /cannot be used/)
    assert.deepEqual(await names(), ['second', 'second', 'second'])

    put(third!, files)
    assert.deepEqual(reload(), [true, true, true])
    assert.deepEqual(await names(), ['third', 'third', 'third'])
    assert(!webSocket.isClosed && !later.isClosed && !tcp.isClosed)
    for (const tap of [webSocket, later, tcp, rest]) tap.socket.destroy()
    await until('no connection', () => at.connections.openCount === 0)
  })
})

test('TLS: what is published reaches WebSockets of the certificate before', needsOpenssl, async () => {
  const files = certificate(folder.path, 'rooms')!
  await withListeners({ tls: files }, async (at) => {
    const taps = [await at.upgrade()]
    await taps[0]!.came('101')
    assert.equal(at.http.reloadCertificate(), true)
    taps.push(await at.upgrade())
    await taps[1]!.came('101')
    for (const tap of taps) {
      tap.sendConnect(at.key, true)
      await tap.came('CONNECTED')
      const subscribe = Buffer.from('SUBSCRIBE\nid:0\ndestination:/topic/events.#\nreceipt:r\n\n\0')
      const head = Buffer.from([0x81, 0x80 | subscribe.length, 0, 0, 0, 0])
      tap.socket.write(Buffer.concat([head, subscribe]))
      await tap.came('RECEIPT')
    }
    at.observe()
    for (const tap of taps) await tap.came('appeared')
  })
})

test('TLS: a handshake that does not end is ended, one that sends an octet now and then, too', needsOpenssl, () =>
  withListeners({ tls: certificate(folder.path, 'slow')!, limits: { handshakeMsMax: 300 } }, async (at) => {
    const silent = await at.raw(at.stomp.port)
    const slow = await at.raw(at.stomp.port)
    const drip = setInterval(() => slow.socket.write(Buffer.from([0x16])), 50)
    await until('two handshakes', () => at.connections.unconnected.tcp === 2)
    await silent.closed()
    await slow.closed()
    clearInterval(drip)
    await until('no connection', () => at.connections.openCount === 0)
    assert.equal(at.connections.unconnected.tcp, 0)
  }),
)

test('TLS: the end waits for no handshake', needsOpenssl, () =>
  withListeners({ tls: certificate(folder.path, 'end')!, limits: { handshakeMsMax: 3_600_000 } }, async (at) => {
    const silent = await at.raw(at.stomp.port)
    await until('a handshake', () => at.connections.unconnected.tcp === 1)
    at.stomp.stopAccepting()
    await at.stomp.close(50)
    await silent.closed()
  }),
)

const headersOf = async (url: string): Promise<{ readonly status: number; readonly headers: Headers }> => {
  const { status, headers } = await fetch(url)
  return { status, headers }
}

test('every answer says nosniff, and HSTS where it comes over TLS', needsOpenssl, async () => {
  await withListeners({}, async (at) => {
    for (const path of ['/', '/nothing', '/stomp']) {
      const { headers } = await headersOf(`http://127.0.0.1:${at.http.port}${path}`)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.equal(headers.get('strict-transport-security'), null)
    }
    const unchanged = await fetch(`http://127.0.0.1:${at.http.port}/`, { headers: { 'if-none-match': '"1"' } })
    assert.equal(unchanged.headers.get('x-content-type-options'), 'nosniff')
    const refused = await at.upgrade('127.0.0.1', 'Sec-WebSocket-Protocol: mqtt\r\n')
    await refused.came('X-Content-Type-Options: nosniff')
    for (const path of ['/livez', '/metrics', '/feeds', '/nothing']) {
      const { headers } = await headersOf(`http://127.0.0.1:${at.admin.port}${path}`)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    }
  })
  await withListeners({ tls: certificate(folder.path, 'strict')! }, async (at) => {
    const tap = await at.connect(at.http.port)
    tap.socket.write('GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await tap.came('Strict-Transport-Security: max-age=31536000')
    await tap.came('X-Content-Type-Options: nosniff')
    const refused = await at.upgrade('127.0.0.1', 'Sec-WebSocket-Protocol: mqtt\r\n')
    await refused.came('Strict-Transport-Security: max-age=31536000')
  })
  const tls = certificate(folder.path, 'admin')!
  await withListeners({ tls, adminTls: tls }, async (at) => {
    for (const path of ['/livez', '/metrics', '/feeds', '/nothing']) {
      const tap = await at.connect(at.admin.port)
      tap.socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await tap.came('Strict-Transport-Security: max-age=31536000')
      await tap.came('X-Content-Type-Options: nosniff')
    }
  })
})

interface AdminAnswer {
  readonly status: number
  readonly allow: string | undefined
  readonly text: string
}

const askAdmin = (port: number, host: string, method = 'GET', path = '/livez'): Promise<AdminAnswer> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers: { host }, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode!, allow: response.headers.allow, text }))
    })
    asked.on('error', reject)
    asked.end()
  })

test('the admin port answers GET and HEAD only', () =>
  withListeners({}, async ({ admin: { port } }) => {
    for (const path of ['/livez', '/readyz', '/metrics', '/feeds', '/nothing']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const { status, allow } = await askAdmin(port, 'localhost', method, path)
        assert.deepEqual([status, allow], [405, 'GET, HEAD'], `${method} ${path}`)
      }
    }
    assert.deepEqual(await askAdmin(port, 'localhost', 'HEAD'), { status: 200, allow: undefined, text: '' })
    assert.equal((await askAdmin(port, 'localhost', 'HEAD', '/metrics')).status, 200)
    assert.match((await askAdmin(port, 'localhost', 'GET', '/metrics')).text, /^# HELP/)
    assert.equal((await askAdmin(port, 'localhost', 'GET', '/nothing')).status, 404)
  }))

test('the admin port refuses a request with two Host headers', () =>
  withListeners({}, async (at) => {
    for (const hosts of [
      ['localhost', 'evil.example'],
      ['localhost', 'localhost'],
    ]) {
      const tap = await at.connect(at.admin.port)
      tap.socket.write(`GET /livez HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}\r\n`)
      await tap.came('400 Bad Request')
      await tap.closed()
    }
  }))

test('the end of the admin port ends connections that are kept open', () =>
  withListeners({}, async (at) => {
    const tap = await at.connect(at.admin.port)
    tap.socket.write('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await tap.came('live\n')
    at.admin.close()
    await tap.closed()
  }))

test('the admin port refuses requests under a name that is not its own', () =>
  withListeners({ adminNames: ['metrics.internal'] }, async ({ admin: { port } }) => {
    for (const host of ['localhost', 'LOCALHOST:1234', `127.0.0.1:${port}`, '[::1]:9', 'metrics.internal:9090']) {
      assert.equal((await askAdmin(port, host)).status, 200, host)
    }
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      '10.0.0.1',
    ]) {
      const { status, text } = await askAdmin(port, host)
      assert.equal(status, 403, host)
      assert.match(text, /--admin-hosts/)
    }
  }))

test('the admin port on another address: that one, and on all addresses any of them', () => {
  assert(isAdminHost('192.0.2.1:9090', '192.0.2.1', []))
  assert(!isAdminHost('192.0.2.2:9090', '192.0.2.1', []))
  assert(isAdminHost('ops.internal:9090', 'ops.internal', []))
  assert(isAdminHost('192.0.2.2:9090', '0.0.0.0', []))
  assert(isAdminHost('[2001:db8::1]:9090', '::', []))
  assert(isAdminHost('[2001:db8::1]', '2001:db8::1', []))
  assert(!isAdminHost('evil.example', '0.0.0.0', []))
  assert(!isAdminHost('', '0.0.0.0', []))
})
