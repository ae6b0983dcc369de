// The steps of docs/operations.md, as they are printed: what an operator pastes works, in folders of the test.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ServiceProcess } from '../command/process.ts'
import { ROOT } from '../root.ts'
import { MAIN, newFolder } from '../service.ts'
import { textOf } from './programs.ts'

const DOCUMENT = textOf('docs/operations.md')

/** Lines of the blocks of a step that need another machine: users, systemd, packages. */
const OF_THE_MACHINE =
  /^(VERSION=|useradd|install|systemctl|journalctl|cp|odds\(\)|npm|apt-get|certbot|RENEWED_LINEAGE|chmod) ?/

const blocksOf = (step: string): string =>
  [
    ...DOCUMENT.slice(DOCUMENT.indexOf(`## ${step}`))
      .split(/\n## /)[0]!
      .matchAll(/```\n(.*?)```/gs),
  ]
    .map(([, block]) => block!)
    .join('\n')

test('steps 1 to 5 and 8: sources, coverage, a plan, a key, prices by REST, and a backup', async () => {
  const folder = newFolder()
  const home = join(folder.path, 'etc')
  const data = join(folder.path, 'data')
  const backups = join(folder.path, 'backups')
  for (const path of [home, data, backups]) mkdirSync(path, { mode: 0o700 })
  const run = (text: string, ports?: { readonly http: number; readonly admin: number }): string => {
    const script = text
      .split('\n')
      .filter((line) => !OF_THE_MACHINE.test(line) && !/^(oddswire|ln) /.test(line))
      .join('\n')
      .replaceAll('/etc/oddswire', home)
      .replaceAll('/var/lib/oddswire', data)
      .replaceAll('/var/backups/oddswire', backups)
      .replaceAll('127.0.0.1:9090', `127.0.0.1:${ports?.admin}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports?.http}`)
    const odds = `set -e; KEY=$(cat ${home}/key 2>/dev/null || true)\nodds() { (cd ${home} && '${process.execPath}' '${MAIN}' "$@"); }\n`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', `${odds}${script}\nprintf %s "$KEY" >${home}/key`], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${script}\n${stdout}${stderr}`)
    return stdout
  }
  try {
    run(blocksOf('Step 1'))
    assert.match(readFileSync(join(home, '.env'), 'utf8'), /^ODDSWIRE_DATA_DIR=/)
    assert.match(run(blocksOf('Step 2')), /"id":"simulated","kind":"simulator"/)
    const coverage = run(blocksOf('Step 3'))
    assert.deepEqual(
      [...coverage.matchAll(/"bookmaker":"(\w+)"/g)].map(([, slug]) => slug),
      ['aldermoor', 'northlight'],
    )
    const made = run(blocksOf('Step 4'))
    assert.match(made, /"kind":"customer"[\s\S]*"kind":"customer"/)
    assert.equal(made.match(/^https?:\/\/\S+\/login#link=\S+$/gm)?.length, 2)
    const service = new ServiceProcess(data, home)
    await service.ready()
    const step = blocksOf('Step 5')
      .split('\n')
      .map((line) => line.replace(/^odds doctor$/, 'odds doctor --http-port 0 --stomp-port 0 --admin-port 0'))
      .join('\n')
    const answers = run(step, await service.ports())
    assert.match(answers, /"id":"coverage","level":"fine"/)
    assert.match(answers, /^ready$/m)
    assert.match(answers, /"data":\[\{"id":"\d+","sport":"football"/)
    assert.match(answers, /"id":"simulated"/)
    assert.match(answers, /owner@example\.com/)
    run(blocksOf('Step 8'))
    assert.equal(await service.stop(), 0)
    assert(existsSync(backups))
  } finally {
    folder.remove()
  }
})

test('files that the steps name are in the repository, and sections that others refer to are there', () => {
  for (const [, path] of DOCUMENT.matchAll(/\/opt\/oddswire\/lib\/node_modules\/oddswire\/([\w/.-]+)/g)) {
    assert(existsSync(join(ROOT, path!)), path)
  }
  const sections = new Set([...DOCUMENT.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number))
  for (const file of [
    'README.md',
    'SECURITY.md',
    'docs/limits.md',
    'docs/architecture.md',
    'docs/feeds.md',
    'docs/runbook.md',
  ]) {
    const named = /\[?operations\]?(?:\([\w/.]*operations\.md\))? (\d+)/gi
    for (const [, number] of textOf(file).matchAll(named))
      assert(sections.has(number!), `${file}: operations ${number}`)
  }
})
