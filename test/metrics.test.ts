import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from '../src/metrics.ts'

/** What a read-out without types may give: prom-client throws at it. */
const NOTHING = undefined as unknown as number

test('a metric that throws is missing and counted; the others are read out', async () => {
  const metrics = new Metrics()
  let isBroken = false
  const read = (): number => {
    if (isBroken) throw new Error('broken')
    return 7
  }
  metrics.readOut('oddswire_test_gauge', 'A gauge.', read)
  metrics.readOutCounter('oddswire_test_total', 'A counter.', () => [{ value: read() }])
  metrics.readOut('oddswire_test_other', 'Another gauge.', () => 1)
  assert.match((await metrics.scrape()).text, /^oddswire_test_gauge 7$/m)
  metrics.readOut('oddswire_test_empty', 'A gauge without a number.', () => (isBroken ? [{ value: NOTHING }] : 3))
  isBroken = true
  const { text } = await metrics.scrape()
  assert.doesNotMatch(text, /^oddswire_test_(gauge|total|empty) /m)
  assert.match(text, /^oddswire_test_other 1$/m)
  isBroken = false
  const later = (await metrics.scrape()).text
  assert.match(later, /^oddswire_test_total 7$/m)
  assert.match(later, /^oddswire_metrics_faults_total 3$/m)
})
