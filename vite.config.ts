// The browser side of the portal: src/console/ into dist/console/, a file per page, with a gzip form beside each.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { defineConfig } from 'vite'

const OUT = join(import.meta.dirname, 'dist', 'console')

const precompress = {
  name: 'precompress',
  closeBundle() {
    for (const path of readdirSync(OUT, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|css|svg)$/.test(path)) continue
      const file = join(OUT, path)
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }))
    }
  },
}

export default defineConfig({
  root: join(import.meta.dirname, 'src', 'console'),
  // Files find each other by where they are, under any public address.
  base: './',
  logLevel: 'warn',
  plugins: [precompress],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    // Else an inline script, and files within files.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: { input: join(import.meta.dirname, 'src', 'console', 'main.tsx') },
  },
})
