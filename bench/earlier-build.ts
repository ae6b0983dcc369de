// An earlier commit of this repository, built in a folder of its own, so that its benches and those of the work tree take turns
// on one machine. A stored row is of another machine, or of this one on another day: what it says is a suspicion.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Run } from './run.ts'

/** Of a build, or of what npm or git say. */
const OUTPUT_MAX = 2 ** 26

export interface EarlierBuild {
  /** Runs targets of that commit in their short form, by its own programs. Throws where they leave no figures. */
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
    const tree = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: root,
      maxBuffer: OUTPUT_MAX,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    execFileSync('tar', ['-x', '-C', folder], { input: tree })
    addPackages(root, folder)
    command(folder, 'npm', 'run', '--silent', 'build')
  } catch (error) {
    remove()
    const why = `commit ${commit} cannot be built here. Where this clone has not all commits: git fetch --unshallow`
    throw new Error(`${why}\n${(error as Error).message}`, { cause: error })
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
      return JSON.parse(readFileSync(file, 'utf8')) as Run
    },
    remove,
  }
}
