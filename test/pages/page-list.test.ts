import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Bookmaker } from '../../src/domain/coverage.ts'
import { type Console, NO_CONSOLE } from '../../src/pages/console-files.ts'
import { type Document, readDocuments } from '../../src/pages/documents.ts'
import { portalPages, portalTexts } from '../../src/pages/page-list.ts'
import { REFUSAL_STATUS } from '../../src/domain/refusal.ts'
import { ROOT } from '../root.ts'

const PUBLIC_URL = 'https://odds.example/base'
const PLANS = [
  { name: 'starter', hourlyLimit: 100, monthlyQuota: 5_000, liveEnabled: false },
  { name: 'desk', hourlyLimit: 0, monthlyQuota: 0, liveEnabled: true },
]

const bookmaker = (slug: string, coverage: Bookmaker['coverage'], displayName = slug): Bookmaker => ({
  ...{ slug, displayName, region: 'Nordics', countries: ['SE'], sourceMode: 'sidecar_proxy', coverage },
  customerNote: 'NOTE',
})

const BOOKMAKERS: readonly Bookmaker[] = [
  bookmaker('both', [
    { sport: '*', status: 'verified_rest_only', restAvailable: true, liveAvailable: false, lastVerifiedAt: null },
    {
      ...{ sport: 'football', status: 'verified_rest_live', restAvailable: true, liveAvailable: true },
      lastVerifiedAt: '2026-11-20',
    },
  ]),
  bookmaker('hidden', [
    { sport: '*', status: 'source_limited', restAvailable: true, liveAvailable: true, lastVerifiedAt: '2026-11-19' },
  ]),
]

const DOCUMENTS = readDocuments(join(ROOT, 'dist', 'documents.json'))!

interface Shown {
  readonly bookmakers?: readonly Bookmaker[]
  readonly documents?: readonly Document[]
}

const pagesOf = (
  publicUrl: string,
  plans: typeof PLANS,
  console = NO_CONSOLE,
  { bookmakers = BOOKMAKERS, documents = DOCUMENTS }: Shown = {},
): Readonly<Record<string, string>> => {
  const terms = { plans: () => plans, coverage: () => ({ version: 1, bookmakers }), documents }
  return Object.fromEntries(
    Object.entries(portalPages({ console, publicUrl, stompPort: 61_613 }, terms)).map(([path, render]) => [
      path,
      render(),
    ]),
  )
}

const BUILT: Console = {
  files: new Map(),
  of: () => ({ scripts: ['assets/main-1.js'], styles: ['assets/main-1.css'], preloads: ['assets/keys-1.js'] }),
}

/** Each page with the path it is served at. */
const PAGES = pagesOf(PUBLIC_URL, PLANS)

const idsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)

/** Elements without content; all others must be closed. */
const VOID = new Set(['meta', 'link', 'br', 'hr', 'img', 'input'])

for (const [path, html] of Object.entries(PAGES)) {
  test(`the page at ${path} is whole: language, title, one main heading, every element closed`, () => {
    assert.match(html, /^<!doctype html>\n<html lang="en" /)
    assert.match(html, /<title>[^<]+<\/title>/)
    assert.equal(html.match(/<h1>/g)?.length, 1)
    const open: string[] = []
    for (const [, slash, name] of html.replace(/<!doctype html>/, '').matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
      if (slash === '/') assert.equal(open.pop(), name, `</${name}> closes another element`)
      else if (!VOID.has(name!)) open.push(name!)
    }
    assert.deepEqual(open, [])
  })

  test(`the page at ${path} loads files of its own and has nothing inline`, () => {
    const built = pagesOf(PUBLIC_URL, PLANS, BUILT)[path]!
    const root = '../'.repeat(path.split('/').length - 2) || './'
    assert.ok(built.includes(`<script type="module" src="${root}assets/main-1.js"></script>`))
    for (const page of [html, built]) {
      assert.doesNotMatch(page, /<style|<script(?![^>]* src=)|\sstyle=|<iframe|url\(|@import|\son[a-z]+=/i)
      assert.doesNotMatch(page, /(src|<link[^>]* href)="(?!\.\.?\/)/)
    }
  })

  test(`the links of the page at ${path} lead to pages and anchors that exist`, () => {
    const known = new Set([...Object.keys(PAGES), '/api/v1/spec', '/asyncapi.json', '/llms.txt'])
    const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link!)
    assert.ok(links.length >= 4)
    for (const link of links.filter((one) => !one.startsWith('https://'))) {
      const { pathname, hash } = new URL(link, `http://service${path}`)
      assert.ok(known.has(pathname), `${link} leads to ${pathname}`)
      if (hash !== '') assert.ok(idsOf(PAGES[pathname]!).includes(hash.slice(1)), `${link} has no anchor`)
    }
  })
}

test('the portal shows a curl line at the public address, with placeholders', () => {
  assert.ok(PAGES['/']!.includes(`curl -H 'Authorization: Bearer &lt;API_KEY&gt;' '${PUBLIC_URL}/api/v1/events?`))
  assert.ok(PAGES['/']!.includes(`${PUBLIC_URL}/api/v1/events/&lt;EVENT_ID&gt;/odds`))
})

test('the billing page shows every plan, with 0 as unlimited, and whom to ask', () => {
  const rows = [...PAGES['/billing']!.matchAll(/<tr><th scope="row">[\s\S]*?<\/tr>/g)].map(([row]) =>
    row
      .replace(/<[^>]+>/g, ' ')
      .trim()
      .split(/\s+/),
  )
  assert.deepEqual(rows, [
    ['starter', '100', '5,000', 'no'],
    ['desk', 'unlimited', 'unlimited', 'yes'],
  ])
  assert.match(PAGES['/billing']!, /Ask the operator of this service/)
})

test('the error reference and the table of refusals are the same, both ways', () => {
  const headings = [...PAGES['/docs/errors']!.matchAll(/<h2 id="([^"]+)"><code>([^<]+)<\/code> <span[^>]*>(\d+)</g)]
  for (const [, id, code] of headings) assert.equal(id, code)
  assert.deepEqual(Object.fromEntries(headings.map(([, , code, status]) => [code, Number(status)])), REFUSAL_STATUS)
  assert.equal(headings.length, Object.keys(REFUSAL_STATUS).length)
})

test('what is passed in is escaped', () => {
  const hostile = `"'><script>alert(1)</script>&`
  const pages = pagesOf(`http://x/${hostile}`, [{ name: hostile, hourlyLimit: 1, monthlyQuota: 1, liveEnabled: true }])
  for (const html of [pages['/']!, pages['/billing']!]) {
    assert.ok(!html.includes('<script'))
    assert.ok(html.includes('&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;'))
  }
})

test('where the browser side is not built, the pages that need it say so, and the others can be read', () => {
  assert.match(PAGES['/']!, /browser side of the portal is not built/)
  assert.match(PAGES['/keys']!, /npm run build/)
  assert.doesNotMatch(pagesOf(PUBLIC_URL, PLANS, BUILT)['/']!, /not built/)
})

test('the coverage page shows what keys can see, and nothing else of a bookmaker', () => {
  const html = PAGES['/docs/coverage']!
  const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    row!
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )
  assert.equal(rows.length, 3)
  assert.match(rows[1]!, /^both both Football rest live verified_rest_live 2026-11-20$/)
  assert.match(rows[2]!, /^Tennis, .* rest verified_rest_only not yet$/)
  assert.doesNotMatch(html, /hidden|NOTE|Nordics|sidecar/)
  const hostile = [bookmaker('x', BOOKMAKERS[0]!.coverage, '<script>&')]
  assert.match(
    pagesOf(PUBLIC_URL, PLANS, NO_CONSOLE, { bookmakers: hostile })['/docs/coverage']!,
    /&lt;script&gt;&amp;/,
  )
  assert.match(pagesOf(PUBLIC_URL, PLANS, NO_CONSOLE, { bookmakers: [] })['/docs/coverage']!, /Nothing is shown yet/)
})

test('documents are pages with the addresses of this service, and say so where they are not built', () => {
  const html = PAGES['/docs/guides/resume']!
  assert.match(html, /<title>Resume, reset and cursors: oddswire<\/title>/)
  assert.match(html, /wss:\/\/odds\.example\/base\/stomp/)
  assert.match(html, /href="\.\.\/\.\.\/docs\/guides" aria-current="page"/)
  assert.match(PAGES['/docs/guides/client-go-stomp']!, /&quot;odds\.example:61613&quot;/)
  assert.match(PAGES['/docs/guides/client-ruby']!, /&quot;odds\.example&quot;, 61613/)
  assert.match(PAGES['/docs/guides/client-stompit']!, /host: &#39;odds\.example&#39;, port: 61613/)
  for (const page of Object.values(PAGES)) assert.doesNotMatch(page, /%ROOT%/)
  const without = pagesOf(PUBLIC_URL, PLANS, NO_CONSOLE, { documents: [] })
  for (const path of ['/docs/guides', '/docs/changelog', '/docs/live-protocol']) {
    assert.match(without[path]!, /not built/)
    assert.doesNotMatch(PAGES[path]!, /This document is not built/)
  }
})

test('llms.txt names every document, as a text that is there', () => {
  const texts = portalTexts({ console: NO_CONSOLE, publicUrl: PUBLIC_URL, stompPort: 61_613 }, DOCUMENTS)
  const text = texts['/llms.txt']!()
  assert.match(text, /^# oddswire\n\n> .+\n/)
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link]) => link!)
  for (const link of links) {
    assert(link.startsWith(`${PUBLIC_URL}/`), link)
    const path = link.slice(PUBLIC_URL.length)
    assert(path in texts || path in PAGES || ['/api/v1/spec', '/asyncapi.json'].includes(path), link)
  }
  for (const { path } of DOCUMENTS.filter((document) => document.path !== 'docs/guides')) {
    assert(links.includes(`${PUBLIC_URL}/${path}.md`), path)
  }
  assert.match(texts['/docs/guides/resume.md']!(), /^# Resume, reset and cursors\n/)
})
