// Metrics for the operator: counters that cost the hot path an addition, read when Prometheus scrapes.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** Upper bounds of the latency buckets, in seconds. An answer from memory takes microseconds. */
const LATENCY_BOUNDS_S = [
  0.000_01, 0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
  1,
]

const STATUSES_MAX = 600

interface OperationCounts {
  /** Requests by status. */
  readonly statuses: Float64Array
  /** Requests by latency bucket; the last one has no bound. */
  readonly buckets: Float64Array
  sumS: number
}

/** A sample of a metric that is read on scrape, not kept. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

const labelNamesOf = (first: number | readonly Sample[]): string[] =>
  typeof first === 'number' ? [] : [...new Set(first.flatMap(({ labels = {} }) => Object.keys(labels)))]

export class Metrics {
  private readonly registry = new Registry()
  private faults = 0
  private readonly operations = new Map<string, OperationCounts>()
  private readonly loopDelay = monitorEventLoopDelay({ resolution: 10 })

  constructor() {
    this.loopDelay.enable()
    collectDefaultMetrics({ register: this.registry, prefix: 'oddswire_' })
    this.readOut('oddswire_event_loop_delay_seconds', 'Event-loop delay since the last scrape, by quantile.', () => {
      const { loopDelay } = this
      const samples = [0.5, 0.99, 1].map((quantile) => ({
        labels: { quantile: String(quantile) },
        // The histogram measures whole intervals; the delay is what exceeds the interval.
        value: Math.max(0, loopDelay.percentile(quantile * 100) / 1e9 - 0.01),
      }))
      loopDelay.reset()
      return samples
    })
    this.addRequests()
    this.readOutCounter('oddswire_metrics_faults_total', 'Metrics that could not be read out, and are missing.', () => [
      { value: this.faults },
    ])
  }

  /** A metric that fails gives no samples: it must not affect the others, nor the process. */
  private tried<T>(read: () => readonly T[]): readonly T[] {
    try {
      return read()
    } catch {
      this.faults++
      return []
    }
  }

  /** Counts one answered request. */
  countRequest(operation: string, status: number, durationMs: number): void {
    let counts = this.operations.get(operation)
    if (counts === undefined) {
      counts = {
        statuses: new Float64Array(STATUSES_MAX),
        buckets: new Float64Array(LATENCY_BOUNDS_S.length + 1),
        sumS: 0,
      }
      this.operations.set(operation, counts)
    }
    counts.statuses[status]!++
    const durationS = durationMs / 1000
    counts.sumS += durationS
    let bucket = 0
    while (bucket < LATENCY_BOUNDS_S.length && durationS > LATENCY_BOUNDS_S[bucket]!) bucket++
    counts.buckets[bucket]!++
  }

  /**
   * A gauge that is read on scrape.
   * @param labelNames those of its samples, where there may be none at first
   */
  readOut(
    name: string,
    help: string,
    read: () => number | readonly Sample[],
    labelNames: readonly string[] = labelNamesOf(read()),
  ): void {
    const tried = this.tried.bind(this)
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      collect() {
        this.reset()
        // Without labels it would be 0 where there is nothing to report.
        if (labelNames.length === 0) this.remove()
        tried(() => {
          const value = read()
          const samples = typeof value === 'number' ? [{ value }] : value
          for (const { labels, value: each } of samples) this.set({ ...labels }, each)
          return samples
        })
      },
    })
  }

  /** A counter that is kept elsewhere and only increases. `labelNames` are those of its samples. */
  readOutCounter(name: string, help: string, read: () => readonly Sample[]): void {
    this.register(name, help, 'counter', () => read().map(({ labels = {}, value }) => ({ labels, value })))
  }

  /** Everything in the Prometheus text format. */
  async scrape(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() }
  }

  private addRequests(): void {
    this.readOutCounter('oddswire_http_requests_total', 'Answered requests.', () =>
      [...this.operations].flatMap(([operation, { statuses }]) =>
        [...statuses.entries()]
          .filter(([, count]) => count > 0)
          .map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
      ),
    )
    const name = 'oddswire_http_request_duration_seconds'
    this.register(name, 'From the parsed request to the reply handed to the socket.', 'histogram', () =>
      [...this.operations].flatMap(([operation, { buckets, sumS }]) => {
        let count = 0
        const samples: { metricName: string; labels: Record<string, string | number>; value: number }[] = []
        for (const [place, inBucket] of buckets.entries()) {
          count += inBucket
          const le = LATENCY_BOUNDS_S[place] ?? '+Inf'
          samples.push({ metricName: `${name}_bucket`, labels: { operation, le }, value: count })
        }
        samples.push({ metricName: `${name}_sum`, labels: { operation }, value: sumS })
        samples.push({ metricName: `${name}_count`, labels: { operation }, value: count })
        return samples
      }),
    )
  }

  // prom-client has no counters and histograms that are read on scrape; its registry accepts any object that gives
  // values.
  private register(name: string, help: string, type: 'counter' | 'histogram', read: () => unknown[]): void {
    const metric = {
      name,
      help,
      type,
      aggregator: 'sum',
      get: async () => ({ name, help, type, aggregator: 'sum', values: this.tried(read) }),
      reset: () => {},
    }
    this.registry.registerMetric(metric as unknown as Gauge)
  }
}
