// A ledger as each of several processes has one, on a Redis that they share. As a program (REDIS_URL SEED LIMIT REQUESTS) it
// asks REQUESTS times at random moments, says on stdout how many were admitted, and ends in order. With `told` in place of
// SEED it asks for what stdin says, line by line (ID LIMIT REQUESTS), and answers each with how many were admitted.

import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Admission } from '../../src/access/ledger.ts'
import { elapsedMs } from '../../src/clock.ts'
import type { Organization } from '../../src/access/organization.ts'
import { NEW_PLAN } from '../../src/access/plan.ts'
import { RedisReservations } from '../../src/access/redis-reservations.ts'
import { ReservingLedger } from '../../src/access/reserving-ledger.ts'
import type { Transport } from '../../src/domain/transport.ts'
import { LIMITS } from '../../src/limits.ts'
import { redisAddressOf } from '../../src/redis/redis-address.ts'
import { Random } from '../random.ts'

export const AT = Date.UTC(2026, 10, 20, 12, 30)

export const organization = (hourlyLimit: number, monthlyQuota: number, id = 'org_0'): Organization => ({
  id,
  name: id,
  plan: { ...NEW_PLAN, hourlyLimit, monthlyQuota },
  entitlement: '*',
})

/** Shorter than those of the service, so that tests are. */
export const QUICK = { ...LIMITS, usageLookMs: 20, usageSettleMs: 400, usageIdleMs: 30, usageCallMsMax: 300 }

/** Resolves when requests can be counted. */
export const untilCounting = async (reservations: RedisReservations): Promise<void> => {
  while (reservations.problem() !== undefined) await pause(5)
}

export class SharingProcess {
  readonly reservations: RedisReservations
  readonly ledger: ReservingLedger
  admitted = 0

  constructor(url: string, limits: typeof QUICK = QUICK, deadlineMs = 5_000) {
    const address = redisAddressOf(url, 'test')
    if (typeof address === 'string') throw new Error(address)
    this.reservations = new RedisReservations({ address, now: () => Math.floor(AT + elapsedMs()), limits })
    this.ledger = new ReservingLedger({
      reserve: (wants) => this.reservations.reserve(wants),
      release: (leftovers) => this.reservations.release(leftovers),
      deadlineMs,
      shared: {
        accountsMax: limits.usageWindowsMax >> 1,
        idleMs: limits.usageIdleMs,
        isCounted: () => this.reservations.isCounted(),
      },
    })
    this.reservations.onLost(() => this.ledger.lose())
  }

  async admit(who: Organization, at = AT, transport: Transport = 'rest'): Promise<Admission> {
    const admission = { ...(await this.ledger.admit(who, transport, at)) }
    if (admission.refusal === undefined) this.admitted++
    return admission
  }

  async close(): Promise<void> {
    await this.ledger.close()
    this.reservations.close()
  }
}

const main = async (url: string, seed: number, limit: number, requests: number): Promise<void> => {
  const random = new Random(seed)
  const one = new SharingProcess(url)
  await untilCounting(one.reservations)
  const who = organization(limit, 0)
  for (let n = 0; n < requests; n++) {
    await one.admit(who, AT + n)
    if (random.chance(0.1)) await pause(random.int(0, 5))
  }
  await one.close()
  process.stdout.write(`${one.admitted}\n`)
}

/** What it holds is given back by nothing but a loss. */
const told = async (url: string): Promise<void> => {
  const one = new SharingProcess(url, { ...QUICK, usageIdleMs: 60_000 })
  await untilCounting(one.reservations)
  process.stdout.write('0\n')
  for await (const line of createInterface({ input: process.stdin })) {
    const [id, limit, requests] = line.split(' ')
    const before = one.admitted
    for (let n = 0; n < Number(requests); n++) await one.admit(organization(Number(limit), 0, id))
    process.stdout.write(`${one.admitted - before}\n`)
  }
  one.reservations.close()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [url, seed, limit, requests] = process.argv.slice(2)
  if (seed === 'told') await told(url!)
  else await main(url!, Number(seed), Number(limit), Number(requests))
}
