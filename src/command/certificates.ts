// When the certificates of the ports expire: for the metrics, and in the log before it is too late.

import { LIMITS } from '../limits.ts'
import type { Metrics } from '../metrics.ts'

const DAY_MS = 24 * 3_600_000

/** A port; without TLS it has no certificate. */
interface Port {
  readonly certificateExpiresAt: number | undefined
}

export class Certificates {
  private readonly ports: Readonly<Record<string, Port>>
  private readonly warn: (message: string) => void
  private nextMs = Number.NEGATIVE_INFINITY

  constructor(ports: Readonly<Record<string, Port>>, warn: (message: string) => void) {
    this.ports = ports
    this.warn = warn
  }

  readOut(metrics: Metrics): void {
    metrics.readOut(
      'oddswire_certificate_expiry_timestamp_seconds',
      'When the certificate of a port expires, Unix time; none: the port is plain.',
      () => this.known().map(([listener, expiresAt]) => ({ labels: { listener }, value: expiresAt / 1000 })),
    )
  }

  /** They may be others: the next look is at once. */
  changed(): void {
    this.nextMs = Number.NEGATIVE_INFINITY
  }

  /** Looks once a day. Called often. `nowAt`: epoch ms. */
  look(nowMs: number, nowAt: number): void {
    if (nowMs < this.nextMs) return
    this.nextMs = nowMs + DAY_MS
    const due = this.known().filter(([, expiresAt]) => expiresAt - nowAt < LIMITS.certificateMsMin)
    for (const expiresAt of new Set(due.map(([, each]) => each))) {
      const listeners = due.filter(([, each]) => each === expiresAt).map(([listener]) => listener)
      const verb = expiresAt < nowAt ? 'has expired' : 'expires'
      const at = new Date(expiresAt).toISOString()
      this.warn(`the certificate of ${listeners.join(', ')} ${verb} at ${at}: replace its file, and reload (SIGHUP)`)
    }
  }

  private known(): [listener: string, expiresAt: number][] {
    return Object.entries(this.ports).flatMap(([listener, { certificateExpiresAt }]) =>
      certificateExpiresAt === undefined ? [] : [[listener, certificateExpiresAt]],
    )
  }
}
