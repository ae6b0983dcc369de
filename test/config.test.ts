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
