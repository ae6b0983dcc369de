// A log that was restored from a copy begins a new epoch, however it was copied.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { abandon, appendTo, checkTurns, filesOf, MemoryWitness, newFolder, open, until } from './log-folder.ts'
import { elapsedMs } from '../../src/clock.ts'

const run = (script: string, env: Record<string, string>): void => {
  const { status, stderr } = spawnSync('sh', ['-ec', script], { env: { ...process.env, ...env }, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

/** How a copy is made of $LOG at $COPY, how it is put back, and what is seen although the witness was restored, too. */
const WAYS: readonly (readonly [name: string, copy: string, restore: string, why: RegExp])[] = [
  ['cp', 'cp -r "$LOG" "$COPY"', 'rm -r "$LOG"; cp -r "$COPY" "$LOG"', /is a copy/],
  ['cp -a', 'cp -a "$LOG" "$COPY"', 'rm -r "$LOG"; cp -a "$COPY" "$LOG"', /is a copy/],
  ['mv of a copy', 'cp -a "$LOG" "$COPY"', 'rm -r "$LOG"; mv "$COPY" "$LOG"', /is a copy/],
  ['mv of copied files', 'cp -a "$LOG" "$COPY"', 'rm "$LOG"/*; mv "$COPY"/* "$LOG"', /is a copy/],
  ['tar', 'tar -C "$LOG" -cf "$COPY" .', 'rm "$LOG"/*; tar -C "$LOG" -xpf "$COPY"', /is a copy/],
  ['tar over the files', 'tar -C "$LOG" -cf "$COPY" .', 'tar -C "$LOG" -xpf "$COPY"', /is a copy/],
  [
    'cat over the files',
    'cp -a "$LOG" "$COPY"',
    'for f in "$COPY"/*; do cat "$f" > "$LOG/${f##*/}"; done',
    /another program/,
  ],
  ['cp -a over the files', 'cp -a "$LOG" "$COPY"', 'cp -a "$COPY"/* "$LOG"', /another program/],
  ['rsync', 'rsync -a "$LOG/" "$COPY/"', 'rsync -a --delete "$COPY/" "$LOG/"', /is a copy/],
  [
    'rsync over the files',
    'rsync -a "$LOG/" "$COPY/"',
    'rsync -a --inplace --no-whole-file --delete "$COPY/" "$LOG/"',
    /another program/,
  ],
]

const hasRsync = spawnSync('rsync', ['--version']).status === 0

/** Instead of 5 s: so that a test need not wait for files to become old. */
const FILE_MS_MAX = 100

const restoreBy = async ([name, copy, restore, why]: (typeof WAYS)[number], isClosed: boolean): Promise<void> => {
  const about = `${name}, ${isClosed ? 'closed' : 'killed'}`
  const parent = newFolder()
  const folder = join(parent, 'log')
  mkdirSync(folder)
  const env = { LOG: folder, COPY: join(parent, 'copy') }
  const witness = new MemoryWitness()
  const first = await open({ folder, witness, fsync: 'always', fileMsMax: FILE_MS_MAX })
  await appendTo(first.log, 10)
  if (isClosed) await first.log.close()
  const segment = basename(filesOf(folder)[0]!)
  run(copy, env)
  // The store was restored from the same moment.
  const restored = new MemoryWitness()
  restored.write({ epoch: first.log.epoch, position: 10 })
  // A time is noted in the file at most every second.
  const beganMs = elapsedMs()
  await until('files have another time', () => elapsedMs() - beganMs > 1_500)
  if (!isClosed) await appendTo(first.log, 20)
  run(restore, env)
  assert.deepEqual(
    filesOf(folder).map((path) => basename(path)),
    [segment],
    about,
  )
  const second = await open({ folder, witness: restored, fsync: 'always', fileMsMax: FILE_MS_MAX })
  assert.match(second.newEpoch ?? 'the epoch goes on', why, about)
  assert.ok(second.log.epoch > first.log.epoch, about)
  assert.equal(second.turns.length, 10, about)
  checkTurns(second.turns)
  await second.log.close()
}

for (const isClosed of [true, false]) {
  test(`a restored log begins an epoch (${isClosed ? 'closed' : 'killed'})`, async (context) => {
    const ways = WAYS.filter(([name]) => !name.startsWith('rsync') || hasRsync)
    if (!hasRsync) context.diagnostic('rsync is not here, and was not tried')
    await Promise.all(ways.map((way) => restoreBy(way, isClosed)))
  })
}

test('the last segment is missed as soon as a turn of it was written', async () => {
  const folder = newFolder()
  const witness = new MemoryWitness()
  const first = await open({ folder, witness })
  await appendTo(first.log, 10)
  first.log.rotate()
  await appendTo(first.log, 11)
  await abandon(first.log)
  rmSync(filesOf(folder).at(-1)!)
  const next = await open({ folder, witness })
  assert.equal(next.newEpoch, 'the segment with turn 11 is missing')
  assert.equal(next.turns.length, 10)
  await next.log.close()
})

test('the witness recognizes an older log, another log, and none', async () => {
  const folder = newFolder()
  const witness = new MemoryWitness()
  const first = await open({ folder, witness })
  await appendTo(first.log, 10)
  await first.log.close()
  const { epoch } = first.log
  assert.deepEqual(witness.value, { epoch, position: 10 })
  // The same files, in three states of the store.
  const states = [
    [{ epoch, position: 11 }, /^the log ends at turn 10, and was at 11 before$/],
    [{ epoch: `${epoch}0`, position: 3 }, /^log-position.json is of another epoch$/],
    [undefined, /\(log-position\.json\) is missing or damaged$/],
  ] as const
  let former = epoch
  for (const [value, why] of states) {
    witness.value = value
    const next = await open({ folder, witness })
    assert.match(next.newEpoch ?? 'none', why)
    assert.ok(Number.parseInt(next.log.epoch, 36) > Number.parseInt(value?.epoch ?? former, 36))
    former = next.log.epoch
    assert.equal(next.turns.length, 10)
    await next.log.close()
    assert.deepEqual(witness.value, { epoch: former, position: 10 })
    // It goes on then.
    const again = await open({ folder, witness })
    assert.equal(again.newEpoch, undefined)
    await again.log.close()
  }
  // A log that was deleted.
  const empty = await open({ folder: newFolder(), witness })
  assert.equal(empty.newEpoch, 'the log is missing')
  assert.ok(Number.parseInt(empty.log.epoch, 36) > Number.parseInt(former, 36))
  await empty.log.close()
})

test('a folder that was renamed, and renamed back, is the same log', async () => {
  const parent = newFolder()
  const folder = join(parent, 'log')
  mkdirSync(folder)
  const witness = new MemoryWitness()
  const first = await open({ folder, witness })
  await appendTo(first.log, 10)
  await first.log.close()
  run('mv "$LOG" "$LOG.old"; mv "$LOG.old" "$LOG"', { LOG: folder })
  writeFileSync(join(folder, 'notes.txt'), 'of the operator')
  const second = await open({ folder, witness })
  assert.equal(second.newEpoch, undefined)
  await second.log.close()
})
