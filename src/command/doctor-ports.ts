// What oddswire doctor says of ports, addresses and certificates.

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ServerInfo } from '../access/holder.ts'
import type { Settings } from '../config.ts'
import { isLoopback } from '../domain/loopback.ts'
import { LIMITS } from '../limits.ts'
import { whyNotListen } from '../server/listener.ts'
import { readTls } from '../stomp/tls.ts'
import { connectionLimitsOf, descriptorLimit } from './connection-limits.ts'
import { fine, type Finding, note, warning, wrong, wrongBy } from './findings.ts'
import { portFault } from './port-faults.ts'

const DAY_MS = 24 * 3_600_000

/** Fewer connections than this are reported: the usual limit of a shell. */
const CONNECTIONS_FEW = 4_096

interface PortSetting {
  readonly name: 'http' | 'stomp' | 'admin'
  readonly host: string
  readonly port: number
  readonly flag: string
  readonly hostFlag: string
}

const portsOf = ({ host, adminHost, httpPort, stompPort, adminPort }: Settings): PortSetting[] => [
  { name: 'http', host, port: httpPort, flag: '--http-port', hostFlag: '--host' },
  { name: 'stomp', host, port: stompPort, flag: '--stomp-port', hostFlag: '--host' },
  { name: 'admin', host: adminHost, port: adminPort, flag: '--admin-port', hostFlag: '--admin-host' },
]

/** @param running what the server of this data folder says of itself, where one runs */
export const portFindings = async (settings: Settings, running: ServerInfo | undefined): Promise<Finding[]> => {
  const ports = portsOf(settings)
  const findings: Finding[] = []
  for (const [place, { name, host, port, flag, hostFlag }] of ports.entries()) {
    const id = `port ${name}`
    const same = ports.slice(0, place).find((other) => port !== 0 && other.port === port)
    if (same !== undefined) {
      findings.push(wrong(id, `${port} is the port of ${same.name}, too`, `choose another with ${flag}`))
      continue
    }
    if (port !== 0 && running?.ports?.[name] === port) {
      findings.push(fine(id, `${host}:${port}, of the running server`))
      continue
    }
    const reason = await whyNotListen(host, port)
    if (reason === 'EADDRINUSE' && settings.sharedPorts && name !== 'admin') {
      findings.push(note(id, `${host}:${port} is in use: with --shared-ports by other processes of this service`))
      continue
    }
    if (reason !== undefined) {
      const fault = portFault({ busyPort: port, reason }, host, flag, null, { hostFlag })
      findings.push(wrongBy(id, fault, `choose another with ${flag}`))
    } else findings.push(fine(id, port === 0 ? `${host}, on a free port` : `${host}:${port} is free`))
  }
  return [...findings, connectionFinding(settings), addressFinding(settings)]
}

const connectionFinding = (settings: Settings): Finding => {
  const descriptors = descriptorLimit()
  const { limits, warning: text } = connectionLimitsOf(settings, descriptors)
  const id = 'connections'
  const found = `${limits.connectionsMax} at most, of ${descriptors} file descriptors`
  const more = 'raise the limit of open files: ulimit -n 65536, LimitNOFILE= of the unit, or ulimits of the container'
  if (text !== undefined) return warning(id, text, more)
  const isFew = settings.connectionsMax === 0 && limits.connectionsMax < CONNECTIONS_FEW
  return isFew ? warning(id, found, more) : fine(id, found)
}

/** What customers are told to connect to, and whether their keys can be read on the way. */
const addressFinding = ({ host, tlsCert, publicUrl }: Settings): Finding => {
  const id = 'address'
  if (isLoopback(host))
    return publicUrl === '' ? note(id, `${host}: only this machine reaches it`) : fine(id, publicUrl)
  if (publicUrl === '') {
    return warning(id, `customers on ${host} are sent to http://localhost`, 'set --public-url to how they reach it')
  }
  if (tlsCert === '') {
    return warning(
      id,
      `keys sent to ${host} can be read on the way`,
      'set --tls-cert and --tls-key, or listen on 127.0.0.1 behind a proxy that has TLS',
    )
  }
  return fine(id, publicUrl)
}

/** @param nowAt epoch ms */
export const certificateFinding = ({ tlsCert, tlsKey, publicUrl }: Settings, nowAt: number): Finding => {
  const id = 'certificate'
  if (tlsCert === '') return note(id, 'none: the ports are plain')
  const read = readTls({ certFile: tlsCert, keyFile: tlsKey })
  if (typeof read === 'string')
    return wrong(id, read, 'give a PEM pair that this user can read, the chain in the certificate file')
  const certificate = new X509Certificate(readFileSync(tlsCert))
  const from = Date.parse(certificate.validFrom)
  const to = Date.parse(certificate.validTo)
  const until = new Date(to).toISOString()
  if (to <= nowAt) return wrong(id, `it has expired at ${until}`, 'renew it, and send the server SIGHUP')
  if (from > nowAt) {
    return wrong(
      id,
      `it is valid from ${new Date(from).toISOString()} on only`,
      'check the clock, or take the former certificate',
    )
  }
  const name = URL.canParse(publicUrl) ? new URL(publicUrl).hostname.replace(/^\[(.*)\]$/, '$1') : ''
  if (name !== '' && (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) === undefined) {
    return wrong(id, `it is not for ${name}, the name in --public-url`, 'take one whose names include it')
  }
  if (to - nowAt < LIMITS.certificateMsMin) {
    const days = Math.floor((to - nowAt) / DAY_MS)
    return warning(
      id,
      `it expires at ${until}, in ${days} days`,
      'renew it, and send the server SIGHUP: see why the renewal has not',
    )
  }
  return fine(id, `valid until ${until}`)
}
