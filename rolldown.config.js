// The program as few files, so that a start reads few: `dist/src/main.js`, and `dist/src/bundle/` with its threads.
// Packages of many small modules are included (typebox 700); others stay as they are installed.

import { defineConfig } from 'rolldown'

export default defineConfig({
  platform: 'node',
  input: {
    main: 'src/main.ts',
    'bundle/store-thread': 'src/access/store-thread.ts',
    'bundle/checkpoint-thread': 'src/command/checkpoint-thread.ts',
    'bundle/quick-writer-thread': 'src/log/quick-writer-thread.ts',
    'bundle/part-reader-thread': 'src/log/part-reader-thread.ts',
  },
  external: (id) => !/^[./]|^(?:typebox|saxes|xmlchars|msgpackr)/.test(id),
  output: {
    dir: 'dist/src',
    format: 'esm',
    sourcemap: true,
    // Comments and blanks are a part of what a start reads; names stay, for stack traces.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    // As deep as the modules were that look for files beside them.
    chunkFileNames: 'bundle/[name].js',
  },
})
