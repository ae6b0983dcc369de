// Access to the live channel: which callers may have a session, and how many at the same time.
//
//   upgrade with a key ──▶ reserved ──CONNECT──▶ admitted ──▶ ended

import type { Caller, Gate } from '../access/gate.ts'
import { isRefusal, type Refusal } from '../domain/refusal.ts'
import { once, type Release, Tally } from './connections.ts'
import type { Credential } from './credential.ts'
import { type ErrorCode, type Fault, faultOf } from './session-fault.ts'
import { Throttle, type ThrottleLimits } from './throttle.ts'

export interface LiveAccessState {
  /** Whether customers may connect; feeds may connect earlier. */
  readonly isServing: () => boolean
  /** Whether nobody may: what other processes have decided is not known. */
  readonly isOut: () => boolean
}

export class LiveAccess {
  readonly throttle: Throttle
  private readonly gate: Gate
  private readonly state: LiveAccessState
  // Live connections of customers, by organization; and those reserved for their WebSockets.
  private readonly connections = new Tally()
  private readonly reservedBy = new Tally()
  private reserved = 0

  constructor(gate: Gate, limits: ThrottleLimits, state: LiveAccessState) {
    this.gate = gate
    this.state = state
    this.throttle = new Throttle(limits)
  }

  /** Admits the caller of a CONNECT; {@link ended} is to be called when its session ends. */
  admit(credential: Credential | Refusal, nowAt: number): Caller | Fault {
    const { gate, throttle } = this
    if (isRefusal(credential)) return faultOf(credential)
    if (this.refusesAll) {
      return { code: 'service_unavailable', message: 'Access rights cannot be checked just now; try again' }
    }
    const caller = this.permitted(gate.identify(credential.authorization, credential.apiKey, nowAt))
    if ('code' in caller) return caller
    caller.use.at = nowAt
    if (caller.kind === 'feed') return caller
    const { keyId, organization } = caller
    const refused = this.refusalOf(caller, nowAt)
    if (refused !== undefined) {
      if (this.state.isServing() && throttle.waitMs(keyId, nowAt) > 0) throttle.refused++
      return refused
    }
    throttle.opened(keyId)
    this.connections.add(organization.id, 1)
    return caller
  }

  /** Why a customer cannot open one more session now, although its key allows it; undefined: it can. */
  refusalOf({ keyId, organization }: Caller, nowAt: number): Fault | undefined {
    // A snapshot of a board that the sources have not filled yet would be empty.
    if (!this.state.isServing()) {
      return {
        code: 'service_unavailable',
        message: 'The service is starting, or cannot record prices just now; connect again in a moment',
      }
    }
    const waitMs = this.throttle.waitMs(keyId, nowAt)
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000)
      const message = `Too many sessions of this key have ended with an ERROR; connect again in ${seconds} s, and see why they do`
      return { code: 'rate_limit_exceeded', message, headers: [['retry-after', String(seconds)]] }
    }
    const most = organization.plan.liveConnectionsMax
    if (most > 0 && this.connections.of(organization.id) >= most) {
      const message = `The plan of your organization allows ${most} live connections at the same time; close one, or ask for a larger plan`
      return { code: 'rate_limit_exceeded', message }
    }
    return undefined
  }

  /** The caller of an open session, with its current rights. */
  again(keyId: string, nowAt: number): Caller | Fault {
    return this.permitted(this.gate.callerOf(keyId, nowAt))
  }

  /**
   * A session has ended. The errors of feed keys are not counted: all customers need their prices, and a feed cannot
   * cause expensive work.
   * @param code of the ERROR, if it ended with one
   */
  ended({ kind, keyId, organization }: Caller, code: ErrorCode | undefined, nowAt: number): void {
    if (kind === 'feed') return
    this.throttle.ended(keyId, code, nowAt)
    this.connections.add(organization.id, -1)
  }

  /**
   * Reserves a live connection if the headers of an upgrade name a key that may have one now: such a WebSocket needs no
   * place, and their number is bounded.
   * @returns releases it, to be called when CONNECT was accepted, or the WebSocket is gone
   */
  reserve(authorization: string | undefined, apiKey: string | undefined, nowAt: number): Release | undefined {
    if ((authorization === undefined && apiKey === undefined) || this.refusesAll) return undefined
    const caller = this.permitted(this.gate.identify(authorization, apiKey, nowAt))
    if ('code' in caller) return undefined
    const isCustomer = caller.kind === 'customer'
    const { id, plan } = caller.organization
    if (isCustomer) {
      if (!this.state.isServing() || this.throttle.waitMs(caller.keyId, nowAt) > 0) return undefined
      const most = plan.liveConnectionsMax
      if (most > 0 && this.connections.of(id) + this.reservedBy.of(id) >= most) return undefined
      this.reservedBy.add(id, 1)
    }
    this.reserved++
    return once(() => {
      this.reserved--
      if (isCustomer) this.reservedBy.add(id, -1)
    })
  }

  /** WebSockets whose upgrade had a key, and that have not sent CONNECT. */
  get reservedCount(): number {
    return this.reserved
  }

  private get refusesAll(): boolean {
    return this.gate.refusesAll || this.state.isOut()
  }

  /** The caller, if it may have a session. */
  private permitted(caller: Caller | Refusal): Caller | Fault {
    if (isRefusal(caller)) return faultOf(caller)
    // A feed key only sends observations; what its organization may see does not matter.
    const denied = caller.kind === 'feed' ? undefined : this.gate.permit(caller, { transport: 'live' })
    return denied === undefined ? caller : faultOf(denied)
  }
}
