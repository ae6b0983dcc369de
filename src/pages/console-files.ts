// The browser side of the portal as `npm run build` has made it (src/console/), read once at the start.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ConsoleFile {
  readonly body: Buffer
  readonly gzip: Buffer | undefined
  readonly contentType: string
  /** Its name has a hash of its content. */
  readonly isImmutable: boolean
}

/** What a page loads; paths from the root, without a slash before. */
export interface PageFiles {
  readonly scripts: readonly string[]
  readonly styles: readonly string[]
  /** Scripts that are needed soon. */
  readonly preloads: readonly string[]
}

/** By path, with a slash before; and what each page loads. */
export interface Console {
  readonly files: ReadonlyMap<string, ConsoleFile>
  readonly of: (page: string) => PageFiles
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** An entry of the manifest of vite. */
interface Chunk {
  readonly file: string
  readonly css?: readonly string[]
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
}

type Manifest = Readonly<Record<string, Chunk>>

const ENTRY = 'main.tsx'

/** Nothing is loaded: the pages say so. */
export const NO_CONSOLE: Console = { files: new Map(), of: () => ({ scripts: [], styles: [], preloads: [] }) }

const withImports = (manifest: Manifest, name: string, seen = new Set<string>()): readonly Chunk[] => {
  const chunk = manifest[name]
  if (chunk === undefined || seen.has(name)) return []
  seen.add(name)
  return [chunk, ...(chunk.imports ?? []).flatMap((other) => withImports(manifest, other, seen))]
}

const pageFiles = (manifest: Manifest, page: string): PageFiles => {
  const own = withImports(manifest, ENTRY)
  // A page's file is named after it, see src/console/main.tsx.
  const source = manifest[ENTRY]?.dynamicImports?.find((name) => name.endsWith(`/${page}-page.tsx`))
  const later = source === undefined ? [] : withImports(manifest, source)
  const styles = [...own, ...later].flatMap(({ css = [] }) => css)
  return {
    scripts: own.slice(0, 1).map(({ file }) => file),
    styles: [...new Set(styles)],
    preloads: [...new Set([...own.slice(1), ...later].map(({ file }) => file))].filter((file) => file !== own[0]?.file),
  }
}

/** @param folder dist/console  @returns undefined where it is not built */
export const readConsole = (folder: string): Console | undefined => {
  let manifest: Manifest
  let names: readonly string[]
  try {
    manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as Manifest
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return undefined
  }
  const known = new Set(names)
  const files = new Map<string, ConsoleFile>()
  for (const name of names) {
    const contentType = CONTENT_TYPES[name.split('.').at(-1)!]
    if (contentType === undefined) continue
    files.set(`/${name.replaceAll('\\', '/')}`, {
      body: readFileSync(join(folder, name)),
      gzip: known.has(`${name}.gz`) ? readFileSync(join(folder, `${name}.gz`)) : undefined,
      contentType,
      isImmutable: name.startsWith('assets'),
    })
  }
  return { files, of: (page) => pageFiles(manifest, page) }
}
