// What a folder of `source/` exports: how the source is configured and started, and the formats that it reads.

import type { TSchema } from 'typebox'
import type { Cadence } from './cadence.ts'
import type { Connector, ConnectorContext } from './connector.ts'
import type { Formats } from './format.ts'
import type { PlainField, PlainParts } from './plain-field.ts'
import type { Planner } from './planner.ts'

/** How a source is watched and started. */
export interface Start {
  readonly cadence: Cadence
  readonly connect: (context: ConnectorContext) => Connector
  /** Why it is never started; null or omitted: it is. */
  readonly never?: string | null
}

/** A kind of source that the configuration can name. */
export interface Kind {
  /** The schema of its settings; its `kind` is the name of this kind. */
  settings(formats: Formats): TSchema
  /** Notes in the planner where a setting is wrong in a way that the schema does not show. */
  start(planner: Planner, settings: object): Start
  /** Fields that would send a secret unencrypted; omitted: it has no secrets. */
  plainFields?(settings: object, parts: PlainParts): readonly PlainField[]
}

export interface Source {
  /** By name; omitted: only its connector reads its payloads. */
  readonly formats?: Formats
  /** By name; omitted: its payloads come from files and brokers only. */
  readonly kinds?: Readonly<Record<string, Kind>>
}
