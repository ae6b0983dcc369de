// The frame of every page: head, navigation, and the place for its content. Written by the server, so that what is public
// can be read without a script; nothing in it is inline.

import type { Console } from './console-files.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

interface PageTerms {
  /** From the root. */
  readonly path: string
  readonly title: string
  readonly text: string
  /** Group of the navigation; empty: in none. */
  readonly group: string
  /** Left out where the navigation is one line: on the board. */
  readonly isMinor?: true
  /** Its content is a document (documents.ts). */
  readonly isDocument?: true
}

const TERMS = {
  home: { path: '', title: 'oddswire: odds of European bookmakers in real time', text: 'Overview', group: 'Account' },
  keys: { path: 'keys', title: 'Keys', text: 'Keys', group: 'Account' },
  usage: { path: 'usage', title: 'Usage', text: 'Usage', group: 'Account' },
  plan: { path: 'plan', title: 'Plan', text: 'Plan', group: 'Account' },
  audit: { path: 'audit', title: 'Who did what', text: 'Who did what', group: 'Account', isMinor: true },
  board: { path: 'board', title: 'Live board', text: 'Live board', group: 'Live' },
  explain: { path: 'explain', title: 'Why don’t I see it?', text: 'Why don’t I see it?', group: 'Live' },
  status: { path: 'status', title: 'Status', text: 'Status', group: 'Live' },
  guides: { path: 'docs/guides', title: 'Guides', text: 'Guides', group: 'Documentation', isDocument: true },
  reference: { path: 'reference', title: 'Reference', text: 'Reference', group: 'Documentation' },
  protocol: {
    path: 'docs/live-protocol',
    title: 'The live protocol',
    text: 'Live protocol',
    group: 'Documentation',
    isMinor: true,
    isDocument: true,
  },
  errors: { path: 'docs/errors', title: 'Errors', text: 'Errors', group: 'Documentation', isMinor: true },
  coverage: { path: 'docs/coverage', title: 'Coverage', text: 'Coverage', group: 'Documentation', isMinor: true },
  billing: {
    path: 'billing',
    title: 'Plans and billing',
    text: 'Plans and billing',
    group: 'Documentation',
    isMinor: true,
  },
  changelog: {
    path: 'docs/changelog',
    title: 'Changelog',
    text: 'Changelog',
    group: 'Documentation',
    isMinor: true,
    isDocument: true,
  },
  operator: { path: 'operator', title: 'Operator', text: 'Operator', group: 'Operator' },
  login: { path: 'login', title: 'Log in', text: 'Log in', group: '' },
} as const satisfies Readonly<Record<string, PageTerms>>

export type PageName = keyof typeof TERMS

/** All pages, by name. */
export const PAGES: Readonly<Record<PageName, PageTerms>> = TERMS

export const PAGE_NAMES = Object.keys(PAGES) as readonly PageName[]

/** What is the same for all pages of a service. */
export interface Site {
  readonly console: Console
  readonly publicUrl: string
  /** STOMP over TCP. */
  readonly stompPort: number
}

/** The way from a path to the root: relative, so that the pages work under any public address. */
export const rootOf = (path: string): string => '../'.repeat(path.split('/').length - 1) || './'

const navigation = (current: PageName, root: string): string => {
  const groups = new Map<string, string[]>()
  for (const page of PAGE_NAMES) {
    const { path, text, group, isMinor } = PAGES[page]
    if (group === '') continue
    const mark = page === current ? ' aria-current="page"' : ''
    const entries = groups.get(group) ?? []
    groups.set(group, entries)
    entries.push(`<li${isMinor === true ? ' class="minor"' : ''}><a href="${root}${path}"${mark}>${text}</a></li>`)
  }
  return [...groups]
    .map(
      ([group, entries]) =>
        `<div class="group group-${group.toLowerCase()}">\n<p>${group}</p>\n<ul>\n${entries.join('\n')}\n</ul>\n</div>`,
    )
    .join('\n')
}

/** A page below one that has a name: a guide. */
export interface Place {
  readonly path: string
  readonly title: string
}

/** @param content HTML of the main part */
export const frame = (page: PageName, site: Site, content: string, { path, title }: Place = PAGES[page]): string => {
  const root = rootOf(path)
  const { scripts, styles, preloads } = site.console.of(page)
  const links = [
    ...styles.map((file) => `<link rel="stylesheet" href="${root}${file}">`),
    ...preloads.map((file) => `<link rel="modulepreload" href="${root}${file}">`),
    ...scripts.map((file) => `<script type="module" src="${root}${file}"></script>`),
    ...(scripts.length === 0 ? [] : [`<link rel="icon" href="${root}icon.svg" type="image/svg+xml">`]),
  ].join('\n')
  return `<!doctype html>
<html lang="en" data-page="${page}" data-root="${root}" data-stomp-port="${site.stompPort}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(page === 'home' ? title : `${title}: oddswire`)}</title>
${links}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="${root}">odds<span>wire</span></a>
<div id="account"></div>
</header>
<nav aria-label="Pages">
${navigation(page, root)}
</nav>
<main id="main" tabindex="-1">
${content}
</main>
</body>
</html>
`
}

/** A page that the browser draws. */
export const appPage = (page: PageName, site: Site): string => {
  const root = rootOf(PAGES[page].path)
  const content =
    site.console.of(page).scripts.length === 0
      ? `<h1>${PAGES[page].text}</h1>
<p class="notice">The browser side of the portal is not built. Run <code>npm run build</code>, and start the service again.</p>`
      : `<div id="app">
<noscript>
<h1>${PAGES[page].text}</h1>
<p>This page needs JavaScript. <a href="${root}">The first steps</a>, <a href="${root}docs/guides">the guides</a>, <a
href="${root}docs/errors">the errors</a> and <a href="${root}billing">the plans</a> can be read without it.</p>
</noscript>
</div>`
  return frame(page, site, content)
}
