// Inputs: how the engine applies each kind of them (domain/input.ts).

import type { Input, Turn } from '../domain/input.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import type { Engine } from './engine.ts'

/** Called with each input that was applied, and why it was not, or not completely. */
export type Applied = (input: Input, place: number, refusal: Refusal | undefined) => void

/**
 * Applies a turn and publishes its changes.
 * @returns whether all that is due at its time is done
 */
export const applyTurn = (engine: Engine, { at, inputs }: Turn, applied?: Applied): boolean => {
  const nowAt = engine.begin(at)
  if (inputs.length > 1) engine.readAhead(inputs)
  for (let place = 0; place < inputs.length; place++) {
    const input = inputs[place]!
    const refusal = applyInput(engine, input, nowAt)
    applied?.(input, place, refusal)
  }
  return engine.turn(nowAt)
}

/** Applies an input. Returns why it was not applied, or not completely. */
const applyInput = (engine: Engine, input: Input, nowAt: number): Refusal | undefined => {
  if ('producer' in input && !engine.isHeard(input.producer)) {
    return refuse('service_unavailable', 'another process runs this source', 'producer')
  }
  switch (input.kind) {
    case 'observe':
      return engine.observe(input.observation, nowAt, engine.producerNumber(input.producer), input.doubt)
    case 'commit':
      return engine.commit(input.observations, nowAt)
    case 'suspect':
      engine.suspect(engine.producerNumber(input.producer), nowAt, input.doubt)
      return undefined
    case 'confirm':
      engine.confirm(engine.producerNumber(input.producer), input.at, nowAt)
      return undefined
    case 'end':
      engine.end(engine.producerNumber(input.producer), input.at, nowAt)
      return undefined
    case 'leave':
      engine.leave(engine.producerNumber(input.producer), nowAt, input.doubt)
      return undefined
    case 'health':
      engine.noteHealth(input.health, nowAt)
      return undefined
    case 'bookmakers':
      for (const slug of input.slugs) engine.bookmakerNumber(slug)
      return undefined
    case 'use':
      engine.rights.use(input.key, input.organization, input.audience, input.seq)
      return undefined
    case 'rights':
      engine.rights.change(input.organizations, input.seq, input.isStart)
      return undefined
    case 'take':
      return engine.take(input.source, input.run, nowAt)
        ? undefined
        : refuse('service_unavailable', 'a later run has taken this source', 'run')
    case 'link':
      engine.link = { epoch: input.epoch, turn: input.turn, chain: input.chain }
      return undefined
    case 'checksum':
      return undefined
    case 'decide':
      return undecided(engine.decide(input.decisions, nowAt))
    case 'store': {
      const left = engine.changeStore(input, nowAt)
      if (left !== undefined) return undecided(left)
      return refuse('service_unavailable', 'the store has changed since this change of it was made', 'expects')
    }
  }
}

const undecided = (left: number): Refusal | undefined => {
  const message = `${left} merges or splits are not done: the board has no room to move the quotes`
  return left === 0 ? undefined : refuse('service_unavailable', message)
}
