// The operator's port.

import { isIP } from 'node:net'
import { isLoopback } from '../domain/loopback.ts'
import { isRefusal, REFUSAL_STATUS } from '../domain/refusal.ts'
import type { Metrics } from '../metrics.ts'
import { statusLine } from '../rest/reply.ts'
import { type Tls } from '../stomp/tls.ts'
import { endWith, Listener, type PortFault, TEXT, writeFixedHeaders } from './listener.ts'

export interface AdminServerOptions {
  readonly metrics: Metrics
  readonly host: string
  readonly port: number
  /** Null: plain. */
  readonly tls: Tls | null
  /** Names by which it may be addressed, besides localhost, `host` and addresses of this machine. */
  readonly names: readonly string[]
  /** Reasons why the service is not ready, a line each; none: it is ready. */
  readonly notReady: () => readonly string[]
  /** What `/readyz` says of a service that is ready: what is off in it, a line each. */
  readonly notes?: () => readonly string[]
  /**
   * Further answers for operators and commands, by path and raw query: an object for JSON, or a refusal; undefined: there
   * is no such path.
   */
  readonly ask: (path: string, rawQuery: string) => object | undefined
}

const ADMIN_PAGES = '/livez, /readyz, /metrics, /feeds, /events/conflicts, /events/ID, /explain?…\n'

const isAnyAddress = (host: string): boolean => host === '0.0.0.0' || /^[0:]+$/.test(host)

/** The host of a `Host` header, without port, brackets and the dot of a full name. */
const hostOf = (header: string): string =>
  header
    .toLowerCase()
    // An IPv6 address without brackets has no port.
    .replace(/^(\[.*\]|[^:]*):\d{1,5}$/, '$1')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

/**
 * Whether a request may be meant for the admin port. Any page can make a browser send requests under the page's own
 * name, once that name leads to this machine (DNS rebinding), but not under an address or one of the configured names.
 */
export const isAdminHost = (header: string, boundTo: string, names: readonly string[]): boolean => {
  const host = hostOf(header)
  if (isLoopback(host) || host === hostOf(boundTo)) return true
  if (isAnyAddress(boundTo) && isIP(host) !== 0) return true
  return names.some((name) => hostOf(name) === host)
}

/** The operator's port: `/livez`, `/readyz`, `/metrics`, and answers in JSON. GET and HEAD only. */
export class AdminServer {
  readonly port: number
  private readonly listener: Listener

  static async listen(options: AdminServerOptions): Promise<AdminServer | PortFault> {
    const { host, port, tls, names } = options
    const listener = await Listener.listen(tls, host, port, (serving) => {
      serving.routes.filter((_res, change) => {
        serving.connections += change
      })
      serving.routes.any('/*', (res, req) => {
        const method = req.getMethod()
        const answer = (status: number, contentType: string, body: string): void => {
          res.writeStatus(statusLine(status))
          if (status === 405) res.writeHeader('Allow', 'GET, HEAD')
          writeFixedHeaders(res, contentType, tls !== null)
          if (method === 'head') res.writeHeader('Content-Length', String(Buffer.byteLength(body))).endWithoutBody()
          // The octets that follow may be the body of a request, which is not read.
          else endWith(res, body, status === 400 || status === 405)
        }
        let hosts = 0
        req.forEach((name) => {
          if (name === 'host') hosts++
        })
        // Which of them is meant is unclear (RFC 9112 §3.2).
        if (hosts > 1) return answer(400, TEXT, 'The header Host is given more than once.\n')
        if (!isAdminHost(req.getHeader('host'), host, names)) {
          return answer(403, TEXT, 'Use localhost or the address, or add the name to --admin-hosts.\n')
        }
        if (method !== 'get' && method !== 'head') return answer(405, TEXT, 'Only GET and HEAD.\n')
        const path = req.getUrl()
        // An exception in a callback of the library would end the process.
        const tried = <T>(read: () => T): { readonly value: T } | undefined => {
          try {
            return { value: read() }
          } catch {
            answer(500, TEXT, 'This cannot be answered just now.\n')
            return undefined
          }
        }
        switch (path) {
          case '/livez':
            return answer(200, TEXT, 'live\n')
          case '/readyz': {
            const reasons = tried(options.notReady)?.value
            if (reasons === undefined) return
            const isReady = reasons.length === 0
            const lines = isReady ? tried(() => options.notes?.() ?? [])?.value : reasons
            if (lines === undefined) return
            const text = [isReady ? 'ready' : 'not ready', ...lines.map((line) => `- ${line}`), ''].join('\n')
            return answer(isReady ? 200 : 503, TEXT, text)
          }
          case '/metrics': {
            const metrics = tried(() => options.metrics.scrape())?.value
            return metrics && answer(200, metrics.contentType, metrics.text)
          }
          default: {
            const body = tried(() => {
              const asked = options.ask(path, req.getQuery() ?? '')
              if (asked === undefined || !isRefusal(asked)) return { status: 200, text: JSON.stringify(asked) }
              const { refused: code, message, field } = asked
              return { status: REFUSAL_STATUS[code], text: JSON.stringify({ error: { code, message, field } }) }
            })
            if (body === undefined) return
            const { status, text } = body.value
            if (text === undefined) answer(404, TEXT, ADMIN_PAGES)
            else answer(status, 'application/json', text)
          }
        }
      })
    })
    return 'busyPort' in listener ? listener : new AdminServer(listener)
  }

  private constructor(listener: Listener) {
    this.listener = listener
    this.port = listener.port
  }

  /** Epoch ms; undefined without TLS. */
  get certificateExpiresAt(): number | undefined {
    return this.listener.certificateExpiresAt
  }

  /** As {@link HttpServer.reloadCertificate}. */
  reloadCertificate(): true | string {
    return this.listener.reloadCertificate()
  }

  /** Stops accepting and ends all connections at once: a client that polls would keep the process alive. */
  close(): void {
    this.listener.close()
  }
}
