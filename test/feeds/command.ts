// The command line beside servers of this very process: a command must not be waited for in silence.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { endedWithTests } from '../children.ts'
import { type CommandResult, MAIN } from '../service.ts'

/** Runs a command to its end. */
export const command = async (dataDir: string, ...args: string[]): Promise<CommandResult> => {
  const child = endedWithTests(spawn(process.execPath, [MAIN, ...args, '--data-dir', dataDir]))
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr, last: stdout.trimEnd().split('\n').at(-1)! }
}

/** The same, expected to succeed: its rows. */
export const rows = async (dataDir: string, ...args: string[]): Promise<Record<string, unknown>[]> => {
  const result = await command(dataDir, ...args)
  assert.equal(result.code, 0, `oddswire ${args.join(' ')}: ${result.stderr}`)
  return rowsIn(result.stdout)
}

export const rowsIn = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
