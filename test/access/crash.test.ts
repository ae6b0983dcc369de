import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isFault } from '../../src/access/fault.ts'
import { UNRESTRICTED } from '../../src/access/scope.ts'
import { Store } from '../../src/access/store.ts'
import { endedWithTests } from '../children.ts'
import { Random, SEED } from '../random.ts'
import { newFolder } from './folder.ts'

const CRASHES = 15

const LIMITS = {
  hour: { hourlyLimit: 40_000, monthlyQuota: 0 },
  month: { hourlyLimit: 0, monthlyQuota: 30_000 },
  both: { hourlyLimit: 60_000, monthlyQuota: 20_000 },
  small: { hourlyLimit: 40, monthlyQuota: 0 },
}

test('kill -9 gives no request for free, and costs at most 100 of a window, or 1 %, each time', async () => {
  const random = new Random(SEED)
  const dataDir = newFolder()
  const store = Store.open(dataDir, { waitMs: 0, busyMs: 0, at: 0 })
  assert.ok(!isFault(store))
  const files: Record<string, string> = {}
  const pairs = Object.entries(LIMITS).map(([name, limits]) => {
    store.accounts.setPlan(name, limits, 0)
    const organization = store.accounts.createOrganization({ name, plan: name, entitlement: '*' }, 0)
    assert.ok(!isFault(organization))
    const file = join(dataDir, `${name}.accepted`)
    files[name] = file
    writeFileSync(file, '')
    const key = { kind: 'customer', organization: organization.id, scope: UNRESTRICTED, expiresAt: null } as const
    return `${store.accounts.createKey(key, 0).secret}:${file}`
  })
  store.close()
  const program = fileURLToPath(new URL('./crash.child.js', import.meta.url))
  const start = async () => {
    const child = endedWithTests(
      spawn(process.execPath, [program, dataDir, ...pairs], { stdio: ['ignore', 'pipe', 'inherit'] }),
    )
    const exited = once(child, 'exit')
    await Promise.race([once(child.stdout, 'data'), exited])
    return { child, exited }
  }
  let crashes = 0
  for (let run = 0; run < CRASHES; run++) {
    const { child, exited } = await start()
    // A random moment, not a wait for anything: it may fall into a commit, between two, or before the first.
    await pause(random.int(0, 60))
    child.kill('SIGKILL')
    const [, signal] = await exited
    if (signal === 'SIGKILL') crashes += 1
  }
  const [exitCode] = await (await start()).exited
  assert.equal(exitCode, 0)
  assert.ok(crashes > 0, 'all limits were used up before the first kill')
  for (const [name, { hourlyLimit, monthlyQuota }] of Object.entries(LIMITS)) {
    const limit = Math.min(hourlyLimit || Number.POSITIVE_INFINITY, monthlyQuota || Number.POSITIVE_INFINITY)
    const accepted = statSync(files[name]!).size
    const where = `${name}: ${accepted} of ${limit} accepted, ${crashes} crashes, seed ${SEED}`
    assert.ok(accepted <= limit, where)
    // One more each time: admitted, and killed before it was written down.
    const lossMax = Math.max(limit / 100, Math.min(100, Math.max(2, 2 * Math.ceil(limit / 20)))) + 1
    assert.ok(accepted >= limit - crashes * lossMax, where)
  }
})
