import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutcomeLabels } from '../../src/board/outcome-labels.ts'
import { Holding } from '../../src/board/capacity.ts'

test('a label has one number while it is used, and gives it back after its last use', () => {
  const labels = new OutcomeLabels(new Holding('labels', 10))
  const home = labels.intern('home')
  labels.retain(home)
  assert.equal(labels.intern('home'), home)
  labels.retain(home)
  labels.release(home)
  assert.equal(labels.find('home'), home)
  labels.release(home)
  assert.equal(labels.find('home'), 0)
  const away = labels.intern('away "x" ü')
  assert.equal(away, home, 'the number is used again')
  assert.equal(labels.textOf(away), 'away "x" ü')
  assert.equal(Buffer.from(labels.jsonOf(away)).toString(), '"away \\"x\\" ü"')
})
