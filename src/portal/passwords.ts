// Passwords: scrypt of node:crypto on a thread of Node's pool, a few at a time; who has failed lately waits for the others.

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** The block size and parallelism that belong to {@link PasswordLimits.passwordN}. */
const R = 8
const P = 3

const SALT_BYTES = 16
const KEY_BYTES = 32

/** More than 128·N·r, which N=2^15 needs. */
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

export interface PasswordLimits {
  /**
   * Cost of a password that is stored. OWASP Password Storage Cheat Sheet, section scrypt: N=2^15 (32 MiB), r=8, p=3 is
   * one of its equal choices; this one takes 32 MB at a time, not 128.
   */
  readonly passwordN: number
  /** Checked at the same time. */
  readonly passwordsMax: number
  /** That wait for it: of those who have not failed lately, and as many of the others. */
  readonly passwordsWaitingMax: number
  /** Checked or waiting, of one address. */
  readonly passwordsOfAddressMax: number
}

/** Who wants a password to be checked or stored. */
export interface PasswordAsker {
  /** As failures are counted. */
  readonly address: string
  /** Whether the address has failed lately: it comes after those that have not. */
  readonly hasFailed: boolean
}

export class Passwords {
  private readonly limits: PasswordLimits
  /** In place of the password of a user who has none or is not known: its check takes the same time, and always fails. */
  private readonly nobody: string
  private readonly byAddress = new Map<string, number>()
  private running = 0
  private readonly first: (() => void)[] = []
  private readonly later: (() => void)[] = []

  constructor(limits: PasswordLimits) {
    this.limits = limits
    this.nobody = `scrypt$${limits.passwordN}$${R}$${P}$${'A'.repeat(22)}$${'A'.repeat(43)}`
  }

  /**
   * Does some work that stores or checks a password, when it is its turn.
   * @returns undefined: too many wait, and nothing was done
   */
  async queued<T>({ address, hasFailed }: PasswordAsker, work: () => Promise<T>): Promise<T | undefined> {
    const { passwordsMax, passwordsWaitingMax, passwordsOfAddressMax } = this.limits
    const lane = hasFailed ? this.later : this.first
    const count = this.byAddress.get(address) ?? 0
    const isBusy = this.running >= passwordsMax
    if (count >= passwordsOfAddressMax || (isBusy && lane.length >= passwordsWaitingMax)) return undefined
    this.byAddress.set(address, count + 1)
    if (isBusy) await new Promise<void>((resolve) => lane.push(resolve))
    else this.running++
    try {
      return await work()
    } finally {
      const left = this.byAddress.get(address)! - 1
      if (left > 0) this.byAddress.set(address, left)
      else this.byAddress.delete(address)
      // The place passes to the next one.
      const next = this.first.shift() ?? this.later.shift()
      if (next === undefined) this.running--
      else next()
    }
  }

  /** The form in which a password is stored: `scrypt$N$r$p$salt$key`. */
  async store(password: string): Promise<string> {
    const { passwordN } = this.limits
    const salt = randomBytes(SALT_BYTES)
    const key = await derive(password, salt, passwordN, R, P)
    return `scrypt$${passwordN}$${R}$${P}$${salt.toString('base64url')}$${key.toString('base64url')}`
  }

  /** @param stored undefined: there is no such user, or no password; the answer takes as long */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    const [, n, r, p, salt, key] = STORED.exec(stored ?? this.nobody) ?? STORED.exec(this.nobody)!
    const derived = await derive(password, Buffer.from(salt!, 'base64url'), Number(n), Number(r), Number(p))
    return timingSafeEqual(derived, Buffer.from(key!, 'base64url')) && stored !== undefined
  }
}
