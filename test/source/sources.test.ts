// The list of sources: what follows from it would lose a source without a word if two of them had the same name.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Value from 'typebox/value'
import { FORMAT_NAMES, FORMATS } from '../../src/source/formats.ts'
import type { Source } from '../../src/source/kit/source.ts'
import { SOURCES } from '../../src/source/sources.ts'

const named = (part: keyof Source): string[] => SOURCES.flatMap((source: Source) => Object.keys(source[part] ?? {}))

test('no two sources have a format or a kind of the same name', () => {
  assert.deepEqual(FORMAT_NAMES, named('formats'))
  assert.deepEqual([...new Set(named('kinds'))], named('kinds'))
})

test('the schema of a kind accepts that kind and no other', () => {
  for (const { kinds = {} } of SOURCES as readonly Source[]) {
    for (const [name, kind] of Object.entries(kinds)) {
      const isKindTaken = (value: string): boolean =>
        !Value.Errors(kind.settings(FORMATS), { kind: value }).some(({ instancePath }) => instancePath === '/kind')
      assert.deepEqual([isKindTaken(name), isKindTaken('another')], [true, false], name)
    }
  }
})
