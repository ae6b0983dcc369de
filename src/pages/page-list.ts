// All pages of the portal, and texts for programs, by path.

import { billingPage, type PlanTerms } from './billing-page.ts'
import { type CoverageTerms, newCoveragePage } from './coverage-page.ts'
import { type Document, documentContent, withAddresses } from './documents.ts'
import { errorsPage } from './errors-page.ts'
import { appPage, frame, PAGE_NAMES, PAGES, type PageName, rootOf, type Site } from './frame.ts'
import { landingPage } from './landing-page.ts'
import { llmsText } from './llms-text.ts'

/** What pages show. */
export interface PageTerms {
  readonly plans: () => readonly PlanTerms[]
  readonly coverage: () => CoverageTerms
  readonly documents: readonly Document[]
}

/** Those with content of their own; documents have theirs, and the browser draws the others. */
type Written = 'home' | 'billing' | 'errors' | 'coverage'

const NO_DOCUMENT = `<p class="notice">This document is not built. Run <code>npm run build</code>, and start the service
again.</p>`

/** Written once: it does not change while the service runs. */
const once = (write: () => string): (() => string) => {
  let written: string | undefined
  return () => (written ??= write())
}

/** The page that a document belongs to in the navigation: a guide to the guides. */
const pageOfDocument = (path: string): PageName =>
  PAGE_NAMES.find((page) => PAGES[page].path === path) ?? ('guides' satisfies PageName)

const documentPage = (document: Document, site: Site): string =>
  frame(
    pageOfDocument(document.path),
    site,
    `<article>\n${documentContent(document, rootOf(document.path), site)}</article>`,
    document,
  )

export const portalPages = (site: Site, terms: PageTerms): Readonly<Record<string, () => string>> => {
  const coverage = newCoveragePage(site, terms.coverage)
  const written: Readonly<Record<Written, () => string>> = {
    home: () => landingPage(site),
    billing: () => billingPage(site, terms.plans()),
    errors: () => errorsPage(site),
    coverage,
  }
  const pageOf = (page: PageName): (() => string) => {
    if (page in written) return written[page as Written]
    return PAGES[page].isDocument
      ? () => frame(page, site, `<h1>${PAGES[page].title}</h1>\n${NO_DOCUMENT}`)
      : () => appPage(page, site)
  }
  return Object.fromEntries([
    ...PAGE_NAMES.map((page) => [`/${PAGES[page].path}`, pageOf(page)] as const),
    ...terms.documents.map((document) => [`/${document.path}`, once(() => documentPage(document, site))] as const),
  ])
}

/** Texts, for programs: `/llms.txt`, and each document as its Markdown. */
export const portalTexts = (site: Site, documents: readonly Document[]): Readonly<Record<string, () => string>> =>
  Object.fromEntries([
    ['/llms.txt', once(() => llmsText(site.publicUrl, documents))],
    ...documents.map(({ path, markdown }) => [`/${path}.md`, once(() => withAddresses(markdown, site))] as const),
  ])
