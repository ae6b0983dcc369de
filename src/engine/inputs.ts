// Inputs: how the engine applies each kind of them (domain/input.ts).

import type { Input } from '../domain/input.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import type { Engine } from './engine.ts'

/** Applies an input. Returns why it was not applied, or not completely. */
export const applyInput = (engine: Engine, input: Input, nowAt: number): Refusal | undefined => {
  switch (input.kind) {
    case 'observe':
      return engine.observe(input.observation, nowAt, input.producer, input.doubt)
    case 'commit':
      return engine.commit(input.observations, nowAt)
    case 'suspect':
      engine.suspect(input.producer, nowAt, input.doubt)
      return undefined
    case 'confirm':
      engine.confirm(input.producer, input.at, nowAt)
      return undefined
    case 'end':
      engine.end(input.producer, input.at, nowAt)
      return undefined
    case 'leave':
      engine.leave(input.producer, nowAt, input.doubt)
      return undefined
    case 'health':
      engine.noteHealth(input.health, nowAt)
      return undefined
    case 'decide': {
      const left = engine.decide(input.decisions, nowAt)
      const message = `${left} merges or splits are not done: the board has no room to move the quotes`
      return left === 0 ? undefined : refuse('service_unavailable', message)
    }
  }
}
