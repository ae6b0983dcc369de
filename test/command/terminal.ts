// Commands on a real terminal, as script(1) makes one.

import { spawnSync } from 'node:child_process'
import { MAIN } from '../service.ts'

/** For `skip` of tests. */
export const terminalMissing = spawnSync('script', ['--version']).status !== 0 && 'script(1) is not here'

/** Runs `oddswire …` on a terminal of so many columns. stdout and stderr are one there. */
export const onTerminal = (
  columns: number,
  ...args: readonly string[]
): { readonly code: number | null; readonly lines: string[] } => {
  const words = [process.execPath, MAIN, ...args].map((word) => `'${word}'`)
  const line = `stty cols ${columns}; exec ${words.join(' ')}`
  const { status, stdout } = spawnSync('script', ['-qec', line, '/dev/null'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, SHELL: '/bin/sh' },
  })
  return { code: status, lines: stdout.trimEnd().split(/\r*\n/) }
}
