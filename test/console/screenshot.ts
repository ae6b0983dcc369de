// The picture of the README: the live board of the demo, with a bookmaker that is suspended. `npm run screenshot`.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../root.ts'
import { done, newFolder, startService } from '../service.ts'
import { startChromium } from './chromium.ts'

const FILE = join(ROOT, 'docs', 'live-board.png')
const BYTES_MAX = 150_000
/** The bookmaker that is shown as suspended. */
const SUSPENDED = 'birkenquote'
const MOVING_MS = 3_000

const folder = newFolder()
const [service, browser] = await Promise.all([startService(folder.path, '--demo'), startChromium()])
const key = (await service.printed(/Demo key.*: (\S+)/))[1]!
const page = await browser.newPage({ viewport: { width: 1280, height: 680 }, colorScheme: 'light' })
await page.goto(`http://127.0.0.1:${service.port}/board#sport=football&key=${key}`)
await page.waitForSelector('td.cell .odds')
done(folder.path, 'suspend', '--bookmaker', SUSPENDED)
await page.waitForSelector('td.cell.suspended')
// So that some prices have moved meanwhile.
await page.waitForTimeout(MOVING_MS)
await page.screenshot({ path: FILE })
await browser.close()
await service.stop()
folder.remove()
const { size } = statSync(FILE)
console.log(`${FILE}: ${size} octets`)
if (size > BYTES_MAX) throw new Error(`more than ${BYTES_MAX} octets`)
