// Aliases of names from the tables of src/identity/ into dist/src/identity/aliases.json, after tsc.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aliasTexts } from './dist/src/identity/alias-rows.js'

writeFileSync(join(import.meta.dirname, 'dist/src/identity/aliases.json'), JSON.stringify(aliasTexts()))
