// The address of a Redis, from its URL: one server, or the servers (Sentinels) that know which one writes.

import { isIP } from 'node:net'
import type { RedisOptions } from 'ioredis'

export interface RedisAddress {
  /** For the client. */
  readonly options: Pick<RedisOptions, 'host' | 'port' | 'db' | 'username' | 'password' | 'tls' | 'sentinels' | 'name'>
  /** With this the names of all keys begin: services with different ones share a Redis without sharing anything. */
  readonly prefix: string
  /** For messages: without the password. */
  readonly shown: string
}

const SENTINEL_PORT = 26_379
const PORT = 6_379

const databaseOf = (text: string): number | undefined => (/^\d{1,4}$/.test(text) ? Number(text) : undefined)

/**
 * `redis://[user:password@]host[:port][/database]`, `rediss://…` for TLS, and
 * `redis-sentinel://[user:password@]host[:port],host[:port]…/name-of-the-master[/database]`.
 * @returns what is wrong with it, in words, where it is none
 */
export const redisAddressOf = (url: string, prefix: string): RedisAddress | string => {
  const forms = 'give redis://host:6379, rediss://host:6379 or redis-sentinel://host:26379,host:26379/NAME'
  const parts = /^(redis|rediss|redis-sentinel):\/\/(?:([^@/]*)@)?([^/@]+)(?:\/(.*))?$/.exec(url)
  if (parts === null) return forms
  const [, scheme, credentials = '', places, path = ''] = parts
  let username: string
  let password: string
  try {
    const colon = credentials.indexOf(':')
    username = decodeURIComponent(colon === -1 ? '' : credentials.slice(0, colon))
    password = decodeURIComponent(colon === -1 ? credentials : credentials.slice(colon + 1))
  } catch {
    return 'user and password must be percent-encoded'
  }
  const servers: { host: string; port: number }[] = []
  for (const place of places!.split(',')) {
    const found = /^(\[[0-9a-f:]+\]|[^:]+)(?::(\d{1,5}))?$/i.exec(place)
    const port = Number(found?.[2] ?? (scheme === 'redis-sentinel' ? SENTINEL_PORT : PORT))
    if (found === null || port < 1 || port > 65_535) return `"${place}" is no host with a port; ${forms}`
    servers.push({ host: found[1]!.replace(/^\[|\]$/g, ''), port })
  }
  const login = { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) }
  const shown = `${scheme}://${places}${path === '' ? '' : `/${path}`}`
  const rest = path.split('/')
  if (scheme === 'redis-sentinel') {
    const [name = '', database = '0'] = rest
    const db = databaseOf(database)
    if (name === '' || rest.length > 2 || db === undefined) return `it must end with the name of the master; ${forms}`
    return { options: { sentinels: servers, name, db, ...login }, prefix, shown }
  }
  const db = databaseOf(path === '' ? '0' : path)
  if (servers.length > 1 || db === undefined) return forms
  const { host, port } = servers[0]!
  return {
    options: {
      host,
      port,
      db,
      ...login,
      ...(scheme === 'rediss' ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {}),
    },
    prefix,
    shown,
  }
}
