// Debian's Chromium for tests in a real browser.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/**
 * The engine without windows (package `chromium-headless-shell`) takes 0.7 of the processor time: the whole program draws its
 * tabs by a page of its own beside each page. Where it is not installed, the whole program does.
 */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const

const program = PROGRAMS.find((path) => existsSync(path))

/** False where it is here; else why tests in a browser are skipped. */
export const chromiumMissing = (): false | string =>
  program === undefined && `${PROGRAMS.join(' and ')} are missing: no test in a browser`

export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: program!,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
