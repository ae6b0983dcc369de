// Metrics for the operator: counters that cost the hot path an addition, read and written as text when Prometheus
// scrapes (https://prometheus.io/docs/instrumenting/exposition_formats/).

import { DURATION_BOUNDS_S, Durations } from './durations.ts'

const STATUSES_MAX = 600

interface OperationCounts {
  /** Requests by status. */
  readonly statuses: Float64Array
  readonly durations: Durations
}

const newCounts = (): OperationCounts => ({ statuses: new Float64Array(STATUSES_MAX), durations: new Durations() })

type Labels = Readonly<Record<string, string>>

/** A sample of a metric that is read on scrape, not kept. */
export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

/** Durations that one histogram shows under its labels. */
export interface LabelledDurations {
  readonly labels?: Labels
  readonly durations: Durations
}

type MetricType = 'gauge' | 'counter' | 'histogram'

interface Metric {
  readonly name: string
  readonly help: string
  readonly type: MetricType
  /** Its lines. */
  readonly write: () => string
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }

const escapedLabel = (text: string): string => text.replace(/[\\\n"]/g, (letter) => ESCAPES[letter]!)

const escapedHelp = (text: string): string => text.replace(/[\\\n]/g, (letter) => ESCAPES[letter]!)

const lineOf = (name: string, { labels = {}, value }: Sample): string => {
  // A read-out of something without a type may give anything.
  if (typeof value !== 'number') throw new TypeError(`${name} is not a number`)
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedLabel(text)}"`)
  const shown = Number.isFinite(value) ? value : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${shown}\n`
}

const histogramLines = (name: string, { labels = {}, durations }: LabelledDurations): string => {
  let lines = ''
  let count = 0
  for (const [place, inBucket] of durations.buckets.entries()) {
    count += inBucket
    const le = String(DURATION_BOUNDS_S[place] ?? '+Inf')
    lines += lineOf(`${name}_bucket`, { labels: { ...labels, le }, value: count })
  }
  return (
    lines + lineOf(`${name}_sum`, { labels, value: durations.sumS }) + lineOf(`${name}_count`, { labels, value: count })
  )
}

export class Metrics {
  private readonly metrics: Metric[] = []
  private faults = 0
  private readonly operations = new Map<string, OperationCounts>()
  // Most requests are for the operation of the one before.
  private lastOperation: string | undefined
  private lastCounts = newCounts()

  constructor() {
    this.addRequests()
  }

  /** Counts one answered request. */
  countRequest(operation: string, status: number, durationMs: number): void {
    if (operation !== this.lastOperation) {
      this.lastCounts = this.countsOf(operation)
      this.lastOperation = operation
    }
    const { statuses, durations } = this.lastCounts
    statuses[status]!++
    durations.add(durationMs)
  }

  /** A gauge that is read on scrape. */
  readOut(name: string, help: string, read: () => number | readonly Sample[]): void {
    this.register(name, help, 'gauge', read)
  }

  /** A counter that is kept elsewhere and only increases. */
  readOutCounter(name: string, help: string, read: () => readonly Sample[]): void {
    this.register(name, help, 'counter', read)
  }

  /** A histogram of durations that are counted elsewhere. */
  readOutDurations(name: string, help: string, read: () => readonly LabelledDurations[]): void {
    const write = (): string =>
      read()
        .map((each) => histogramLines(name, each))
        .join('')
    this.metrics.push({ name, help, type: 'histogram', write })
  }

  /** Everything in the Prometheus text format. */
  scrape(): { readonly contentType: string; readonly text: string } {
    // The last one, so that it has the faults of this scrape.
    const faults: Metric = {
      name: 'oddswire_metrics_faults_total',
      help: 'Metrics that could not be read out, and are missing.',
      type: 'counter',
      write: () => lineOf('oddswire_metrics_faults_total', { value: this.faults }),
    }
    return {
      contentType: CONTENT_TYPE,
      text: [...this.metrics, faults].map((metric) => this.textOf(metric)).join('\n'),
    }
  }

  /** A metric that fails has no lines: it must not affect the others, nor the process. */
  private textOf({ name, help, type, write }: Metric): string {
    let lines = ''
    try {
      lines = write()
    } catch {
      this.faults++
    }
    return `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} ${type}\n${lines}`
  }

  private countsOf(operation: string): OperationCounts {
    let counts = this.operations.get(operation)
    if (counts === undefined) this.operations.set(operation, (counts = newCounts()))
    return counts
  }

  private addRequests(): void {
    this.readOutCounter('oddswire_http_requests_total', 'Answered requests.', () =>
      [...this.operations].flatMap(([operation, { statuses }]) =>
        [...statuses.entries()]
          .filter(([, count]) => count > 0)
          .map(([status, value]) => ({ labels: { operation, status: String(status) }, value })),
      ),
    )
    this.readOutDurations(
      'oddswire_http_request_duration_seconds',
      'From the parsed request to the reply handed to the socket.',
      () => [...this.operations].map(([operation, { durations }]) => ({ labels: { operation }, durations })),
    )
  }

  private register(name: string, help: string, type: MetricType, read: () => number | readonly Sample[]): void {
    const write = (): string => {
      const value = read()
      const samples = typeof value === 'number' ? [{ value }] : value
      return samples.map((sample) => lineOf(name, sample)).join('')
    }
    this.metrics.push({ name, help, type, write })
  }
}
