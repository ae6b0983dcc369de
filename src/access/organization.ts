// Organization: a customer, its plan, and the bookmakers that it may see.

import { hasHidden } from '../domain/safe-text.ts'
import type { Plan } from './plan.ts'

/** The bookmakers that an organization may see: all, or these slugs. */
export type Entitlement = '*' | readonly string[]

/** An organization in the store. */
export interface OrganizationRecord {
  readonly id: string
  readonly name: string
  /** Name of the plan. */
  readonly plan: string
  readonly entitlement: Entitlement
}

/** An organization with its plan, as requests use it. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly entitlement: Entitlement
}

/**
 * Up to 100 printable characters in NFC, with single spaces of ASCII only between them, so that no two names differ in what nobody sees.
 * An id is no name, so that `--org` is never ambiguous.
 */
export const isOrganizationName = (value: string): boolean =>
  /^[^\p{C}\p{Z}](([^\p{C}\p{Z}]| (?! )){0,98}[^\p{C}\p{Z}])?$/u.test(value) &&
  value === value.normalize('NFC') &&
  !hasHidden(value) &&
  !value.startsWith('org_') &&
  !value.startsWith('-')
