// What axe finds in a page.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What can differ from look to look: the structure is that of `light`. */
const RULES: Readonly<Record<string, object>> = {
  light: {},
  dark: { runOnly: ['color-contrast'] },
  narrow: { rules: { 'color-contrast': { enabled: false } } },
}

/** Faults that axe finds serious, each with where. @param look of `LOOKS` */
export const axe = async (page: Page, look: string): Promise<string[]> => {
  // Through the debugger, as the policy of the page lets no script in.
  await page.evaluate(AXE)
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...RULES[look] })})`,
  )) as {
    violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html} ${nodes[0]!.failureSummary}`)
}
