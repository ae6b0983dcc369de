import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Durations } from '../src/durations.ts'
import { Metrics } from '../src/metrics.ts'

/** What a read-out without types may give. */
const NOTHING = undefined as unknown as number

test('a metric that throws is missing and counted; the others are read out', () => {
  const metrics = new Metrics()
  let isBroken = false
  const read = (): number => {
    if (isBroken) throw new Error('broken')
    return 7
  }
  metrics.readOut('oddswire_test_gauge', 'A gauge.', read)
  metrics.readOutCounter('oddswire_test_total', 'A counter.', () => [{ value: read() }])
  metrics.readOut('oddswire_test_other', 'Another gauge.', () => 1)
  assert.match(metrics.scrape().text, /^oddswire_test_gauge 7$/m)
  metrics.readOut('oddswire_test_empty', 'A gauge without a number.', () => (isBroken ? [{ value: NOTHING }] : 3))
  isBroken = true
  const { text } = metrics.scrape()
  assert.doesNotMatch(text, /^oddswire_test_(gauge|total|empty) /m)
  assert.match(text, /^oddswire_test_other 1$/m)
  isBroken = false
  const later = metrics.scrape().text
  assert.match(later, /^oddswire_test_total 7$/m)
  assert.match(later, /^oddswire_metrics_faults_total 3$/m)
})

test('labels and help are escaped; a histogram counts each duration in all buckets above it', () => {
  const metrics = new Metrics()
  metrics.readOut('oddswire_test_gauge', 'A \\ and\na line.', () => [{ labels: { name: 'a"b\\c\nd' }, value: -0.5 }])
  const durations = new Durations()
  for (const ms of [0.01, 0.0101, 1_000, 1_001]) durations.add(ms)
  metrics.readOutDurations('oddswire_test_seconds', 'A histogram.', () => [{ labels: { of: 'x' }, durations }])
  const { text, contentType } = metrics.scrape()
  assert.equal(contentType, 'text/plain; version=0.0.4; charset=utf-8')
  assert(text.includes('# HELP oddswire_test_gauge A \\\\ and\\na line.\n# TYPE oddswire_test_gauge gauge\n'))
  assert(text.includes('oddswire_test_gauge{name="a\\"b\\\\c\\nd"} -0.5\n'))
  const bucketOf = (le: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`oddswire_test_seconds_bucket{of="x",le="${le}"} `))
        ?.split(' ')[1],
    )
  assert.deepEqual(['0.00001', '0.000025', '0.5', '1', '+Inf'].map(bucketOf), [1, 2, 2, 3, 4])
  assert.match(text, /^oddswire_test_seconds_sum\{of="x"\} 2\.0010201$/m)
  assert.match(text, /^oddswire_test_seconds_count\{of="x"\} 4$/m)
})
