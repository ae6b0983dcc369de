// Where the repository is, seen from a compiled test.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const findRoot = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder))

export const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)))

/** Recorded payloads of real bookmakers, where they lie beside the repository. */
export const DATA = join(ROOT, '..', 'shared', 'data')
