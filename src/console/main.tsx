// Where the browser begins: finds out who is there, and draws the page that the address names. Each page is a file of its
// own, loaded when it is needed.

import './styles/base.css'
import './styles/parts.css'
import { type ComponentType, render } from 'preact'
import { addCopyButtons } from './copy-buttons.tsx'
import { drawNavigation } from './navigation.tsx'
import { loadSession, user, watchSession } from './portal-api.ts'

/** By the name that the server gives the page. */
const PAGES: Readonly<Record<string, () => Promise<ComponentType>>> = {
  home: () => import('./pages/overview-page.tsx').then((page) => page.OverviewPage),
  login: () => import('./pages/login-page.tsx').then((page) => page.LoginPage),
  keys: () => import('./pages/keys-page.tsx').then((page) => page.KeysPage),
  usage: () => import('./pages/usage-page.tsx').then((page) => page.UsagePage),
  plan: () => import('./pages/plan-page.tsx').then((page) => page.PlanPage),
  explain: () => import('./pages/explain-page.tsx').then((page) => page.ExplainPage),
  board: () => import('./board/board-page.tsx').then((page) => page.BoardPage),
  reference: () => import('./pages/reference-page.tsx').then((page) => page.ReferencePage),
  status: () => import('./pages/status-page.tsx').then((page) => page.StatusPage),
  audit: () => import('./pages/audit-page.tsx').then((page) => page.AuditPage),
  operator: () => import('./operator/operator-page.tsx').then((page) => page.OperatorPage),
}

const begin = async (): Promise<void> => {
  const loading = loadSession()
  const load = PAGES[document.documentElement.dataset['page'] ?? '']
  const place = document.getElementById('app')
  drawNavigation()
  watchSession()
  // On a narrow page the navigation is a line, wider than the page.
  document.querySelector('nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  if (load === undefined || place === null) return addCopyButtons()
  const Page = await load()
  // What the server has written stays until there is something to put in its place.
  if (place.dataset['waits'] !== undefined) {
    await loading
    if (user.value === null) return addCopyButtons()
  }
  place.replaceChildren()
  render(<Page />, place)
}

void begin()
