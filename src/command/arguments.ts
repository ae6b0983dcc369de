// Shared by commands: parsing of the command line, and exit codes.

import { parseArgs } from 'node:util'
import { messageOf } from '../access/fault.ts'
import { didYouMean } from '../feed/nearest.ts'
import { loadEnvironmentFile, readSettings, SETTINGS, type SettingName, type Settings, variableOf } from '../config.ts'

/** Exit code 1: one line says what was refused and what to do. */
export const refused = (message: string): number => {
  process.stderr.write(`oddswire: ${message}\n`)
  return 1
}

/** One line on stderr; the command continues. */
export const warned = (message: string): void => {
  process.stderr.write(`oddswire: warning: ${message}\n`)
}

/** Exit code 1, for unexpected errors: one line; its stack only for debugging. */
export const failed = (error: unknown, argv: readonly string[]): number => {
  const place = argv.findIndex((word) => /^--log-level(=|$)/.test(word))
  const level = argv[place]?.split('=')[1] ?? argv[place + 1]
  const settings = readSettings(place === -1 ? {} : { 'log-level': level })
  const isDebugging = 'logLevel' in settings && ['debug', 'trace'].includes(settings.logLevel)
  return refused(isDebugging && error instanceof Error ? String(error.stack) : messageOf(error))
}

/** Exit code 2: what is wrong with the command line, and the first paragraph of its help. */
export const usage = (message: string, help: string): number => {
  process.stderr.write(`oddswire: ${message}\nusage: ${help.split('\n\n', 1)[0]}\n`)
  return 2
}

/** Refuses a word of the command line that has to be one of some. */
export const unknownWord = (missing: string, unknown: string, word: string, words: readonly string[]): string =>
  word === ''
    ? `${missing}; use one of ${words.join(', ')}`
    : `${unknown}${didYouMean(word, words) || `; use one of ${words.join(', ')}`}`

/** `multiple`: a text that may be given several times. */
type FlagTypes = Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: true }>>

type Flags<Types extends FlagTypes> = {
  readonly [Name in keyof Types]?: Types[Name] extends { readonly multiple: true }
    ? readonly string[]
    : Types[Name]['type'] extends 'boolean'
      ? boolean
      : string
}

export interface Expected {
  /** Settings that may be given as flags; all when left out. */
  readonly settings?: readonly SettingName[]
  /** Names of the arguments that must be given. */
  readonly positionals?: readonly string[]
  /** Whether the last of them may be given several times. */
  readonly more?: boolean
  /** Whether the last of them may be left out. */
  readonly mayOmit?: boolean
}

export interface Parsed<Types extends FlagTypes> {
  readonly flags: Flags<Types>
  readonly positionals: readonly string[]
  readonly settings: Settings
}

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly multiple?: boolean }>>

/** A number below 0 after a flag is its value, so that whoever checks the value says what it has to be. */
const withNegatives = (argv: readonly string[], options: Options): string[] => {
  const args: string[] = []
  for (const [place, word] of argv.entries()) {
    if (word === '--') return [...args, ...argv.slice(place)]
    const flag = args.at(-1) ?? ''
    if (/^-\.?\d/.test(word) && flag.startsWith('--') && options[flag.slice(2)]?.type === 'string') {
      args[args.length - 1] = `${flag}=${word}`
    } else args.push(word)
  }
  return args
}

/** Parses a command line strictly. A number is an exit code: help was shown, or the command line is invalid. */
export const parseFlags = <Types extends FlagTypes>(
  argv: readonly string[],
  help: string,
  types: Types,
  {
    settings: names = Object.keys(SETTINGS) as SettingName[],
    positionals: wanted = [],
    more = false,
    mayOmit = false,
  }: Expected = {},
): Parsed<Types> | number => {
  const end = argv.indexOf('--')
  if (argv.slice(0, end === -1 ? undefined : end).some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(`${help}\n\n${settingsHelp(names)}\n`)
    return 0
  }
  const options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }> = { ...types }
  for (const name of names) options[name] = { type: 'string' }
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({ args: withNegatives(argv, options), options, strict: true, allowPositionals: true })
  } catch (error) {
    // Its first sentence; the rest explains an escape that is not needed here.
    const message = (error as Error).message.split(/\. |\n/, 1)[0]!
    const unknown = /^Unknown option '--([\w-]+)/.exec(message)?.[1]
    return usage(
      `${message}${
        unknown === undefined
          ? ''
          : didYouMean(
              `--${unknown}`,
              Object.keys(options).map((name) => `--${name}`),
            )
      }`,
      help,
    )
  }
  const { values, positionals } = parsed
  if (positionals.length < wanted.length - Number(mayOmit))
    return usage(`${wanted[positionals.length]} is missing`, help)
  // Not repeated, because it may be a secret.
  if (positionals.length > wanted.length && !more)
    return usage(
      `too many arguments: ${positionals.length} given, ${wanted.length === 0 ? 'none' : wanted.length} needed`,
      help,
    )
  loadEnvironmentFile()
  const settings = readSettings(values)
  if ('setting' in settings) return refused(`${settings.setting} ${settings.message}`)
  return { flags: values as Flags<Types>, positionals, settings }
}

const settingsHelp = (names: readonly SettingName[]): string => {
  const rows = names.map((name) => {
    const { fallback, help } = SETTINGS[name]
    return [
      `--${name} VALUE`,
      `${help}${fallback === '' ? '' : ` (default: ${fallback})`}; ${variableOf(name)}`,
    ] as const
  })
  return ['Settings, each a flag or an environment variable:', '', ...aligned(rows)].join('\n')
}

/** Two columns, indented. */
export const aligned = (rows: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
