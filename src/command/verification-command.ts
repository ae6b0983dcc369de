// Wiring of verification: sources fetch, the engine records, and REST is queried over HTTP with a key of our own.

import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../access/access.ts'
import { getOwn } from '../access/admin-client.ts'
import { isFault } from '../access/fault.ts'
import * as clock from '../clock.ts'
import { LIMITS } from '../limits.ts'
import { outcomeOf, type Verification, type VerificationPolicy, type VerificationRequest } from '../domain/coverage.ts'
import type { EventSighting, Observation } from '../domain/observation.ts'
import type { Sport } from '../domain/sport.ts'
import type { Transport } from '../domain/transport.ts'
import { swapLine, swapOutcome } from '../domain/swapping.ts'
import type { Engine } from '../engine/engine.ts'
import type { Supervisor } from '../feed/supervisor.ts'
import { Verifier, verificationLine } from '../feed/verification.ts'

export interface VerificationParts {
  readonly engine: Engine
  readonly access: Access
  readonly supervisor: Supervisor
  /** Address of REST. */
  readonly host: string
  readonly port: number
  readonly isTls: boolean
  readonly log: (level: 'info' | 'warn', message: string) => void
}

/** The policy where verification is only by request. */
const BY_HAND: VerificationPolicy = { everyHours: 24, failuresMax: 2, onFailure: 'source_limited' }

/** Runs verifications: requested ones, and those that are due. */
export class Verifications {
  private verifier: Verifier | undefined
  /** The policy that it was started with. */
  private policy: VerificationPolicy | null = null
  private timer: NodeJS.Timeout | undefined
  private isStopped = false
  /** Requests that arrived while no verifier was running. */
  private readonly early: VerificationRequest[] = []
  private readonly defer = (request: VerificationRequest): void => {
    this.early.push(request)
  }
  private serve = this.defer
  private starting: Promise<void> = Promise.resolve()

  /** Accepts a request; the store gets its results. */
  accept(request: VerificationRequest): void {
    this.serve(request)
  }

  /**
   * Starts, or continues with another policy; a run under way is completed first.
   * @param policy null: only requests are verified
   */
  start(parts: VerificationParts, policy: VerificationPolicy | null): Promise<void> {
    const started = this.starting.then(() => this.restart(parts, policy))
    this.starting = started.catch(() => {})
    return started
  }

  private async restart(parts: VerificationParts, policy: VerificationPolicy | null): Promise<void> {
    const { access } = parts
    if (this.verifier !== undefined) {
      if (isDeepStrictEqual(policy, this.policy)) return
      this.serve = this.defer
      clearInterval(this.timer)
      await this.verifier.stop()
    }
    if (this.isStopped) return
    this.policy = policy
    const verifier = await newVerifier(parts, policy ?? BY_HAND)
    this.verifier = verifier
    this.serve = (request) => {
      void verifier
        .verifyRequest(request, access.registry.bookmakers)
        .then((problem) => access.finishVerificationRequest(request.id, problem))
    }
    for (const request of this.early.splice(0)) this.serve(request)
    if (policy === null || this.isStopped) return
    this.timer = setInterval(() => {
      void verifier.verifyDue(access.registry.bookmakers)
    }, LIMITS.verificationLookMs)
  }

  async stop(): Promise<void> {
    this.isStopped = true
    clearInterval(this.timer)
    await this.verifier?.stop()
  }
}

/** What a source has fetched is used for all its bookmakers for this long: a request may cost credits. */
const SHARED_MS = 20_000

interface Fetched {
  readonly at: number
  readonly observations: readonly Observation[]
  /** Bookmakers and sports that it was used for: a second use of one means that it must be fetched again. */
  readonly usedFor: Set<string>
}

const newVerifier = async (parts: VerificationParts, policy: VerificationPolicy): Promise<Verifier> => {
  const { engine, access, supervisor, log } = parts
  const fetched = new Map<string, Fetched>()
  const own = { host: parts.host, port: parts.port, tls: parts.isTls, msMax: LIMITS.verification.answerMsMax }

  const fetchOf = async (source: string, bookmaker: string, sport: Sport): Promise<readonly Observation[] | string> => {
    const use = `${bookmaker} ${sport}`
    let known = fetched.get(source)
    if (known === undefined || clock.now() - known.at > SHARED_MS || known.usedFor.has(use)) {
      const observations: Observation[] = []
      const problem = await supervisor.refresh(source, (observation, refusal) => {
        if (refusal === undefined) observations.push(observation)
      })
      if (problem !== undefined) return problem
      known = { at: clock.now(), observations, usedFor: new Set() }
      fetched.set(source, known)
    }
    known.usedFor.add(use)
    return known.observations
      .filter((each) => each.bookmaker === bookmaker && each.event.sport === sport)
      .map((each) => asOnBoard(engine, each))
  }

  const readBack = async (event: EventSighting, bookmaker: string, transport: Transport): Promise<unknown> => {
    const id = event.sourceKey === null ? undefined : engine.sightings.knownEvent(event.sourceKey)?.event.id
    if (id === undefined) return 'the event is not on the board'
    const query = `bookmaker=${encodeURIComponent(bookmaker)}&transport=${transport}`
    const headers = { Authorization: `Bearer ${access.internalKey()}` }
    const { status, text } = await getOwn(own, `/api/v1/events/${id}/odds?${query}`, headers)
    if (status === 404) return null
    return status === 200 ? (JSON.parse(text) as unknown) : `REST answered ${status}: ${text.slice(0, 200)}`
  }

  const record = async (run: Verification, request: number | null): Promise<void> => {
    const effect = await access.recordVerification(run, policy, request)
    if (isFault(effect)) {
      log('warn', `verification of ${run.bookmaker} ${run.sport} cannot be recorded: ${effect.fault}`)
      return
    }
    const { fellTo } = effect
    if (fellTo !== null) log('warn', `${verificationLine(run)}; it falls to ${fellTo}`)
    else log(outcomeOf(run) === 'failed' ? 'warn' : 'info', verificationLine(run))
  }

  const last = await access.lastVerifications()
  return new Verifier({
    ports: {
      sourcesOf: (bookmaker, sport) => {
        const coverage = access.registry.bookmakerOf(bookmaker)?.coverage ?? []
        // A source that never delivered fails the sports that coverage names; for `*` it is unknown which they are.
        const isNamed = coverage.some((row) => row.sport === sport)
        return supervisor.sourcesOf(bookmaker, sport, isNamed)
      },
      elsewhere: (bookmaker, sport) => supervisor.elsewhere(bookmaker, sport),
      fetch: fetchOf,
      readBack,
      record,
      now: clock.now,
    },
    limits: LIMITS.verification,
    everyHours: policy.everyHours,
    last: isFault(last) ? [] : last,
  })
}

/** The observation with home and away in the order of the board. */
const asOnBoard = (engine: Engine, observation: Observation): Observation => {
  const { sourceKey } = observation.event
  if (sourceKey === null) return observation
  const sightings = engine.sightings.knownEvent(sourceKey)?.sightings ?? []
  if (!sightings.some(({ key, swapped }) => swapped && key === sourceKey)) return observation
  return {
    ...observation,
    prices: observation.prices.map((price) => ({
      ...price,
      line: swapLine(price.type, price.line),
      outcome: swapOutcome(price.type, price.outcome),
    })),
  }
}
