// The two contracts as the reference reads them (OpenAPI 3.1, AsyncAPI 3.0): the members that it shows, and what
// references in them lead to.

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly const?: string
  readonly default?: string | number | boolean
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly examples?: readonly unknown[]
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

export interface Answered {
  readonly $ref?: string
  readonly description?: string
  readonly headers?: Readonly<Record<string, Schema & { readonly schema?: Schema }>>
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema?: Schema; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> }
    >
  >
}

export interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly operationId?: string
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly responses?: Readonly<Record<string, Answered>>
}

export interface OpenApi {
  readonly info: { readonly version: string; readonly description?: string }
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
}

export interface Example {
  readonly summary?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: unknown
}

export interface Message {
  readonly name?: string
  readonly summary?: string
  readonly description?: string
  readonly 'x-stomp-command'?: string
  readonly headers?: Schema
  readonly payload?: Schema
  readonly examples?: readonly Example[]
}

export interface Channel {
  readonly address: string | null
  readonly summary?: string
  readonly description?: string
  readonly parameters?: Readonly<Record<string, Schema>>
  readonly messages?: Readonly<Record<string, Message>>
}

export interface Server {
  readonly host: string
  readonly pathname?: string
  readonly protocol: string
  readonly description?: string
}

export interface AsyncOperation {
  readonly action: 'send' | 'receive'
  readonly channel: { readonly $ref: string }
  readonly summary?: string
  readonly description?: string
}

export interface AsyncApi {
  readonly info: { readonly description?: string }
  readonly servers: Readonly<Record<string, Server>>
  readonly channels: Readonly<Record<string, Channel>>
  readonly operations: Readonly<Record<string, AsyncOperation>>
  readonly 'x-error-codes'?: Readonly<Record<string, string>>
}

/** What a reference within a document leads to. */
export const resolved = <T extends object>(document: object, part: T & { readonly $ref?: string }): T => {
  if (part.$ref === undefined) return part
  let found: unknown = document
  for (const step of part.$ref.replace(/^#\//, '').split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    found = (found as Readonly<Record<string, unknown>> | undefined)?.[name]
  }
  return { ...(found as T | undefined), ...part, $ref: undefined } as unknown as T
}

export interface Field {
  /** From the body on: `data[].event.id`. */
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
  /** Values that it may have; empty: all of its type. */
  readonly values: readonly string[]
}

const DEPTH_MAX = 8

const typeOf = (document: object, { type, format, items, const: only }: Schema): string => {
  if (only !== undefined) return `"${only}"`
  const text = typeof type === 'string' ? type : (type?.join(' or ') ?? 'any')
  if (items !== undefined) return `list of ${typeOf(document, resolved<Schema>(document, items))}`
  return format === undefined ? text : `${text} (${format})`
}

/** All fields of a body, those within others too, in their order. */
export const fieldsOf = (document: object, schema: Schema, prefix = '', depth = 0): readonly Field[] => {
  if (depth > DEPTH_MAX) return []
  const known = resolved<Schema>(document, schema)
  const fields: Field[] = []
  for (const part of [...(known.allOf ?? []), ...(known.anyOf ?? [])]) {
    for (const field of fieldsOf(document, part, prefix, depth + 1)) {
      if (!fields.some(({ path }) => path === field.path)) fields.push(field)
    }
  }
  for (const [name, property] of Object.entries(known.properties ?? {})) {
    const inner = resolved<Schema>(document, property)
    const path = `${prefix}${name}`
    fields.push({
      path,
      type: typeOf(document, inner),
      isRequired: known.required?.includes(name) === true,
      description: inner.description ?? '',
      values: inner.enum ?? [],
    })
    fields.push(...fieldsOf(document, inner, `${path}.`, depth + 1))
  }
  if (known.items !== undefined)
    fields.push(...fieldsOf(document, known.items, `${prefix.replace(/\.$/, '')}[].`, depth + 1))
  return fields
}
