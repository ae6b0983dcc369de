// Programs that tests need besides Node. Where one is missing its tests are skipped, with the reason; where
// ODDSWIRE_TEST_REQUIRE names it (a list with commas), that it is missing is a failure.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chromiumMissing } from './console/chromium.ts'
import { faketimeMissing } from './faketime.ts'
import { rabbitMissing } from './rabbitmq.ts'
import { redisMissing } from './redis-server.ts'

const isInstalled = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

const IS_HERE: Readonly<Record<string, () => boolean>> = {
  rabbitmq: () => rabbitMissing() === false,
  redis: () => redisMissing() === false,
  chromium: () => chromiumMissing() === false,
  openssl: () => isInstalled('openssl', 'version'),
  prlimit: () => isInstalled('prlimit', '--version'),
  promtool: () => isInstalled('promtool', '--version'),
  faketime: () => faketimeMissing() === false,
  script: () => isInstalled('script', '--version'),
  asyncapi: () => existsSync(join(process.env.ODDSWIRE_TEST_TOOLS ?? '', 'node_modules', '@asyncapi', 'parser')),
}

test('what is required to test with is here', () => {
  const required = (process.env.ODDSWIRE_TEST_REQUIRE ?? '').split(',').filter((name) => name !== '')
  for (const name of required) {
    const isHere = IS_HERE[name]
    assert.ok(isHere, `ODDSWIRE_TEST_REQUIRE names ${name}, and knows ${Object.keys(IS_HERE).join(', ')}`)
    assert.ok(isHere(), `${name} is required, and not here`)
  }
})
