// oddswire feed run: runs one configured source without a server, and prints its observations.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { isFault } from '../access/fault.ts'
import * as clock from '../clock.ts'
import { Account } from '../source/kit/account.ts'
import { wireObservation } from '../source/observations/observations.ts'
import { parseFlags, refused, usage, warned } from './arguments.ts'
import { loadFeeds, NO_FEEDS_FILE, usableFeeds } from './feeds-setup.ts'

const help = `oddswire feed run NAME [--feeds FILE] [--seconds N]

Runs one source of the configuration without a server, and prints its observations, one JSON object a line: the format
"observations", which serve --replay and feed send read. Problems are logged to stderr. Ends on SIGTERM or SIGINT.

  --seconds N    end after N seconds`

/** Runs `oddswire feed run NAME`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(
    argv,
    help,
    { seconds: { type: 'string' } },
    { settings: ['feeds', 'log-level'], positionals: ['NAME'] },
  )
  if (typeof parsed === 'number') return parsed
  const { seconds } = parsed.flags
  if (seconds !== undefined && !/^\d{1,6}(\.\d+)?$/.test(seconds)) {
    return usage(`--seconds must be a number of seconds, not "${seconds}"`, help)
  }
  const loaded = loadFeeds(parsed.settings.feeds, () => undefined)
  if (loaded === undefined) return refused(NO_FEEDS_FILE)
  const feeds = isFault(loaded) ? loaded : usableFeeds(loaded, () => true)
  if (isFault(feeds)) return refused(feeds.fault)
  for (const warning of feeds.warnings) warned(warning)
  const name = parsed.positionals[0]!
  const plan = feeds.plans.find(({ terms }) => terms.name === name)
  if (plan === undefined) {
    return refused(
      `${feeds.path} has no source "${name}"; it has ${feeds.plans.map(({ terms }) => terms.name).join(', ')}`,
    )
  }
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  const note = (text: string): void => {
    process.stderr.write(`${name}: ${text}\n`)
  }
  const account = new Account()
  if (plan.never !== null) return refused(`${name} ${plan.never}`)
  const connector = plan.connect({
    name,
    account,
    now: clock.now,
    chance: () => randomInt(2 ** 32) / 2 ** 32,
    producer: (part) => ({
      observe: async (observations) => {
        for (const observation of observations) {
          if (!process.stdout.write(`${JSON.stringify(wireObservation(observation))}\n`)) {
            await once(process.stdout, 'drain', { signal: stopping.signal }).catch(() => {})
          }
        }
        return true
      },
      suspect: (doubt) => note(`${part}: its quotes are suspended (${doubt})`),
      confirm: async () => {},
      end: async () => note(`${part}: its quotes are closed`),
      leave: async () => {},
    }),
    alive: () => {},
    log: (_level, message) => note(message),
    onMalformed: (place, reason) => note(`${place}: ${reason}; skipped`),
  })
  const timer = seconds === undefined ? undefined : setTimeout(() => stopping.abort(), Number(seconds) * 1_000)
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
  clearTimeout(timer)
  await connector.stop()
  const { read, mapped, malformed } = account.totals()
  note(`${read} outcomes read, ${mapped} mapped, ${malformed} parts malformed`)
  return malformed === 0 ? 0 : 1
}
