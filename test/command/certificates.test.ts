// When certificates expire: in the metrics, and in the log while there is time.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { test } from 'node:test'
import { Certificates } from '../../src/command/certificates.ts'
import { LIMITS } from '../../src/limits.ts'
import { until } from '../feeds/waiting.ts'
import { hasOpenssl } from '../listeners.ts'
import { newFolder, startService } from '../service.ts'

test('a certificate is in the log from 14 days on, once a day, and after a reload', () => {
  const at = Date.parse('2026-11-23T00:00:00Z')
  const dayMs = 24 * 3_600_000
  const http = { certificateExpiresAt: (at + LIMITS.certificateMsMin) as number | undefined }
  const logged: string[] = []
  const certificates = new Certificates({ http, stomp: http, admin: { certificateExpiresAt: undefined } }, (message) =>
    logged.push(message),
  )
  certificates.look(0, at)
  assert.deepEqual(logged, [])
  certificates.look(dayMs - 1, at + dayMs - 1)
  assert.deepEqual(logged, [], 'not before a day has passed')
  certificates.look(dayMs, at + 1)
  assert.deepEqual(logged, [
    'the certificate of http, stomp expires at 2026-12-07T00:00:00.000Z: replace its file, and reload (SIGHUP)',
  ])
  http.certificateExpiresAt = at - 1
  certificates.changed()
  certificates.look(dayMs + 1, at)
  assert.match(logged[1]!, /of http, stomp has expired at 2026-11-22T23:59:59\.999Z/)
  http.certificateExpiresAt = undefined
  certificates.changed()
  certificates.look(dayMs + 2, at)
  assert.equal(logged.length, 2)
})

const needsOpenssl = hasOpenssl ? {} : { skip: 'openssl is not installed' }

test('a server shows when the certificates of its ports expire, also after a reload', needsOpenssl, async () => {
  const folder = newFolder()
  const now = `${folder.path}/now.pem`
  const key = `${folder.path}/now.key`
  const certify = (file: string, days: number): string => {
    const subject = ['-subj', '/CN=localhost', '-days', String(days)]
    execFileSync('openssl', ['req', '-x509', '-key', key, '-out', `${folder.path}/${file}`, ...subject], {
      stdio: 'ignore',
    })
    const text = execFileSync('openssl', ['x509', '-enddate', '-noout', '-in', `${folder.path}/${file}`], {
      encoding: 'utf8',
    })
    return String(Date.parse(text.trim().split('=')[1]!) / 1000)
  }
  execFileSync('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', key], { stdio: 'ignore' })
  const soon = certify('now.pem', 13)
  const later = certify('later.pem', 90)
  const service = await startService(folder.path, ...['--tls-cert', now, '--tls-key', key])
  try {
    const expiries = async (): Promise<string[]> => {
      const text = await (await fetch(`${service.admin}/metrics`)).text()
      return text.split('\n').filter((line) => line.startsWith('oddswire_certificate_expiry_timestamp_seconds{'))
    }
    const lines = (at: string): string[] =>
      ['http', 'stomp'].map((port) => `oddswire_certificate_expiry_timestamp_seconds{listener="${port}"} ${at}`)
    assert.deepEqual(await expiries(), lines(soon))
    await until('the warning', () => service.stderr().includes('the certificate of http, stomp expires at'))
    copyFileSync(`${folder.path}/later.pem`, now)
    service.process.kill('SIGHUP')
    await until('the reload', () => service.stderr().includes('"reloaded"'))
    assert.deepEqual(await expiries(), lines(later))
    assert.equal(service.stderr().split('the certificate of').length, 2, 'no second warning')
  } finally {
    await service.stop()
    folder.remove()
  }
})
