// Decisions about events, in the store.

import type { Decision } from '../domain/event-identity.ts'
import { type Fault, fault } from './fault.ts'
import type { Tables, Written } from './tables.ts'

/** One decision: about every pair of keys of the events that were named. */
export interface DecisionRecord {
  readonly id: number
  /** Epoch ms. */
  readonly at: number
  readonly kind: Decision['kind']
  readonly decisions: readonly Decision[]
  /** Whether any of it is in effect: a later decision about the same keys, or the same name, overrides it. */
  readonly holds: boolean
}

type Row = Omit<DecisionRecord, 'decisions' | 'holds'> & { readonly decisions: string }

export class DecisionRecords {
  private readonly tables: Tables

  constructor(tables: Tables) {
    this.tables = tables
  }

  /** All that were made and not undone, oldest first. */
  all(): DecisionRecord[] {
    const rows = this.tables
      .all<Row>('SELECT * FROM eventDecisions ORDER BY id')
      .map((row) => ({ ...row, decisions: JSON.parse(row.decisions) as Decision[] }))
    const winners = winnersOf(rows.flatMap(({ decisions }) => decisions))
    return rows.map((row) => ({ ...row, holds: row.decisions.some((decision) => winners.has(decision)) }))
  }

  /** Those in effect, oldest first: one for each pair of keys, and for each name in a sport. */
  holding(): Decision[] {
    return [...winnersOf(this.all().flatMap(({ decisions }) => decisions))]
  }

  /** Adds decisions as one, which {@link remove} undoes as one. They are of one kind. */
  add(decisions: readonly [Decision, ...Decision[]], at: number): Written & { readonly id: number } {
    const { tables } = this
    return tables.write(() => {
      const id = tables.run('INSERT INTO eventDecisions (at, kind, decisions) VALUES (?, ?, ?)', [
        at,
        decisions[0].kind,
        JSON.stringify(decisions),
      ])
      return { id, ...tables.note(at, 'event decide', String(id), { decisions }) }
    })
  }

  /** Undoes a decision; an earlier one about the same is in effect again. */
  remove(id: number, at: number): Written | Fault {
    const { tables } = this
    return tables.write(() => {
      const row = tables.get<Row>('SELECT * FROM eventDecisions WHERE id = ?', [id])
      if (row === undefined) return fault(`there is no decision ${id}; oddswire event decisions shows them all`)
      tables.run('DELETE FROM eventDecisions WHERE id = ?', [id])
      return tables.note(at, 'event undo', String(id), { decisions: JSON.parse(row.decisions) })
    })
  }
}

/** What a decision is about, regardless of the order of its keys and the spelling of its name. */
const topicOf = (decision: Decision): string => {
  if (decision.kind === 'alias') return JSON.stringify([decision.sport, decision.name.toLowerCase()])
  if (decision.kind === 'suspend') return JSON.stringify(['suspend', decision.bookmaker, decision.event])
  return JSON.stringify(['keys', ...decision.keys.toSorted()])
}

const winnersOf = (decisions: readonly Decision[]): Set<Decision> => {
  const winners = new Map<string, Decision>()
  for (const decision of decisions) {
    const topic = topicOf(decision)
    // Moves to the end: the order is that of the decisions in effect.
    winners.delete(topic)
    winners.set(topic, decision)
  }
  return new Set(winners.values())
}
