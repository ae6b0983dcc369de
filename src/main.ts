#!/usr/bin/env node
// The command line: picks the command and runs it.

import { readFileSync } from 'node:fs'
import { aligned, failed, unknownWord, usage } from './command/arguments.ts'
import { holdHangups } from './command/hangup.ts'
import { useNodeCache } from './command/node-cache.ts'

useNodeCache()

// Files of this process are private to its user, in any folder: keys, usage, backups, and all that SQLite adds.
process.umask(0o077)

interface Command {
  readonly summary: string
  /** Loaded only when it is run, so that no command waits for the others. */
  readonly load: () => Promise<{ readonly run: (argv: readonly string[]) => Promise<number> }>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: { summary: 'run the engine', load: () => import('./command/serve-command.ts') },
  org: { summary: 'organizations: create, set, list', load: () => import('./command/organization-command.ts') },
  plan: { summary: 'plans: set, list', load: () => import('./command/plan-command.ts') },
  key: { summary: 'API keys: create, list, revoke', load: () => import('./command/key-command.ts') },
  user: {
    summary: 'users of the portal: create, list, link, set, remove',
    load: () => import('./command/user-command.ts'),
  },
  audit: {
    summary: 'who changed what, and which requests were refused: list, refusals',
    load: () => import('./command/audit-command.ts'),
  },
  event: {
    summary: 'events of several sources: conflicts, decisions, merge, split, alias, undo',
    load: () => import('./command/event-command.ts'),
  },
  suspend: {
    summary: 'show the open quotes of a bookmaker as suspended',
    load: async () => ({ run: (await import('./command/suspend-command.ts')).runNamed('suspend') }),
  },
  resume: {
    summary: 'end what oddswire suspend began',
    load: async () => ({ run: (await import('./command/suspend-command.ts')).runNamed('resume') }),
  },
  coverage: {
    summary: 'bookmakers and coverage: import, list, set, remove, removals, history, verify',
    load: () => import('./command/coverage-command.ts'),
  },
  explain: {
    summary: 'why a key sees a quote, or does not: the rule that hides it',
    load: () => import('./command/explain-command.ts'),
  },
  feed: { summary: 'sources: status, explain, send, run, check', load: () => import('./command/feed-command.ts') },
  backup: { summary: 'copy the store, also while the server runs', load: () => import('./command/backup-command.ts') },
  log: { summary: 'the log: check, dump, stat', load: () => import('./command/log-command.ts') },
  doctor: {
    summary: 'what is wrong with this installation, and what to do',
    load: () => import('./command/doctor-command.ts'),
  },
  spec: { summary: 'print the OpenAPI document', load: () => import('./command/spec-command.ts') },
}

const HELP = [
  'oddswire COMMAND …',
  '',
  'An in-memory real-time odds engine.',
  '',
  ...aligned(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary])),
  '',
  'To begin: oddswire serve --demo runs simulated bookmakers, and prints a key and lines to paste.',
  'oddswire COMMAND --help for more. Exit codes: 0 done, 1 refused or failed, 2 invalid command line.',
].join('\n')

const versionOf = (): string => {
  // From dist/src/main.js.
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

const main = async (argv: readonly string[]): Promise<number> => {
  const [name = '', ...rest] = argv
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(`${HELP}\n`)
    return 0
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${versionOf()}\n`)
    return 0
  }
  if (!Object.hasOwn(COMMANDS, name)) {
    const problem = unknownWord('COMMAND is missing', `there is no command "${name}"`, name, Object.keys(COMMANDS))
    return usage(`${problem} (oddswire --help lists all)`, HELP)
  }
  // Before modules that load slowly.
  if (name === 'serve') {
    holdHangups()
    // In a file of its own, which finds that of the thread beside it.
    const { beginEarly } = await import('./access/early-thread.ts')
    beginEarly()
  }
  const { run } = await COMMANDS[name]!.load()
  return run(rest)
}

const fail = (error: unknown): number => failed(error, process.argv)

// A reader that closes early (`| head`) is no failure, and no reason for a server to end.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exit(fail(error))
})
process.on('uncaughtException', (error) => process.exit(fail(error)))

// After a fault nothing may keep the process alive, neither the store's thread nor a port.
process.exitCode = await main(process.argv.slice(2)).catch((error) => process.exit(fail(error)))
