// A message of the exchange stream without its changes of markets. Those, nearly all of the bytes, are the
// normaliser's, and need not be parsed twice.

/** Fields of other types than given here count as missing. */
export interface StreamMessage {
  readonly op: string
  /** Number of the request that a `status` answers. */
  readonly id: number | undefined
  /** `SUCCESS` or `FAILURE`, of a `status`. */
  readonly statusCode: string | undefined
  readonly errorCode: string | undefined
  readonly errorMessage: string | undefined
  readonly connectionClosed: boolean
  readonly connectionId: string | undefined
  /** `SUB_IMAGE`, `RESUB_DELTA`, `HEARTBEAT`; undefined for an ordinary change. */
  readonly ct: string | undefined
  /** It is complete, or the last of its segments. */
  readonly isWhole: boolean
  readonly initialClk: string | undefined
  readonly clk: string | undefined
  /** When it was published, epoch ms. */
  readonly pt: number | undefined
  readonly heartbeatMs: number | undefined
  /** Of an `mcm`: 503 while the exchange cannot vouch for its prices. */
  readonly status: number | undefined
}

type Fields = Readonly<Record<string, unknown>>

// Quotes within a text are escaped: these bytes are the field itself, or one of an object before it, and then the part
// before them is no JSON.
const CHANGES = ',"mc":['

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** The fields before the changes, where nothing follows them; undefined: the whole line must be parsed. */
const fieldsBeforeChanges = (line: string): Fields | undefined => {
  const end = line.indexOf(CHANGES)
  if (end === -1 || !line.endsWith(']}')) return undefined
  try {
    return JSON.parse(`${line.slice(0, end)}}`) as Fields
  } catch {
    return undefined
  }
}

/**
 * Reads a line; a text says why it is no message, with the position where JSON broke. The changes may still be invalid.
 */
export const readMessage = (line: string): StreamMessage | string => {
  let fields: Fields
  try {
    fields = fieldsBeforeChanges(line) ?? (Object(JSON.parse(line)) as Fields)
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
  const op = textOf(fields.op)
  if (op === undefined) return 'has no op'
  const { segmentType } = fields
  return {
    op,
    id: numberOf(fields.id),
    statusCode: textOf(fields.statusCode),
    errorCode: textOf(fields.errorCode),
    errorMessage: textOf(fields.errorMessage),
    connectionClosed: fields.connectionClosed === true,
    connectionId: textOf(fields.connectionId),
    ct: textOf(fields.ct),
    isWhole: segmentType === undefined || segmentType === null || segmentType === 'SEG_END',
    initialClk: textOf(fields.initialClk),
    clk: textOf(fields.clk),
    pt: numberOf(fields.pt),
    heartbeatMs: numberOf(fields.heartbeatMs),
    status: numberOf(fields.status),
  }
}
