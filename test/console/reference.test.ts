// The reference: fields from schemas, and the page in a real browser with the real service.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { fieldsOf, resolved, type Schema } from '../../src/console/reference/contract.ts'
import { newFolder, type RunningService, startService } from '../service.ts'
import { chromiumMissing, startChromium } from './chromium.ts'

const skip = chromiumMissing()
const LIMIT_MS = 30_000
const IS_WIDER = 'document.documentElement.scrollWidth > innerWidth'

test('fields are named by their path, those of lists, references and alternatives too', () => {
  const document = {
    schemas: {
      'a/b': { type: 'string', enum: ['x', 'y'], description: 'Of the reference.' },
      Loop: { type: 'object', properties: { again: { $ref: '#/schemas/Loop' } } },
    },
  }
  const schema: Schema = {
    required: ['data'],
    properties: {
      data: {
        type: 'array',
        items: { type: 'object', properties: { id: { $ref: '#/schemas/a~1b', description: 'Its own.' } } },
      },
      either: {
        anyOf: [
          { properties: { one: { type: ['number', 'null'] } } },
          { properties: { one: {}, two: { const: 'z' } } },
        ],
      },
    },
  }
  assert.deepEqual(
    fieldsOf(document, schema).map(({ path, type, isRequired, description, values }) =>
      [path, type, isRequired, description, ...values].join('|'),
    ),
    [
      'data|list of object|true|',
      'data[].id|string|false|Its own.|x|y',
      'either|any|false|',
      'either.one|number or null|false|',
      'either.two|"z"|false|',
    ],
  )
  // A schema within itself ends.
  assert(fieldsOf(document, { $ref: '#/schemas/Loop' }).length < 20)
  assert.deepEqual({ ...resolved(document, { $ref: '#/schemas/none' }) }, { $ref: undefined })
})

const folder = newFolder()
let service: RunningService
let browser: Browser
let key = ''

before(async () => {
  if (skip !== false) return
  ;[service, browser] = await Promise.all([startService(folder.path, '--demo'), startChromium()])
  key = (await service.printed(/Demo key.*: (\S+)/))[1]!
})

after(async () => {
  if (skip === false) {
    await browser.close()
    await service.stop()
  }
  folder.remove()
})

for (const [look, width] of Object.entries({ wide: 1280, narrow: 390 })) {
  test(`the reference has all of both contracts, and sends requests (${look})`, { skip }, async () => {
    const page = await browser.newPage({ viewport: { width, height: 844 } })
    page.setDefaultTimeout(LIMIT_MS)
    await page.goto(`http://127.0.0.1:${service.port}/reference#live-odds`)
    await page.locator('#live-odds').waitFor()
    // The anchor of the address is where the page is.
    await page.waitForFunction("Math.abs(document.getElementById('live-odds').getBoundingClientRect().top) < 200")

    const links = (await page.evaluate(
      "[...document.querySelectorAll('.contents a')].map((link) => link.getAttribute('href'))",
    )) as readonly string[]
    assert.equal(links.length, 18)
    for (const link of links) assert.equal(await page.locator(link).count(), 1, link)

    const prose = (await page.evaluate(`
      for (const part of document.querySelectorAll('details')) part.open = true
      const copy = document.querySelector('main').cloneNode(true)
      for (const code of copy.querySelectorAll('pre')) code.remove()
      copy.textContent`)) as string
    assert.doesNotMatch(prose, /`|\*\*|undefined|\[object/)
    assert.match(prose, /quotes\[\]\.odds/)
    assert.match(prose, /data\[\]\.kickoffAt/)
    assert.equal(await page.evaluate(IS_WIDER), false)

    await page.reload()
    const operation = page.locator('#listEvents')
    await page.locator('input[type=password]').fill(key)
    await operation.getByRole('button', { name: 'Send', exact: true }).click()
    await operation.getByText('Status 200').waitFor()
    assert.match((await operation.locator('.headers').textContent())!, /ETag.*X-Odds-Seq/)
    assert.match((await operation.locator('.answer pre').last().textContent())!, /^\{\n {2}"meta": \{/)
    await operation.getByRole('button', { name: 'Send again with this ETag' }).click()
    await operation.locator('.answer').getByText('If-None-Match').first().waitFor()
    await operation.getByText(/Status (304|200)/).waitFor()
    await page.locator('input[type=password]').fill('nonsense')
    await operation.getByRole('button', { name: 'Send', exact: true }).click()
    await operation.getByText('Status 401').waitFor()
    assert.equal(await page.evaluate(IS_WIDER), false)
    await page.close()
  })
}
