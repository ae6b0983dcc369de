// Files of deploy/, and the programs that check them.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../root.ts'

/** Text of a file of the repository. */
export const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** For `skip` of tests: false where the program can be run. */
export const missing = (program: string): string | false =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0 && `${program} is not installed`

/** Words of an expression of PromQL that are names of metrics: not functions, keywords, labels or variables. */
export const metricsIn = (expression: string): string[] => {
  const plain = expression
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
  return (plain.match(/\b[a-z][a-z0-9_]+\b(?!\s*\()/g) ?? []).filter((word) => !KEYWORDS.has(word))
}

const KEYWORDS = new Set(['by', 'without', 'on', 'ignoring', 'and', 'or', 'unless', 'sum', 'max', 'min', 'avg', 'bool'])
