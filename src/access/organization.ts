// Organization: who pays, on which plan, and which bookmakers it may see.

import type { Plan } from './plan.ts'

/** The bookmakers an organization may see: all, or these slugs. */
export type Entitlement = '*' | readonly string[]

/** As the store holds it. */
export interface OrganizationRecord {
  readonly id: string
  readonly name: string
  /** Name of the plan. */
  readonly plan: string
  readonly entitlement: Entitlement
}

/** As requests meet it. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly entitlement: Entitlement
}

/** Up to 100 printable characters without space around them. Ids are no names, so that `--org` is never ambiguous. */
export const isOrganizationName = (value: string): boolean =>
  /^[^\p{C}\p{Z}]([^\p{C}]{0,98}[^\p{C}\p{Z}])?$/u.test(value) && !value.startsWith('org_') && !value.startsWith('-')
