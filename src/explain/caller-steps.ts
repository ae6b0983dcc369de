// The rules about the caller: key, service, limit, plan, scope, entitlement. Each verdict is that of the gate, of the
// scope, or of the live channel, as requests get it; what is added is the sentence.

import type { Caller, Examined, Gate } from '../access/gate.ts'
import type { WindowUse } from '../access/ledger.ts'
import { checkScope } from '../access/scope.ts'
import { grouped } from '../domain/grouped.ts'
import type { Sport } from '../domain/sport.ts'
import type { Fault } from '../stomp/session-fault.ts'
import type { Question } from './question.ts'
import { type Finding, hidesBy, passes, someOf, spanText, timeText, type Way } from './step.ts'

/** What the rules about the caller ask. */
export interface CallerParts {
  readonly gate: Gate
  /** Why a customer cannot open one more live session now; undefined: it can. */
  readonly sessionRefusal: (caller: Caller, nowAt: number) => Fault | undefined
  /** Whether customers are answered at all. */
  readonly isServing: () => boolean
}

const nameOf = ({ organization }: Caller): string => `organization ${organization.name}`

export const keyStep = ({ key, caller, refusal }: Examined, nowAt: number): Finding => {
  const who = `Key ${key.id} of ${nameOf(caller)}`
  if (refusal !== undefined) {
    const { revokedAt, expiresAt } = key
    return hidesBy(
      'key',
      revokedAt === null
        ? `${who} expired at ${timeText(expiresAt ?? nowAt)}, ${spanText(nowAt - (expiresAt ?? nowAt))} ago (401 ${refusal.refused}). Create a new one.`
        : `${who} was revoked at ${timeText(revokedAt)} (401 ${refusal.refused}). Create a new one.`,
    )
  }
  if (key.kind === 'feed') {
    return hidesBy('key', `${who} is a feed key: it may only send observations. Use a customer key.`)
  }
  const until = key.expiresAt === null ? 'has no expiry' : `expires at ${timeText(key.expiresAt)}`
  return passes('key', `${who} is valid and ${until}.`)
}

export const serviceStep = ({ gate, isServing }: CallerParts): Finding => {
  if (gate.refusesAll) {
    return hidesBy(
      'service',
      'Every request is refused (503): access rights cannot be checked just now. /readyz and the log of the server say why.',
    )
  }
  if (!isServing()) {
    return hidesBy(
      'service',
      'Every request is refused (503): the service is starting, or cannot record prices just now. /readyz says why.',
    )
  }
  return passes('service', 'The service answers customers.')
}

const windowText = ({ kind, limit, used, endsAt }: WindowUse): string => {
  const of = `${grouped(limit)} ${kind === 'hour' ? 'requests of this hour' : 'REST requests of this month'}`
  return used === undefined
    ? `none of the ${of} was counted since the server started`
    : `${grouped(used)} of the ${of} are used, until ${timeText(endsAt)}`
}

export const limitStep = (
  { gate, sessionRefusal }: CallerParts,
  caller: Caller,
  of: Question,
  nowAt: number,
): Finding => {
  const { refusal, windows } = gate.prospect(caller, of.transport, nowAt)
  const used =
    windows.length === 0
      ? `Plan ${caller.organization.plan.name} has no limit of requests.`
      : `${caller.organization.plan.name}: ${windows.map(windowText).join('; ')}.`
  const session = of.transport === 'live' ? sessionRefusal(caller, nowAt) : undefined
  const isSessionRefused = session?.code === 'rate_limit_exceeded'
  const hides: Way[] = []
  if (refusal !== undefined) hides.push('rest')
  if (isSessionRefused) hides.push('live')
  const texts = [
    ...(refusal === undefined ? [] : [`Requests are refused just now (${refusal.refused}): ${refusal.message}.`]),
    ...(isSessionRefused ? [`A new live session would be refused; open ones go on: ${session.message}.`] : []),
  ]
  return { rule: 'limit', hides, detail: [...texts, used].join(' ') }
}

export const planStep = ({ gate }: CallerParts, caller: Caller, { transport }: Question): Finding => {
  const { plan } = caller.organization
  const refusal = gate.permit(caller, { transport })
  return refusal?.refused === 'live_not_enabled'
    ? hidesBy(
        'plan',
        `Plan ${plan.name} of ${nameOf(caller)} does not include transport live (403 live_not_enabled). Ask on transport rest, or take a plan with live.`,
      )
    : passes(
        'plan',
        `Plan ${plan.name} ${plan.liveEnabled ? 'includes transports rest and live' : 'includes transport rest'}.`,
      )
}

/** @param sport of the event; undefined: it is unknown */
export const scopeStep = (caller: Caller, { transport, bookmaker }: Question, sport: Sport | undefined): Finding => {
  const refusal = checkScope(caller.scope, { transport, sport, bookmakers: [bookmaker] })
  if (refusal !== undefined) {
    return hidesBy('scope', `${refusal.message} (403 ${refusal.refused}). Use a key with a wider scope.`)
  }
  const { channels, bookmakers, sports } = caller.scope
  const narrowed = [
    ...(channels === null ? [] : [`channels ${channels.join(', ')}`]),
    ...(bookmakers === null ? [] : [`bookmakers ${someOf(bookmakers)}`]),
    ...(sports === null ? [] : [`sports ${someOf(sports)}`]),
  ]
  return passes(
    'scope',
    narrowed.length === 0
      ? 'The scope of the key is not narrowed.'
      : `The scope of the key includes it: ${narrowed.join('; ')}.`,
  )
}

export const entitlementStep = (caller: Caller, { bookmaker }: Question): Finding => {
  const { entitlement } = caller.organization
  if (entitlement === '*') return passes('entitlement', `All bookmakers are open to ${nameOf(caller)}.`)
  return entitlement.includes(bookmaker)
    ? passes('entitlement', `${bookmaker} is one of the ${entitlement.length} bookmakers of ${nameOf(caller)}.`)
    : hidesBy(
        'entitlement',
        `${bookmaker} is not one of the ${entitlement.length} bookmakers of ${nameOf(caller)}. Its entitlement has to be widened.`,
      )
}
