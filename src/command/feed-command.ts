// oddswire feed: the sources of an engine, and their state.

import { aligned, unknownWord, usage } from './arguments.ts'

interface FeedAction {
  readonly synopsis: string
  readonly summary: string
  readonly load: () => Promise<{ readonly run: (argv: readonly string[]) => Promise<number> }>
}

const ACTIONS: Readonly<Record<string, FeedAction>> = {
  status: {
    synopsis: '',
    summary: 'show the state of every source of the running server',
    load: () => import('./feed-status-command.ts'),
  },
  explain: {
    synopsis: 'FILE… --format F',
    summary: 'show what becomes of each market of a recording',
    load: () => import('./feed-explain-command.ts'),
  },
  send: {
    synopsis: 'FILE --format F --to A [--key K]',
    summary: 'send a recording to a running engine',
    load: () => import('./feed-send-command.ts'),
  },
  run: {
    synopsis: 'NAME [--feeds FILE]',
    summary: 'run one configured source without a server, and print its observations',
    load: () => import('./feed-run-command.ts'),
  },
  check: {
    synopsis: '[--feeds FILE]',
    summary: 'check a configuration of sources',
    load: () => import('./feed-check-command.ts'),
  },
}

const HELP = [
  `oddswire feed ${Object.keys(ACTIONS).join('|')} …`,
  '',
  ...aligned(
    Object.entries(ACTIONS).map(([name, { synopsis, summary }]) => [`${name} ${synopsis}`.trimEnd(), summary]),
  ),
  '',
  'oddswire feed ACTION --help for more.',
].join('\n')

/** Runs `oddswire feed …`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const [name = '', ...rest] = argv
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(`${HELP}\n`)
    return 0
  }
  if (Object.hasOwn(ACTIONS, name)) return (await ACTIONS[name]!.load()).run(rest)
  // A flag is not repeated, because its value may be a secret.
  const word = name.startsWith('-') ? '' : name
  return usage(unknownWord('feed needs an action', `feed has no action "${word}"`, word, Object.keys(ACTIONS)), HELP)
}
