// All pages of the portal, by path.

import { billingPage, type PlanTerms } from './billing-page.ts'
import { errorsPage } from './errors-page.ts'
import { appPage, PAGE_NAMES, PAGES, type PageName, type Site } from './frame.ts'
import { landingPage } from './landing-page.ts'

/** Those with content of their own; the browser draws the others. */
type Written = 'home' | 'billing' | 'errors'

export const portalPages = (site: Site, plans: () => readonly PlanTerms[]): Readonly<Record<string, () => string>> => {
  const written: Readonly<Record<Written, () => string>> = {
    home: () => landingPage(site),
    billing: () => billingPage(site, plans()),
    errors: () => errorsPage(site),
  }
  const pageOf = (page: PageName): (() => string) =>
    page in written ? written[page as Written] : () => appPage(page, site)
  return Object.fromEntries(PAGE_NAMES.map((page) => [`/${PAGES[page].path}`, pageOf(page)]))
}
