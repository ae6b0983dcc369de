// Debian's Chromium for tests in a real browser.

import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PROGRAM = '/usr/bin/chromium'

/** False where it is here; else why tests in a browser are skipped. */
export const chromiumMissing = (): false | string =>
  existsSync(PROGRAM) ? false : `${PROGRAM} is missing: no test in a browser`

export const startChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM,
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
