// Passwords: scrypt of node:crypto on a thread of Node's pool, a few at a time.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/**
 * OWASP Password Storage Cheat Sheet, section scrypt: N=2^15 (32 MiB), r=8, p=3 is one of its equal choices; this one
 * takes 32 MB at a time, not 128.
 */
const N = 2 ** 15
const R = 8
const P = 3

const SALT_BYTES = 16
const KEY_BYTES = 32

/** More than 128·N·r, which it needs. */
const MEMORY_MAX = 64 * 1024 * 1024

const derive = (password: string, salt: Buffer, n: number, r: number, p: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // Equal passwords of different keyboards are equal.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { N: n, r, p, maxmem: MEMORY_MAX }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })

const STORED = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/

/** In place of the password of a user who has none or is not known: its check takes the same time, and always fails. */
const NOBODY = `scrypt$${N}$${R}$${P}$${'A'.repeat(22)}$${'A'.repeat(43)}`

export interface PasswordLimits {
  /** Checked at the same time. */
  readonly passwordsMax: number
  /** That wait for it. */
  readonly passwordsWaitingMax: number
  /** In the queue, of one address. */
  readonly passwordsOfAddressMax: number
}

export class Passwords {
  private readonly limits: PasswordLimits
  private inQueue = 0
  private readonly byAddress = new Map<string, number>()
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(limits: PasswordLimits) {
    this.limits = limits
  }

  /**
   * Takes a place in the queue for some work that stores or checks passwords.
   * @param address of the client; each has a few places only
   * @returns undefined: the queue is full, and nothing was done
   */
  async queued<T>(address: string, work: () => Promise<T>): Promise<T | undefined> {
    const { passwordsMax, passwordsWaitingMax, passwordsOfAddressMax } = this.limits
    const count = this.byAddress.get(address) ?? 0
    if (this.inQueue >= passwordsMax + passwordsWaitingMax || count >= passwordsOfAddressMax) return undefined
    this.inQueue++
    this.byAddress.set(address, count + 1)
    try {
      return await work()
    } finally {
      this.inQueue--
      const left = this.byAddress.get(address)! - 1
      if (left > 0) this.byAddress.set(address, left)
      else this.byAddress.delete(address)
    }
  }

  /** The form in which a password is stored: `scrypt$N$r$p$salt$key`. */
  async store(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const key = await this.inTurn(() => derive(password, salt, N, R, P))
    return `scrypt$${N}$${R}$${P}$${salt.toString('base64url')}$${key.toString('base64url')}`
  }

  /** @param stored undefined: there is no such user, or no password; the answer takes as long */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    const [, n, r, p, salt, key] = STORED.exec(stored ?? NOBODY) ?? STORED.exec(NOBODY)!
    const derived = await this.inTurn(() =>
      derive(password, Buffer.from(salt!, 'base64url'), Number(n), Number(r), Number(p)),
    )
    return timingSafeEqual(derived, Buffer.from(key!, 'base64url')) && stored !== undefined
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.passwordsMax) await new Promise<void>((resolve) => this.waiting.push(resolve))
    else this.running++
    try {
      return await work()
    } finally {
      // The place passes to the next one.
      const next = this.waiting.shift()
      if (next === undefined) this.running--
      else next()
    }
  }
}
