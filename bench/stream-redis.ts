// What benches of the log in Redis have in common: a connection, and the CPU time of redis-server.

import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from '../src/redis/redis.ts'
import { redisAddressOf } from '../src/redis/redis-address.ts'

const POLL_MS = 10
const POLLS_MAX = 500

/** Resolves when the connection is there. */
export const connect = async (url: string): Promise<Redis> => {
  const address = redisAddressOf(url, 'bench')
  if (typeof address === 'string') throw new Error(address)
  const redis = new Redis(address)
  for (let left = POLLS_MAX; !redis.isConnected; left--) {
    if (left === 0) throw new Error('redis-server is not reached')
    await sleep(POLL_MS)
  }
  return redis
}

/** CPU time so far, s: of the thread that carries out commands, and of all threads. */
export const redisCpu = (pid: number): { readonly main: number; readonly all: number } => {
  const of = (file: string): number => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e9
  const tasks = readdirSync(`/proc/${pid}/task`)
  return {
    main: of(`/proc/${pid}/schedstat`),
    all: tasks.reduce((sum, task) => sum + of(`/proc/${pid}/task/${task}/schedstat`), 0),
  }
}
