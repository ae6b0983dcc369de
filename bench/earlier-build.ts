// An earlier commit of this repository, built in a folder of its own, so that its benches and those of the work tree take turns
// on one machine. A stored row is of another machine, or of this one on another day: what it says is a suspicion.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Run } from './run.ts'

/** Of a build, or of what npm or git say. */
const OUTPUT_MAX = 2 ** 26

export interface EarlierBuild {
  /** Runs targets of that commit in their short form, by its own programs. Throws where one fails. */
  readonly run: (ids: readonly string[]) => Run
  readonly remove: () => void
}

const command = (cwd: string, file: string, ...args: readonly string[]): void => {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd, encoding: 'utf8', maxBuffer: OUTPUT_MAX })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}${stderr}`)
}

/** Its packages are those of the work tree where both lock the same ones. */
const addPackages = (root: string, folder: string): void => {
  const lock = (of: string): string => readFileSync(join(of, 'package-lock.json'), 'utf8')
  if (lock(root) === lock(folder)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else command(folder, 'npm', 'ci', '--no-audit', '--no-fund')
}

/**
 * Builds a commit in a temporary folder.
 * @param root of the repository
 * @throws {Error} the repository does not have the commit (a shallow clone), or it cannot be built here
 */
export const buildEarlier = (root: string, commit: string): EarlierBuild => {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-earlier-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const { status, error, stdout, stderr } = spawnSync('git', ['archive', '--format=tar', commit], {
      cwd: root,
      maxBuffer: OUTPUT_MAX,
    })
    if (status !== 0) {
      const why = error?.message ?? `git archive: ${stderr.toString().trim()}`
      throw new Error(`${why}\nA shallow clone lacks it: git fetch --unshallow`)
    }
    execFileSync('tar', ['-x', '-C', folder], { input: stdout })
    addPackages(root, folder)
    command(folder, 'npm', 'run', '--silent', 'build')
  } catch (error) {
    remove()
    throw new Error(`commit ${commit} cannot be built here: ${(error as Error).message}`, { cause: error })
  }
  return {
    run: (ids) => {
      const file = join(folder, 'dist', 'earlier.json')
      rmSync(file, { force: true })
      // What it prints is a table, which would be taken for that of the work tree.
      spawnSync(process.execPath, [join(folder, 'dist', 'bench', 'main.js'), ...ids, '--short', '--json', file], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      if (!existsSync(file)) throw new Error(`the benches of ${commit} left no figures`)
      const run = JSON.parse(readFileSync(file, 'utf8')) as Run
      const failed = run.targets.filter((target) => target.failed.length > 0).map(({ id }) => id)
      if (failed.length > 0) throw new Error(`benches of ${commit} failed: ${failed.join(', ')}`)
      return run
    },
    remove,
  }
}
