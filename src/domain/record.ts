// An object parsed from JSON, with unchecked members.

/** Whether a value is an object with members, and neither null nor an array. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
