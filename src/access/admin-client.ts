// GETs of this machine's own ports. A command queries the running server of its data folder through the admin port,
// which is in server.json.

import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { type Fault, fault, messageOf } from './fault.ts'
import { type AdminAddress, holderOf } from './holder.ts'
import { isHeld } from './file-lock.ts'

/** Answer of the admin port. */
export interface AdminAnswer {
  readonly status: number
  /** Parsed JSON; undefined: not JSON. */
  readonly body: unknown
  readonly text: string
}

const ANSWER_MS = 10_000
const BODY_BYTES_MAX = 64 * 1024 * 1024

/**
 * GETs a path of the admin port. The fault says that no server runs, or that it does not answer.
 * @param path with its slash; percent-encoded
 */
export const askServer = async (dataDir: string, path: string): Promise<AdminAnswer | Fault> => {
  const info = isHeld(dataDir) ? holderOf(dataDir) : undefined
  const port = info?.ports?.admin
  if (info === undefined || port === undefined) return fault(`no server runs with data folder ${dataDir}`)
  try {
    const { status, text } = await getOwn({ ...(info.admin ?? PLAIN), port, msMax: ANSWER_MS }, path)
    return { status, body: parsedJson(text), text }
  } catch (error) {
    return fault(`the running server (process ${info.pid}) does not answer on its admin port (${messageOf(error)})`)
  }
}

const PLAIN: AdminAddress = { host: '127.0.0.1', tls: false }

/** A port on all addresses is reached on the loopback. */
const addressOf = (host: string): string =>
  host === '0.0.0.0' ? '127.0.0.1' : /^\[?[0:]+\]?$/.test(host) ? '::1' : host

/** GETs a path of a port of this machine, within `msMax`. Rejects when there is no answer. */
export const getOwn = (
  { host, tls, port, msMax }: AdminAddress & { readonly port: number; readonly msMax: number },
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const where = { host: addressOf(host), port, path, headers, signal: AbortSignal.timeout(msMax) }
    // The certificate is for the public name. A program that could listen on this port of this machine in the server's
    // place, while the server holds the folder, could read the folder as well.
    const request = tls ? tlsRequest({ ...where, rejectUnauthorized: false }) : plainRequest(where)
    request.on('error', reject)
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > BODY_BYTES_MAX) request.destroy(new Error(`more than ${BODY_BYTES_MAX} bytes`))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') }))
    })
    request.end()
  })

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
