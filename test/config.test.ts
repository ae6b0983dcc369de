import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../src/config.ts'

const read = (flags: Readonly<Record<string, string>>, environment = {}) => {
  const settings = readSettings(flags, environment)
  assert(!('message' in settings), JSON.stringify(settings))
  return [settings.quotesMax, settings.eventsMax, settings.labelsMax, settings.bookmakerShare]
}

test('the bounds of events and labels follow the quotes, where they are not set', () => {
  assert.deepEqual(read({}), [1_000_000, 125_000, 250_000, 0.5])
  assert.deepEqual(read({ 'quotes-max': '60000' }), [60_000, 10_000, 15_000, 0.5])
  assert.deepEqual(read({ 'quotes-max': '50' }), [50, 50, 50, 0.5])
  assert.deepEqual(read({ 'events-max': '7', 'labels-max': '8', 'bookmaker-share': '1' }), [1_000_000, 7, 8, 1])
  assert.deepEqual(read({}, { ODDSWIRE_EVENTS_MAX: '9', ODDSWIRE_BOOKMAKER_SHARE: '.25' }), [1e6, 9, 250_000, 0.25])
})

test('bounds that are none are refused by name', () => {
  for (const [name, value, message] of [
    ['events-max', '0', /^must be a whole number, 1 to 100000000, not "0"$/],
    ['events-max', 'many', /whole number/],
    ['labels-max', '-1', /whole number/],
    ['bookmaker-share', '0', /^must be a part of the whole, above 0 and up to 1, as in 0.5, not "0"$/],
    ['bookmaker-share', '0.0', /above 0/],
    ['bookmaker-share', '1.5', /above 0/],
    ['bookmaker-share', '50%', /above 0/],
    ['bookmaker-share', '1e-3', /above 0/],
  ] as const) {
    const fault = readSettings({ [name]: value }, {})
    assert('message' in fault, `${name} ${value}`)
    assert.equal(fault.setting, `--${name}`)
    assert.match(fault.message, message)
  }
})

test('origins are as browsers send them; a wrong entry is refused by name', () => {
  for (const value of [
    '',
    '*',
    'null',
    'https://app.example.com',
    'http://[::1]:8080, capacitor://localhost,http://a',
  ]) {
    assert(!('message' in readSettings({ origins: value }, {})), value)
  }
  for (const [value, entry] of [
    ['https://a.example,https://b.example/', '"https://b.example/", which is no origin: write https://b.example'],
    ['https://A.example', '"https://A.example", which is no origin: write https://a.example'],
    ['https://a.example:443', '"https://a.example:443", which is no origin: write https://a.example'],
    ['https://a.example/app', '"https://a.example/app", which is no origin: write https://a.example'],
    [
      'app.example.com',
      '"app.example.com", which is no origin: give scheme, host and port, as in https://app.example.com',
    ],
    ['https://*.example.com', '"https://*.example.com", which is no origin'],
    ['https://a.example,', '"", which is no origin'],
    ['ws://a.b', '"ws://a.b", which is no origin: write http://a.b'],
    ['wss://a.b:8443/stomp', '"wss://a.b:8443/stomp", which is no origin: write https://a.b:8443'],
    ['file://a.b', '"file://a.b", which is no origin: give scheme, host and port'],
    ['ftp://a.b', '"ftp://a.b", which is no origin: give scheme, host and port'],
    ['https://a.example, *', '"*" beside others'],
  ] as const) {
    const fault = readSettings({}, { ODDSWIRE_ORIGINS: value })
    assert('message' in fault, value)
    assert.equal(fault.setting, 'ODDSWIRE_ORIGINS')
    assert(fault.message.startsWith(`has ${entry}`), fault.message)
  }
})

test('what would answer nobody, or names no keys, is refused', () => {
  const refusedWith = (name: string, value: string): string => {
    const fault = readSettings({ [name]: value }, {})
    assert('message' in fault, `${name} "${value}"`)
    assert.equal(fault.setting, `--${name}`)
    return fault.message
  }
  for (const value of ['0', '00']) assert.match(refusedWith('rights-away', value), /at least 1 s/)
  for (const value of ['0.5', '-1', '9999']) assert.match(refusedWith('rights-away', value), /seconds, 1 to 3600/)
  assert.match(refusedWith('log-away', '0.5'), /seconds, 0 to 3600/)
  assert.match(refusedWith('redis-replicas', '-1'), /whole number, 0 to 999999999, not "-1"/)
  for (const value of ['', 'a{b', 'a}b', 'a b', '\t', 'x'.repeat(101)]) {
    assert.match(refusedWith('redis-prefix', value), /1 to 100 characters without white space, \{ and \}/)
  }
  for (const value of ['nonsense', '10.0.0.7:9091', 'ftp://a:1', 'http://u:p@a:1', 'http://a:99999', 'http://']) {
    assert.match(refusedWith('peer-url', value), /must be http:\/\/HOST:PORT, as other processes reach this one/)
  }
  assert.deepEqual(readSettings({ 'peer-host': '0.0.0.0' }, {}), {
    setting: '--peer-url',
    message: 'is needed with --peer-host 0.0.0.0: nobody can reach that',
  })
  const peers = readSettings({ 'peer-url': 'http://10.0.0.7:9091/' }, {})
  assert('peerUrl' in peers && peers.peerUrl === 'http://10.0.0.7:9091')
  const settings = readSettings({ 'rights-away': '1', 'redis-prefix': 'odds:eu-1' }, { ODDSWIRE_REDIS_PREFIX: '' })
  assert('redisPrefix' in settings)
  assert.deepEqual([settings.rightsAwayMs, settings.redisPrefix], [1_000, 'odds:eu-1'])
})
