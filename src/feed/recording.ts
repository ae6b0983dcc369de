// Recordings: files of one format, plain or gzip, read in bounded memory. Used by replay and all other readers (`feed
// explain`, `feed send`): nothing here knows an engine.

import { type FileHandle, open } from 'node:fs/promises'
import { isUtf8 } from 'node:buffer'
import { basename } from 'node:path'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import type { Observation } from '../domain/observation.ts'
import type { FedTransport } from '../domain/transport.ts'
import type { Account } from '../source/kit/account.ts'
import { FORMATS, type FormatName } from '../source/formats.ts'
import {
  type Examiner,
  type Normaliser,
  NOTHING_KNOWN,
  type RecordingLimits,
  type SourceFacts,
  isFormatFault,
} from '../source/kit/normaliser.ts'

export interface RecordingOptions {
  readonly path: string
  readonly format: FormatName
  /** The product channels that the source feeds; null: as in the recording, else `rest`. */
  readonly transport: FedTransport | null
  readonly limits: RecordingLimits
  readonly account: Account
  /** What is known of it beyond its own text; an omitted fact is unknown. */
  readonly facts?: Partial<SourceFacts> | undefined
  /** Used instead of a new normaliser of the format: it reads several documents into one picture. */
  readonly normaliser?: Normaliser
  /** Called for each line or part that could not be read and was skipped; the account has counted it already. */
  readonly onMalformed: (place: string, reason: string) => void
  /** Called with the bytes read so far, and the size of the file when it was opened. */
  readonly onBytes?: (bytesRead: number, bytesTotal: number) => void
  readonly signal?: AbortSignal
}

/** The recording could not be read, or not to its end; a sentence that names the file. */
export interface RecordingFault {
  readonly fault: string
}

/** The result of a reading that came to the end, or to the signal. */
export interface RecordingEnd {
  /** Lines that are not empty, including malformed ones and a header; 0 for a document. */
  readonly lines: number
  readonly stopped: boolean
}

const CHUNK_BYTES = 64 * 1024

// A document gives its observations at once; the event loop runs after each of these batches.
const OBSERVATIONS_A_BATCH = 256

const LF = 0x0a
const CR = 0x0d
const BYTE_ORDER_MARK = '\ufeff'

const OPEN_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  EISDIR: 'is a folder, not a file',
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  // zlib says "unexpected end of file" of a truncated member, and means the packed data.
  if (code === 'Z_BUF_ERROR') return 'is truncated: its gzip data has no end'
  if (code.startsWith('Z_')) return `is damaged: its gzip data cannot be unpacked (${(error as Error).message})`
  return OPEN_FAULTS[code] ?? `cannot be read (${error instanceof Error ? error.message : String(error)})`
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

interface OpenFile {
  readonly handle: FileHandle
  readonly bytesTotal: number
  readonly gzip: boolean
}

const openFile = async (path: string): Promise<OpenFile | RecordingFault> => {
  const name = basename(path)
  let handle: FileHandle | undefined
  try {
    handle = await open(path)
    const stats = await handle.stat()
    let reason: string | undefined
    if (stats.isDirectory()) reason = OPEN_FAULTS.EISDIR
    else if (!stats.isFile())
      reason = 'is not a file' // a pipe cannot be read twice, nor measured
    else {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
      const gzip = bytesRead === 2 && isGzip(buffer)
      if (gzip || !name.endsWith('.gz')) return { handle, bytesTotal: stats.size, gzip }
      reason = 'is not gzip, though its name says so'
    }
    await handle.close()
    return { fault: `${path} ${reason}` }
  } catch (error) {
    await handle?.close()
    return { fault: `${path} ${reasonOf(error)}` }
  }
}

/** The size of a recording that can be opened, in bytes. */
export const measure = async (path: string): Promise<number | RecordingFault> => {
  const file = await openFile(path)
  if (isFormatFault(file)) return file
  await file.handle.close()
  return file.bytesTotal
}

/**
 * The unpacked bytes of an open file, up to the size it had; the handle is closed at the end. Throws errors of reading.
 */
async function* chunksOf(file: OpenFile, onBytes: (bytesRead: number) => void): AsyncGenerator<Buffer> {
  if (file.bytesTotal === 0) {
    await file.handle.close()
    return
  }
  // Up to the size it had: both passes of a rebase see the same data of a file that grows.
  const source = file.handle.createReadStream({ start: 0, end: file.bytesTotal - 1, highWaterMark: CHUNK_BYTES })
  const bytes = file.gzip ? source.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : source
  source.on('error', (error) => bytes.destroy(error))
  try {
    for await (const chunk of bytes) {
      onBytes(source.bytesRead)
      yield chunk as Buffer
    }
  } finally {
    bytes.destroy()
    source.destroy()
  }
}

/** A line: its text, or why it has none. */
type Line = { readonly number: number; readonly text: string } | { readonly number: number; readonly malformed: string }

/** Splits bytes into lines. Holds at most one line, and nothing of one that is too long. */
class LineSplitter {
  private readonly lineBytesMax: number
  private parts: Buffer[] = []
  private partBytes = 0
  private tooLong = false
  private number = 0

  constructor(lineBytesMax: number) {
    this.lineBytesMax = lineBytesMax
  }

  /** The lines that end in this chunk, without empty ones. */
  split(chunk: Buffer): Line[] {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      this.finish(chunk.subarray(start, end), lines)
      start = end + 1
    }
    if (start < chunk.length) this.keep(chunk.subarray(start))
    return lines
  }

  /** The last line, when the file does not end in a line end. */
  end(): Line[] {
    const lines: Line[] = []
    if (this.partBytes > 0 || this.tooLong) this.finish(Buffer.alloc(0), lines)
    return lines
  }

  private keep(part: Buffer): void {
    this.partBytes += part.length
    // One more than allowed may still be the CR of the line end.
    if (this.partBytes > this.lineBytesMax + 1) {
      this.tooLong = true
      this.parts = []
      this.partBytes = 0
    }
    if (!this.tooLong) this.parts.push(part)
  }

  private finish(last: Buffer, lines: Line[]): void {
    this.number++
    const number = this.number
    let bytes = last
    if (this.partBytes > 0) {
      this.keep(last)
      bytes = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts)
    }
    if (bytes[bytes.length - 1] === CR) bytes = bytes.subarray(0, -1)
    if (this.tooLong || bytes.length > this.lineBytesMax) {
      lines.push({ number, malformed: `is longer than ${this.lineBytesMax} bytes` })
    } else {
      let text = bytes.toString('utf8')
      if (number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1)
      if (text.includes('\ufffd') && !isUtf8(bytes)) lines.push({ number, malformed: 'is not UTF-8' })
      else if (text.trim() !== '') lines.push({ number, text })
    }
    this.parts = []
    this.partBytes = 0
    this.tooLong = false
  }
}

/**
 * Reads the lines of a file for checks that need the whole of it. Errors of reading are left to the reading after that,
 * which publishes no more of the file than was examined.
 * @returns how many bytes were examined, or why nothing of the file may be published
 */
const examine = async (
  { path, limits, signal }: RecordingOptions,
  examiner: Examiner,
): Promise<number | RecordingFault> => {
  const file = await openFile(path)
  if (isFormatFault(file)) return file
  const splitter = new LineSplitter(limits.lineBytesMax)
  const examineLines = (lines: readonly Line[]): void => {
    for (const line of lines) if ('text' in line) examiner.read(line.text, line.number)
  }
  try {
    for await (const chunk of chunksOf(file, () => {})) {
      examineLines(splitter.split(chunk))
      await nextIteration()
      if (signal?.aborted === true) return file.bytesTotal
    }
    examineLines(splitter.end())
  } catch (error) {
    if (codeOf(error) === '') throw error
  }
  const fault = examiner.end()
  return fault === undefined ? file.bytesTotal : { fault: `${path} ${fault.fault}` }
}

interface Reading {
  readonly options: RecordingOptions
  readonly normaliser: Normaliser
  lines: number
}

const malformedLine = ({ options }: Reading, line: number, reason: string): void => {
  options.account.malformed++
  options.onMalformed(`line ${line}`, reason)
}

const observationsOf = (reading: Reading, lines: readonly Line[]): Observation[] | RecordingFault => {
  const observations: Observation[] = []
  for (const line of lines) {
    reading.lines++
    if ('malformed' in line) {
      malformedLine(reading, line.number, line.malformed)
      continue
    }
    const result = reading.normaliser.read(line.text, line.number)
    if (isFormatFault(result)) return result
    observations.push(...result)
  }
  return observations
}

async function* readLines(
  reading: Reading,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<readonly Observation[], RecordingFault | undefined> {
  const splitter = new LineSplitter(reading.options.limits.lineBytesMax)
  for await (const chunk of chunks) {
    const observations = observationsOf(reading, splitter.split(chunk))
    if (isFormatFault(observations)) return observations
    yield observations
    if (reading.options.signal?.aborted === true) return undefined
  }
  const last = observationsOf(reading, splitter.end())
  if (isFormatFault(last)) return last
  const held = reading.normaliser.end()
  if (isFormatFault(held)) return held
  yield [...last, ...held]
  return undefined
}

async function* readDocument(
  reading: Reading,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<readonly Observation[], RecordingFault | undefined> {
  const { documentBytesMax } = reading.options.limits
  const parts: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    length += chunk.length
    if (length > documentBytesMax) return { fault: `is longer than ${documentBytesMax} bytes` }
    if (reading.options.signal?.aborted === true) return undefined
  }
  const bytes = Buffer.concat(parts)
  if (!isUtf8(bytes)) return { fault: 'is not UTF-8' }
  const text = bytes.toString('utf8')
  const result = reading.normaliser.read(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text, 1)
  if (isFormatFault(result)) return result
  let batch: Observation[] = []
  for (const observation of result) {
    batch.push(observation)
    if (batch.length < OBSERVATIONS_A_BATCH) continue
    yield batch
    if (reading.options.signal?.aborted === true) return undefined
    batch = []
  }
  const held = reading.normaliser.end()
  if (isFormatFault(held)) return held
  yield [...batch, ...held]
  return undefined
}

/**
 * Reads a recording into observations, in the order of the file. Yields them in batches of a few milliseconds' work,
 * and lets the event loop run after each. Where each outcome ended is in `options.account`.
 * @returns (as the generator's last value) a fault when the file cannot be read to its end; earlier batches remain
 * valid
 */
export async function* readRecording(
  options: RecordingOptions,
): AsyncGenerator<readonly Observation[], RecordingEnd | RecordingFault> {
  const { path, format, signal, onBytes } = options
  const isStopped = (): boolean => signal?.aborted === true
  if (isStopped()) return { lines: 0, stopped: true }
  const facts = { ...NOTHING_KNOWN, fileName: () => basename(path), ...options.facts }
  const normaliser = options.normaliser ?? FORMATS[format].normaliser({ ...options, facts })
  const reading: Reading = { options, normaliser, lines: 0 }
  const examiner = FORMATS[format].examiner?.(facts)
  const examined = examiner === undefined ? Number.POSITIVE_INFINITY : await examine(options, examiner)
  if (typeof examined !== 'number') return examined
  if (isStopped()) return { lines: 0, stopped: true }
  const opened = await openFile(path)
  if (isFormatFault(opened)) return opened
  // Of a file that has grown meanwhile, what was examined.
  const file = { ...opened, bytesTotal: Math.min(opened.bytesTotal, examined) }
  const chunks = chunksOf(file, (bytesRead) => onBytes?.(bytesRead, file.bytesTotal))
  const batches = FORMATS[format].piece === 'line' ? readLines(reading, chunks) : readDocument(reading, chunks)
  try {
    for (;;) {
      const step = await batches.next()
      if (step.done === true) {
        if (step.value !== undefined) return { fault: `${path} ${step.value.fault}` }
        if (!isStopped()) onBytes?.(file.bytesTotal, file.bytesTotal)
        return { lines: reading.lines, stopped: isStopped() }
      }
      yield step.value
      // Without this a file in the page cache would block the event loop from its first byte to its last.
      await nextIteration()
    }
  } catch (error) {
    // Only the file system and zlib throw here; an error without a code is our bug, and must not be hidden.
    if (codeOf(error) === '') throw error
    return { fault: `${path} ${reasonOf(error)}` }
  } finally {
    await batches.return(undefined)
  }
}
