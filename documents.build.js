// Documents for people as pages: docs/guides/, the live protocol and the changelog, from Markdown into dist/documents.json.
// The server puts them into the frame of its pages (src/pages/); addresses and links are filled in there.

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { Marked } from 'marked'

const ROOT = import.meta.dirname
const GUIDES = 'docs/guides'
const INDEX = `${GUIDES}/README.md`

const textOf = (file) => readFileSync(join(ROOT, file), 'utf8')

/** Path of the page of each document, by file. The index of the guides gives their order. */
const PATHS = new Map([
  [INDEX, 'docs/guides'],
  ...[...textOf(INDEX).matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => [`${GUIDES}/${name}.md`, `${GUIDES}/${name}`]),
  ['docs/live-protocol.md', 'docs/live-protocol'],
  ['CHANGELOG.md', 'docs/changelog'],
])

const escape = (text) =>
  text.replace(/[&<>"']/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character])

/** The anchor of a heading, as code hosts make it. */
const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

/** Of Markdown without its marks. */
const plain = (markdown) => markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '').replace(/\s+/g, ' ').trim()

/** @returns where a link of a document leads from the root of the pages; undefined: to no page */
const targetOf = (file, link) => {
  if (/^https?:/.test(link)) return link
  const [path, anchor = ''] = link.split('#')
  const target = path === '' ? file : relative(ROOT, resolve(ROOT, dirname(file), path)).replace(/^(docs\/guides)$/, INDEX)
  const page = PATHS.get(target)
  if (page === undefined) return undefined
  return `%ROOT%${page}${anchor === '' ? '' : `#${anchor}`}`
}

const rendererOf = (file) => {
  const seen = new Set()
  return {
    heading({ tokens, depth }) {
      let id = slugOf(plain(tokens.map(({ raw }) => raw).join('')))
      for (let count = 1; seen.has(id); count++) id = `${id}-${count}`
      seen.add(id)
      const attribute = depth === 1 ? '' : ` id="${escape(id)}"`
      return `<h${depth}${attribute}>${this.parser.parseInline(tokens)}</h${depth}>\n`
    },
    code({ text, lang = '' }) {
      const [language = '', name = ''] = lang.split(' ')
      const title = name.includes('.') ? `<p class="file"><code>${escape(name)}</code></p>\n` : ''
      return `${title}<pre tabindex="0" data-language="${escape(language)}"><code>${escape(text)}</code></pre>\n`
    },
    table(token) {
      const rowOf = (cells, name, attributes = '') => {
        const contents = cells.map(({ tokens }) => this.parser.parseInline(tokens))
        return `<tr>${contents.map((content) => `<${name}${attributes}>${content}</${name}>`).join('')}</tr>`
      }
      return `<div class="scroll" tabindex="0" role="region" aria-label="Table">
<table>
<thead>${rowOf(token.header, 'th', ' scope="col"')}</thead>
<tbody>
${token.rows.map((row) => rowOf(row, 'td')).join('\n')}
</tbody>
</table>
</div>
`
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      const target = targetOf(file, href)
      return target === undefined ? text : `<a href="${escape(target)}">${text}</a>`
    },
    // Nothing of a document is HTML.
    html: ({ text }) => escape(text),
  }
}

/** What a guide is for, as the index says; of another document its first sentence. */
const summaryOf = (file, markdown) => {
  const name = file.replace(`${GUIDES}/`, '')
  const line = textOf(INDEX).split('\n').find((one) => one.includes(`](${name}): `))
  const text = line?.split('): ')[1] ?? /^# .+\n+([\s\S]*?)(?:\n\n|$)/.exec(markdown)?.[1] ?? ''
  return plain(text).replace(/\. .*$/, '').replace(/\.$/, '')
}

const documents = [...PATHS].map(([file, path]) => {
  const markdown = textOf(file)
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? ''
  const html = new Marked({ renderer: rendererOf(file) }).parse(markdown)
  return { path, title: plain(title), summary: summaryOf(file, markdown), markdown, html }
})

writeFileSync(join(ROOT, 'dist', 'documents.json'), JSON.stringify(documents))
