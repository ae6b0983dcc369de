// A message of the exchange stream, as far as the connection is concerned: all of it but the changes of markets. Those,
// nearly all of the bytes, are the normaliser's, and need not be parsed twice.

/** Fields of other types than given here are as if they were missing. */
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
  /** `SUB_IMAGE`, `RESUB_DELTA`, `HEARTBEAT`; none of an ordinary change. */
  readonly ct: string | undefined
  /** It is whole, or the last segment of what came in segments. */
  readonly isWhole: boolean
  readonly initialClk: string | undefined
  readonly clk: string | undefined
  /** When it was published, epoch ms. */
  readonly pt: number | undefined
  readonly heartbeatMs: number | undefined
  /** Of an `mcm`: 503 while the exchange cannot tell that its prices are of now. */
  readonly status: number | undefined
}

type Fields = Readonly<Record<string, unknown>>

// Quotes within a text are escaped: these bytes are the field itself, or one of an object before it, and then what is cut
// off is no JSON.
const CHANGES = ',"mc":['

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** The fields before the changes, where nothing follows them; undefined: the line must be read whole. */
const fieldsBeforeChanges = (line: string): Fields | undefined => {
  const end = line.indexOf(CHANGES)
  if (end === -1 || !line.endsWith(']}')) return undefined
  try {
    return JSON.parse(`${line.slice(0, end)}}`) as Fields
  } catch {
    return undefined
  }
}

/** Reads a line; a text says why it is no message, with the position where JSON broke. The changes may still be none. */
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
