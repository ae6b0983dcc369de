// The aliases that the build has made.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { aliasTexts } from '../../src/identity/alias-rows.ts'
import { shippedTable, tableSteps } from '../../src/identity/alias-table.ts'

test('the file of the build has the rows of all tables, folded', () => {
  const file = new URL('../../src/identity/aliases.json', import.meta.url)
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  assert.deepEqual(texts, aliasTexts())
  for (const [table, text] of Object.entries(texts)) {
    if (text === '') continue
    for (const line of text.split('\n')) assert.match(line, /^[^\t\n]+\t[^\t\n]+$/, table)
  }
})

test('a table of the file resolves what its sport, and what its nations are called', () => {
  const football = shippedTable('football', 'none')
  const [name, means] = aliasTexts().football!.split('\n')[0]!.split('\t')
  assert.equal(football.get(name!), means)
  const [nation, its] = aliasTexts().nations!.split('\n')[0]!.split('\t')
  assert.equal(football.get(nation!), its)
  assert.equal(football.get('nobody_is_called_so'), undefined)
})

test('a table that is asked for while tables are made in steps has all rows', () => {
  const steps = tableSteps()
  for (let left = 3; left > 0; left--) assert.equal(steps.next().done, false)
  const tables = [shippedTable('basketball', 'some'), shippedTable('ice_hockey', 'none')]
  for (const line of aliasTexts().ice_hockey!.split('\n')) {
    const [name, means] = line.split('\t')
    assert.equal(tables[1]!.get(name!), means)
  }
  let count = 0
  while (steps.next().done !== true) assert.ok(++count < 1_000)
  assert.deepEqual([shippedTable('basketball', 'some'), shippedTable('ice_hockey', 'none')], tables)
})
