// Writes within the call, by a thread.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { QuickWriter } from '../../src/log/quick-writer.ts'
import { newFolder } from '../service.ts'
import { until } from './log-folder.ts'

const folder = newFolder()
// The thread alone does not hold the process.
const holding = setInterval(() => {}, 1_000)
after(() => {
  clearInterval(holding)
  folder.remove()
})

const open = (name: string): { readonly fd: number; readonly path: string } => {
  const path = join(folder.path, name)
  return { fd: openSync(path, 'w'), path }
}

const octetsOf = (number: number, length: number): Uint8Array => new Uint8Array(length).fill(number % 251)

/** Writes until the thread is there. */
const ready = async (writer: QuickWriter, fd: number): Promise<void> => {
  await until(
    'the thread is ready',
    () => writer.write(fd, octetsOf(0, 1), 0) !== undefined || writer.idle !== undefined,
  )
  await writer.idle
}

test('octets are in the file when the call returns, or when it is idle', async () => {
  for (const msMax of [1_000, 0]) {
    const writer = new QuickWriter(msMax)
    const { fd, path } = open(`at-${msMax}`)
    await ready(writer, fd)
    let within = 0
    let size = 0
    for (let number = 0; number < 500; number++) {
      const octets = octetsOf(number, 1 + ((number * 37) % 3_000))
      const written = writer.write(fd, octets, size)
      if (written === undefined) await writer.idle
      else {
        within++
        assert.equal(written, octets.length)
      }
      assert.deepEqual(new Uint8Array(readFileSync(path).subarray(size)), octets)
      size += octets.length
    }
    if (msMax > 0) assert(within > 400, `${within} of 500`)
    writer.close()
    closeSync(fd)
  }
})

test('what cannot be written is said: a bad file, too many octets, a thread that has ended', async () => {
  const writer = new QuickWriter(1_000)
  const { fd } = open('good')
  await ready(writer, fd)
  assert.equal(writer.write(1_000_000, octetsOf(1, 10), 0), -1)
  assert.equal(writer.write(fd, octetsOf(1, 10), 0), 10)
  assert.equal(writer.write(fd, octetsOf(1, 1024 * 1024), 0), undefined)
  assert.equal(writer.idle, undefined)
  writer.close()
  assert.equal(writer.write(fd, octetsOf(1, 10), 0), undefined)
  closeSync(fd)
})

test('a process that waits for nothing else does not end before a late write has', () => {
  const child = new URL('quick-writer.child.js', import.meta.url)
  const { status, stdout } = spawnSync(process.execPath, [fileURLToPath(child), join(folder.path, 'late')], {
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout], [0, '20 late writes have ended\n'])
})

test('a thread that has ended before it began is not waited for', async () => {
  const writer = new QuickWriter(1_000)
  const { fd } = open('ended')
  writer.close()
  await writer.ended
  assert.equal(writer.write(fd, octetsOf(1, 10), 0), undefined)
  assert.equal(writer.idle, undefined)
  closeSync(fd)
})
