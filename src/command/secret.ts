// The key of a command, given so that no process list shows it.

import { type Fault, fault } from '../access/fault.ts'
import { keyFromEnvironment } from '../config.ts'

/** Its paragraph of help. */
export const KEY_HELP =
  'default: the variable ODDSWIRE_KEY; "-": the first line of stdin; an argument is visible in the process list'

/** A secret has some sixty octets. */
const LINE_BYTES_MAX = 1024

/** Resolves to the key: as given, from stdin for `-`, from the environment if none is given; undefined: none found. */
export const readKey = async (given: string | undefined): Promise<string | Fault | undefined> => {
  if (given === undefined) return keyFromEnvironment()
  return given === '-' ? readLine() : given
}

const readLine = async (): Promise<string | Fault> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (chunk.includes('\n') || bytes > LINE_BYTES_MAX) break
  }
  const line = Buffer.concat(chunks).toString('utf8').split('\n', 1)[0]!.trim()
  if (line.length > LINE_BYTES_MAX) return fault('stdin has no key: its first line is too long')
  return line === '' ? fault('stdin has no key: its first line is empty') : line
}
