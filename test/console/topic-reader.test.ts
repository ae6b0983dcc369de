import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TopicReader } from '../../src/console/board/topic-reader.ts'

const newReader = () => {
  const said: string[] = []
  const reader = new TopicReader({
    void: () => said.push('void'),
    take: (body, isSnapshot) => said.push(`${isSnapshot ? 'snapshot' : 'update'} ${String(body)}`),
    whole: () => said.push('whole'),
  })
  return { reader, said }
}

const SNAPSHOT = [
  [{ kind: 'snapshot', 'message-id': 'e-10.1' }, '1'],
  [{ kind: 'snapshot', 'message-id': 'e-10.2' }, '2'],
  [{ kind: 'snapshot-end', 'message-id': 'e-10' }, '{"seq":"e-10","messages":2}'],
] as const

const begun = () => {
  const { reader, said } = newReader()
  assert.deepEqual(reader.begin(), { snapshot: 'true' })
  for (const [headers, body] of SNAPSHOT) assert.ok(reader.receive(headers, body))
  return { reader, said }
}

test('a snapshot is taken part by part, and is whole at its end', () => {
  const { reader, said } = begun()
  assert.deepEqual(said, ['void', 'snapshot 1', 'snapshot 2', 'whole'])
  assert.ok(reader.isWhole)
})

test('after a break it goes on from the last message without a dot', () => {
  const { reader, said } = begun()
  reader.receive({ kind: 'update', 'message-id': 'e-12', prev: 'e-9' }, '3')
  reader.receive({ kind: 'update', 'message-id': 'e-14.1', prev: 'e-12' }, '4')
  assert.deepEqual(reader.begin(), { 'from-seq': 'e-12' })
  assert.equal(reader.resumes, 1)
  assert.ok(!said.slice(1).includes('void'), 'what it has stays')
})

test('a break within a snapshot leads to a new one', () => {
  const { reader, said } = newReader()
  reader.begin()
  reader.receive(...([...SNAPSHOT[0]] as const))
  assert.deepEqual(reader.begin(), { snapshot: 'true' })
  assert.deepEqual(said, ['void', 'snapshot 1', 'void'])
})

test('a reset voids what there was, and the snapshot behind it counts', () => {
  const { reader, said } = begun()
  said.length = 0
  assert.ok(reader.receive({ kind: 'reset', 'message-id': 'f-3.1' }, '{"reason":"epoch"}'))
  assert.equal(reader.isWhole, false)
  assert.deepEqual(reader.begin(), { snapshot: 'true' }, 'half a snapshot is no point to resume from')
  reader.receive({ kind: 'snapshot', 'message-id': 'f-3.2' }, '9')
  reader.receive({ kind: 'snapshot-end', 'message-id': 'f-3' }, '{}')
  assert.deepEqual(said, ['void', 'void', 'snapshot 9', 'whole'])
  assert.ok(reader.receive({ kind: 'update', 'message-id': 'f-4', prev: 'f-2' }, '5'))
  assert.deepEqual(reader.begin(), { 'from-seq': 'f-4' })
  assert.equal(reader.resets, 1)
})

test('a message that names one before it that never came leads to a new snapshot', () => {
  const { reader, said } = begun()
  assert.ok(reader.receive({ kind: 'update', 'message-id': 'e-20', prev: 'e-10' }, '3'))
  assert.equal(reader.receive({ kind: 'update', 'message-id': 'e-30', prev: 'e-21' }, '4'), false)
  assert.equal(said.at(-1), 'update 3', 'what comes after a gap is not applied')
  assert.deepEqual(reader.begin(), { snapshot: 'true' })
  assert.equal(reader.gaps, 1)
})

test('a held price has a lower id than the one before it, and is no gap', () => {
  const { reader } = begun()
  reader.receive({ kind: 'update', 'message-id': 'e-20', prev: 'e-10' }, '3')
  assert.ok(reader.receive({ kind: 'update', 'message-id': 'e-15', prev: 'e-10' }, '4'))
  assert.ok(reader.receive({ kind: 'update', 'message-id': 'e-21', prev: 'e-20' }, '5'))
})

test('while the server merges prices it says so', () => {
  const { reader } = begun()
  reader.receive({ kind: 'degraded', 'message-id': 'e-11' }, '{}')
  assert.ok(reader.isDegraded)
  reader.receive({ kind: 'restored', 'message-id': 'e-40' }, '{}')
  assert.ok(!reader.isDegraded)
  assert.ok(reader.receive({ kind: 'something-new', 'message-id': 'e-41' }, ''))
  assert.deepEqual(reader.begin(), { 'from-seq': 'e-41' })
})
