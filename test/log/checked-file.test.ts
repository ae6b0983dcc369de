// Files of the service's own are read as they were written, or not at all.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { checkedText, readChecked } from '../../src/log/checked-file.ts'
import { WitnessFile } from '../../src/log/witness-file.ts'
import { newFolder } from '../service.ts'

const folder = newFolder()
after(() => folder.remove())

test('a flipped bit, a missing part and a missing file are noticed', () => {
  const path = join(folder.path, 'checked.json')
  assert.equal(readChecked(path), undefined)
  const value = { at: 1_795_000_000_000, bootId: 'a-b', uptimeMs: 12.5 }
  const octets = Buffer.from(checkedText(value))
  writeFileSync(path, octets)
  assert.deepEqual(readChecked(path), value)
  for (let bit = 0; bit < octets.length * 8; bit++) {
    const flipped = Buffer.from(octets)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    writeFileSync(path, flipped)
    assert.equal(readChecked(path), undefined, `bit ${bit}`)
  }
  for (let length = 0; length < octets.length; length++) {
    writeFileSync(path, octets.subarray(0, length))
    assert.equal(readChecked(path), undefined, `${length} octets`)
  }
})

test('the witness is what was written last, whatever was asked for meanwhile', async () => {
  const path = join(folder.path, 'witness.json')
  const witness = new WitnessFile(path)
  assert.equal(witness.read(), undefined)
  const writes = [1, 2, 3].map((position) => witness.write({ epoch: 'mub1', position, segment: 1 }))
  await Promise.all(writes)
  assert.deepEqual(new WitnessFile(path).read(), { epoch: 'mub1', position: 3, segment: 1 })
  assert(readFileSync(path, 'utf8').length < 100)
  for (const epoch of ['', '}ub1', 'mub\u00e91']) {
    await witness.write({ epoch, position: 3 })
    assert.equal(witness.read(), undefined)
  }
})
