// The portal as people meet it: the real program with simulated bookmakers, Debian's Chromium, and users made by commands.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import { done, newFolder, type RunningService, startService } from '../service.ts'
import { startChromium } from './chromium.ts'

export const LIMIT_MS = 60_000

export const PASSWORD = 'a sentence only we know'

export const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
}

/** A window of a browser of somebody. */
export interface Visitor {
  readonly context: BrowserContext
  readonly page: Page
  /** What the console of the browser has reported, refused requests included. */
  readonly errors: string[]
  /** Those that are not answered yet. */
  readonly requests: ReadonlySet<Request>
}

export class PortalSite {
  readonly service: RunningService
  readonly browser: Browser
  /** Ends with a slash. */
  readonly base: string
  /** The link that the demo prints: it logs in once. */
  readonly demoLink: string
  /** The key that the demo prints. */
  readonly demoKey: string
  private readonly folder: ReturnType<typeof newFolder>

  private constructor(
    folder: ReturnType<typeof newFolder>,
    service: RunningService,
    browser: Browser,
    printed: readonly [link: string, key: string],
  ) {
    this.folder = folder
    this.service = service
    this.browser = browser
    ;[this.demoLink, this.demoKey] = printed
    this.base = new URL('/', this.demoLink).href
  }

  static async open(): Promise<PortalSite> {
    const folder = newFolder()
    const [service, browser] = await Promise.all([startService(folder.path, '--demo'), startChromium()])
    // The lines of the demo follow the one that says it is ready.
    const link = (await service.printed(/^Dashboard: (\S+)$/m))[1]!
    const key = (await service.printed(/^Demo key.*: (\S+)$/m))[1]!
    return new PortalSite(folder, service, browser, [link, key])
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.service.stop()
    this.folder.remove()
  }

  get dataDir(): string {
    return this.folder.path
  }

  /** Runs a command of the command line on the data of the service: its last line. */
  done(...args: string[]): string {
    return done(this.folder.path, ...args)
  }

  /** A new user: a link that sets a password. */
  newUser(email: string, role: string, organization = 'demo'): string {
    return this.done('user', 'create', email, '--org', organization, '--role', role)
  }

  async visitor(look: BrowserContextOptions = LOOKS['light']!): Promise<Visitor> {
    const context = await this.browser.newContext(look)
    context.setDefaultTimeout(LIMIT_MS)
    return this.tab(context)
  }

  async tab(context: BrowserContext): Promise<Visitor> {
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(`${message.text()} (${page.url()})`)
    })
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('dialog', (dialog) => {
      errors.push(`a dialog says ${dialog.message()}`)
      void dialog.dismiss()
    })
    const requests = new Set<Request>()
    page.on('request', (request) => requests.add(request))
    page.on('requestfinished', (request) => requests.delete(request))
    page.on('requestfailed', (request) => requests.delete(request))
    return { context, page, errors, requests }
  }

  /** A window in which a new user is logged in. */
  async loggedIn(email: string, role: string, organization = 'demo', look = LOOKS['light']!): Promise<Visitor> {
    const visitor = await this.visitor(look)
    await setPassword(visitor.page, this.newUser(email, role, organization))
    return visitor
  }

  url(path: string): string {
    return new URL(path, this.base).href
  }
}

/** Follows a link, and sets the password that it asks for. */
export const setPassword = async (page: Page, link: string): Promise<void> => {
  await page.goto(link)
  await page.fill('[name=password]', PASSWORD)
  await page.click('button[type=submit]')
  await page.waitForSelector('text=Next steps')
}

/** Fills in the form of the login page, and waits for the answer. @returns its status */
export const tryLogIn = async (page: Page, email: string, password: string): Promise<number> => {
  await page.fill('[name=email]', email)
  await page.fill('[name=password]', password)
  const answer = page.waitForResponse(
    (response) => response.url().endsWith('/portal/api/session') && response.request().method() === 'POST',
  )
  await page.click('main button[type=submit]')
  return (await answer).status()
}

/** Waits until an expression holds in a page. Not waitForFunction, whose second look the policy of the page forbids. */
export const until = async (page: Page, expression: string): Promise<void> => {
  for (const deadline = Date.now() + LIMIT_MS; ; ) {
    if ((await page.evaluate(`Boolean(${expression})`)) === true) return
    if (Date.now() > deadline) assert.fail(`${page.url()}: not ${expression}, but:\n${await page.innerText('body')}`)
    await page.evaluate('new Promise(requestAnimationFrame)')
  }
}

/** Waits until a page shows a text. */
export const shown = (page: Page, text: string): Promise<void> =>
  until(page, `document.body.innerText.includes(${JSON.stringify(text)})`)

/** Until the page shows what it has asked for, and asks for nothing more. */
export const settled = async ({ page, requests }: Visitor): Promise<void> => {
  await until(page, `document.querySelector('main h1')`)
  for (let quiet = 0; quiet < 2; quiet = requests.size === 0 ? quiet + 1 : 0) {
    // What has been drawn asks for its data after the frame; what has come is drawn in the next one.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))')
  }
}

export interface CurlAnswer {
  readonly status: number
  readonly body: string
}

/** Runs curl, as customers do. */
export const curl = (...args: string[]): Promise<CurlAnswer> =>
  new Promise((resolve, reject) => {
    execFile('curl', ['-sS', '--globoff', '-w', '\n%{http_code}', ...args], (error, stdout) => {
      if (error !== null) reject(error)
      const end = stdout.lastIndexOf('\n')
      resolve({ status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) })
    })
  })

/** GETs a path of REST with a key, sent as it is written. */
export const curlApi = (site: PortalSite, key: string, path: string): Promise<CurlAnswer> =>
  curl('-H', `Authorization: Bearer ${key}`, `${site.base}api/v1/${path}`)

/** Errors without those that the browser itself reports of requests that were refused on purpose. */
export const withoutRefused = (errors: readonly string[]): readonly string[] =>
  errors.filter((text) => !/^Failed to load resource: the server responded with a status of 4\d\d/.test(text))

/** Where pictures of pages are kept; undefined: nowhere. */
export const SCREENSHOTS = process.env.ODDSWIRE_TEST_SCREENSHOTS

export const shoot = async (page: Page, name: string, fullPage = true): Promise<void> => {
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage })
}
