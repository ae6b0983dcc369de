// The build that runs.

import { readFileSync } from 'node:fs'

/** Version and revision of the program. */
export interface Build {
  readonly version: string
  /** The commit that was built; `unknown`: it was not built in a repository. */
  readonly revision: string
}

const textOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

/** From package.json, and from what `npm run build` has noted. */
export const buildOf = (): Build => {
  const { version } = JSON.parse(textOf('../../../package.json')) as { readonly version: string }
  try {
    return { version, revision: textOf('../../revision').trim() || 'unknown' }
  } catch {
    return { version, revision: 'unknown' }
  }
}
