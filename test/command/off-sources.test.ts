// Sources that cannot be started for want of a secret or a file: only they are off, and it is seen everywhere.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from '../root.ts'
import { command, newFolder } from '../service.ts'
import { ServiceProcess } from './process.ts'
import { onTerminal, terminalMissing } from './terminal.ts'

const OBSERVATIONS = join(ROOT, 'fixtures', 'observations', 'observations.jsonl')
const filed = (name: string): object => ({ name, kind: 'file', path: OBSERVATIONS, format: 'observations' })

test('a source without its secret is off and the others run; it starts with the reload after .env has it', async () => {
  const folder = newFolder()
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers['x-secret'] as string | undefined)
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const keyed = {
    ...{ name: 'keyed', kind: 'pinnacle', baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` },
    ...{ credential: { header: 'X-Secret', value: '$OFF_SECRET' }, caFile: 'none.pem', requestsPerSecond: 100 },
    groups: [{ name: 'football', matchups: 'm', straight: 's' }],
  }
  const configure = (...sources: object[]): void =>
    writeFileSync(join(folder.path, 'oddswire.feeds.json'), JSON.stringify({ sources }))
  configure(filed('runs'), keyed)
  const service = new ServiceProcess(folder.path, folder.path)
  const reload = async () => {
    const outcomes = () => service.logged().filter(({ msg }) => /^(not )?reloaded/.test(msg))
    const { length } = outcomes()
    service.child.kill('SIGHUP')
    return service.until('it has reloaded', () => outcomes()[length])
  }
  try {
    await service.ready()
    const why = /^is off: credential\.value \$OFF_SECRET is not set .*; caFile none\.pem cannot be read/
    assert.match(service.logged('is off')[0]!.msg, why)
    const [note] = await service.until(
      'it is noted',
      () => service.logged('ready without').length > 0 && service.logged('ready without'),
    )
    assert.deepEqual([note!.level, note!.sources], [40, ['keyed']])
    const { code, stdout } = command(folder.path, 'feed', 'status')
    assert.equal(code, 1)
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>)
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['runs', 'keyed'],
    )
    assert.equal(rows[1]!.state, 'off')
    assert.match(rows[1]!.problem!, why)
    if (terminalMissing === false) {
      const { lines } = onTerminal(100, 'feed', 'status', '--data-dir', folder.path)
      assert.match(lines[0]!, /^source {2}kind +state +for +heard +bookmakers +observations +prices +refused$/)
      assert.match(lines[2]!, /^keyed {3}pinnacle {2}off +- +- +- +- +- +-$/)
      assert.ok(
        lines.some((line) => line.startsWith('keyed is off: credential.value $OFF_SECRET')),
        lines.join('\n'),
      )
      assert.match(lines.at(-1)!, /^2 sources: 1 \w+, 1 off; \d+ prices$/)
    }
    const { status, text } = await service.admin('/readyz')
    assert.equal(status, 200)
    assert.match(text, /^ready\n- source keyed is off: credential\.value \$OFF_SECRET .*\n$/)
    assert.equal(await service.metric('oddswire_feed_off{source="keyed",reason="secret"}'), '1')
    assert.equal(await service.metric('oddswire_feed_state{source="keyed",state="off"}'), '1')
    assert.equal(await service.metric('oddswire_feed_state{source="runs",state="off"}'), '0')

    // What is off already does not keep others from being changed; what would newly be off does.
    configure(filed('runs'), keyed, filed('more'))
    const changed = await reload()
    assert.deepEqual([changed.msg, changed.added, changed.off], ['reloaded', ['more'], ['keyed']])
    configure(filed('runs'), keyed, { ...keyed, name: 'second' })
    assert.match(String((await reload()).fault), /sources\[2\]\.credential\.value \$OFF_SECRET .*; and 1 more/)

    writeFileSync(join(folder.path, '.env'), 'OFF_SECRET=found\n')
    configure(filed('runs'), { ...keyed, caFile: undefined })
    const started = await reload()
    assert.deepEqual([started.msg, started.restarted, started.off], ['reloaded', ['keyed'], undefined])
    await service.until('it is asked with its secret', () => seen.includes('found'))
    assert.equal((await service.admin('/readyz')).text, 'ready\n')
    assert.equal(await service.metric('oddswire_feed_state{source="keyed",state="off"}'), '0')
    writeFileSync(join(folder.path, '.env'), '')
    assert.match((await reload()).msg, /^not reloaded/)
    assert.equal(await service.metric('oddswire_feed_off{source="keyed",reason="secret"}'), undefined)
  } finally {
    assert.equal(await service.stop(), 0)
    server.closeAllConnections()
    server.close()
    folder.remove()
  }
})

test('what is wrong in the text of the configuration refuses the start, in one line', () => {
  const folder = newFolder()
  const feeds = join(folder.path, 'feeds.json')
  const serve = (content: string): string => {
    writeFileSync(feeds, content)
    const ports = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']
    const { code, stderr, stdout } = command(folder.path, 'serve', '--feeds', feeds, ...ports)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^oddswire: [^\n]+\n$/)
    return stderr
  }
  assert.match(serve('{"sources": []\n"x"}'), /file is not JSON: .*\(line 2, column 1\)/)
  const twice = [filed('a'), { ...filed('b'), pase: 1, sped: 2 }]
  assert.match(
    serve(JSON.stringify({ sources: twice })),
    /sources\[1\]\.pase is not known here; and 1 more: oddswire feed check lists them all/,
  )
  folder.remove()
})
