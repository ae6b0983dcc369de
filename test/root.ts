// Where the repository is, seen from a compiled test.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const findRoot = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder))

export const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)))

/** Recorded payloads of real bookmakers, where they lie beside the repository. */
export const DATA = join(ROOT, '..', 'shared', 'data')

/**
 * `test` for what needs more than the repository has. Where that is missing, one skipped test of the file says so, in the
 * place of all.
 * @param skip why they cannot be run; false: they can
 */
export const testsWith = (
  what: string,
  skip: string | false,
): ((name: string, run: (context: TestContext) => unknown) => void) => {
  if (skip !== false) {
    void test(what, { skip }, () => {})
    return () => {}
  }
  return (name, run) => {
    void test(name, async (context) => {
      await run(context)
    })
  }
}
