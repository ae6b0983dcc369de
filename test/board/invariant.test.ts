// A board that is damaged ends the process before it publishes anything, even where the error is caught.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endedWithTests } from '../children.ts'

const run = (...faults: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const program = fileURLToPath(new URL('./faults.child.js', import.meta.url))
    const child = execFile(process.execPath, [program, ...faults], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
    endedWithTests(child)
  })

test('each fault that is planted on a board is found by an invariant, which ends the process', async () => {
  const faults: string[] = JSON.parse((await run()).stdout)
  assert.ok(faults.length > 10)
  for (const fault of faults) {
    const { code, stdout, stderr } = await run(fault)
    assert.match(stdout, /^invariant violated: [\w ,]+$/, fault)
    assert.match(stderr, /Error: invariant violated/, fault)
    assert.equal(code, 1, fault)
  }
})
