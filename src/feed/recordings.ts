// Several recordings of one format, read one after the other as if one source had sent them.

import { basename } from 'node:path'
import type { Observation } from '../domain/observation.ts'
import { FORMATS } from '../source/formats.ts'
import { NOTHING_KNOWN } from '../source/kit/normaliser.ts'
import { measure, type RecordingEnd, type RecordingFault, type RecordingOptions, readRecording } from './recording.ts'

export interface RecordingsOptions extends Omit<RecordingOptions, 'path' | 'normaliser'> {
  /** In the order in which they were received; one at least. */
  readonly paths: readonly string[]
}

const NAMED_MAX = 3

/** `a.json, b.json, c.json and 4 more`; one file by its whole path. */
export const namesOf = (paths: readonly string[]): string => {
  if (paths.length === 1) return paths[0]!
  const names = paths.slice(0, NAMED_MAX).map((path) => basename(path))
  return `${names.join(', ')}${paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : ''}`
}

/**
 * Reads recordings in the given order; each document adds to the picture of those before it. Before any of several is
 * read, all of them can be opened.
 * @returns (as the generator's last value) a fault, which names the file, at the first that cannot be read to its end;
 * earlier batches remain valid
 */
export async function* readRecordings(
  options: RecordingsOptions,
): AsyncGenerator<readonly Observation[], RecordingEnd | RecordingFault> {
  const { paths, format, account, onMalformed, onBytes, signal } = options
  if (paths.length === 1) return yield* readRecording({ ...options, path: paths[0]! })
  let bytesTotal = 0
  for (const path of paths) {
    const bytes = await measure(path)
    if (typeof bytes !== 'number') return bytes
    bytesTotal += bytes
  }
  let fileName = ''
  const facts = { ...NOTHING_KNOWN, ...options.facts, fileName: () => fileName }
  const report = (place: string, reason: string): void => onMalformed(`${fileName} ${place}`, reason)
  const { piece, normaliser: newNormaliser } = FORMATS[format]
  // Lines are read by a normaliser of each file: what one of them holds back is not continued in the next.
  const shared = piece === 'document' ? newNormaliser({ ...options, account, facts, onMalformed: report }) : undefined
  let bytesBefore = 0
  let lines = 0
  for (const path of paths) {
    fileName = basename(path)
    let bytesOfFile = 0
    const end = yield* readRecording({
      ...options,
      path,
      facts,
      onMalformed: report,
      onBytes: (bytesRead, bytes) => {
        bytesOfFile = bytes
        onBytes?.(Math.min(bytesBefore + bytesRead, bytesTotal), bytesTotal)
      },
      ...(shared === undefined ? {} : { normaliser: shared }),
    })
    if ('fault' in end) return end
    lines += end.lines
    bytesBefore += bytesOfFile
    if (end.stopped) return { lines, stopped: true }
  }
  return { lines, stopped: signal?.aborted === true }
}
