// Which address a client has, behind proxies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNetwork, TrustedProxies } from '../../src/domain/trusted-proxies.ts'

test('addresses and networks are known', () => {
  for (const entry of ['127.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/32']) assert.equal(isNetwork(entry), true, entry)
  for (const entry of ['', 'localhost', '10.0.0.0/33', '::1/129', '10.0.0.0/', '1.2.3']) {
    assert.equal(isNetwork(entry), false, entry)
  }
})

test('the client is the last address that no trusted proxy has; what it claims before is not read', () => {
  const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'])
  for (const [remote, forwarded, client] of [
    ['192.0.2.1', '198.51.100.7', '192.0.2.1'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['::ffff:127.0.0.1', '198.51.100.7', '198.51.100.7'],
    ['127.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['127.0.0.1', '198.51.100.7, 10.1.2.3', '198.51.100.7'],
    ['127.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
    ['2001:db8::7', '[2001:4860::1]:443', '2001:4860::1'],
    ['127.0.0.1', 'unknown', '127.0.0.1'],
    ['127.0.0.1', '198.51.100.7, unknown', '127.0.0.1'],
    ['127.0.0.1', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ] as const) {
    assert.equal(proxies.clientOf(remote, forwarded), client, `${remote} ${forwarded}`)
  }
  assert.equal(new TrustedProxies([]).clientOf('127.0.0.1', '198.51.100.7'), '127.0.0.1')
})
