// oddswire doctor: what is wrong with an installation, and what to do.

import { readFileSync } from 'node:fs'
import { askServer } from '../access/admin-client.ts'
import { isFault, messageOf } from '../access/fault.ts'
import { isHeld } from '../access/file-lock.ts'
import { holderOf, type ServerInfo } from '../access/holder.ts'
import * as clock from '../clock.ts'
import { type Settings, unknownVariables, variableOf, SETTINGS } from '../config.ts'
import { didYouMean } from '../feed/nearest.ts'
import { parseFlags } from './arguments.ts'
import { clockFindings } from './doctor-clock.ts'
import { diskFindings } from './doctor-disk.ts'
import { certificateFinding, portFindings } from './doctor-ports.ts'
import { redisFindings } from './doctor-redis.ts'
import { faultLines, FEEDS_FILE, loadFeeds } from './feeds-setup.ts'
import { fine, type Finding, note, warning, wrong } from './findings.ts'
import { countOf, LIST_HELP, printRows, tally } from './table.ts'

const help = `oddswire doctor [--json] [settings]

Looks at an installation as serve would find it, with the same settings, and says what is wrong and what to do: program,
settings, ports, connections, address, certificate, data folder, disk (space, time of a flush), store, coverage, log, clock,
Redis (with --redis-url: what a RECEIPT is worth with its settings), sources, and the running server, where one has the data
folder. Changes nothing: one file of 60 KB is written into the
data folder to time the disk, and deleted. Run it as the user of the service.
${LIST_HELP}

Levels: fine, note (nothing to do), warning (it runs, and may surprise), wrong. Exit code 1 where something is wrong.`

/** Major versions of Node for which all native modules ship binaries: `engines` of package.json. */
const enginesOf = (): string[] => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  const { engines } = JSON.parse(text) as { readonly engines: { readonly node: string } }
  return engines.node.match(/\d+/g) ?? []
}

const programFinding = (): Finding => {
  const versions = enginesOf()
  const major = process.versions.node.split('.', 1)[0]!
  return versions.includes(major)
    ? fine('program', `Node ${process.version}`)
    : wrong('program', `Node ${process.version} is not supported`, `install Node ${versions.join(' or ')}`)
}

const settingsFinding = (): Finding => {
  const unknown = unknownVariables()
  const [first] = unknown
  if (first === undefined) return fine('settings', 'flags, variables and .env are valid')
  const meant = didYouMean(first, Object.keys(SETTINGS).map(variableOf))
  return warning(
    'settings',
    `${unknown.join(', ')}: no setting has this name${meant}`,
    'correct it (oddswire serve --help lists all), or leave it where a source names it',
  )
}

const sourceFindings = ({ feeds: path }: Settings): Finding[] => {
  const feeds = loadFeeds(path, () => undefined)
  const id = 'sources'
  const advice = 'oddswire feed check shows all of the configuration'
  if (feeds === undefined) {
    return [
      warning(
        id,
        `there is no ${FEEDS_FILE}: prices come from feed keys only`,
        'name one with --feeds (docs/feeds.md)',
      ),
    ]
  }
  if (isFault(feeds)) return [wrong(id, feeds.fault, 'make it readable for this user, or name another with --feeds')]
  const faults = faultLines(feeds)
  const never = feeds.plans.filter(({ never: reason, off = null }) => reason !== null && off === null)
  return [
    ...faults.map((each) => wrong(id, each, `correct ${feeds.path}, or set what it names; ${advice}`)),
    ...feeds.warnings.map((each) => warning(id, each, 'use an encrypted scheme')),
    ...never.map(({ terms, never: reason }) => note(id, `${terms.name} ${reason}`)),
    ...(faults.length === 0 ? [fine(id, `${feeds.path}: ${countOf(feeds.sources, 'source')}`)] : []),
  ]
}

/** What the running server says of itself. */
const serverFinding = async (dataDir: string, running: ServerInfo | undefined): Promise<Finding> => {
  const id = 'server'
  if (running === undefined) return note(id, 'none runs with this data folder')
  const answer = await askServer(dataDir, '/readyz')
  if (isFault(answer))
    return wrong(id, answer.fault, 'see its log; if it hangs, end it with SIGKILL: nothing stored is lost')
  const lines = answer.text.trim().split('\n')
  const who = `process ${running.pid}`
  if (answer.status !== 200)
    return wrong(id, `${who} is not ready: ${lines.join('; ')}`, 'see docs/operations.md 1, 6 and 11')
  const off = lines.slice(1)
  return off.length === 0
    ? fine(id, `${who} is ready`)
    : wrong(
        id,
        `${who} is ready without: ${off.join('; ')}`,
        'oddswire feed status has the reasons; mend them and send SIGHUP',
      )
}

/** A check that itself fails is a finding, and the others go on. */
const guarded = async (id: string, look: () => Promise<Finding[]> | Finding[]): Promise<Finding[]> => {
  try {
    return await look()
  } catch (error) {
    return [wrong(id, `it could not be looked at (${messageOf(error)})`, 'run this as the user of the service')]
  }
}

/** Runs `oddswire doctor`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(argv, help, { json: { type: 'boolean' } })
  if (typeof parsed === 'number') return parsed
  const { settings, flags } = parsed
  let running: ServerInfo | undefined
  const held = await guarded('server', () => {
    running = isHeld(settings.dataDir) ? (holderOf(settings.dataDir) ?? { pid: 0, startedAt: 0 }) : undefined
    return []
  })
  const findings = [
    programFinding(),
    settingsFinding(),
    ...(await guarded('ports', () => portFindings(settings, running))),
    ...(await guarded('certificate', () => [certificateFinding(settings, clock.now())])),
    ...(await guarded('data folder', () => diskFindings(settings))),
    ...(await guarded('clock', () => clockFindings(settings.dataDir))),
    ...(await guarded('redis', () => redisFindings(settings))),
    ...(await guarded('sources', () => sourceFindings(settings))),
    ...held,
    ...(held.length > 0 ? [] : await guarded('server', async () => [await serverFinding(settings.dataDir, running)])),
  ]
  const levels = (['wrong', 'warning', 'note', 'fine'] as const).flatMap((level) =>
    findings.filter((each) => each.level === level).map(() => level),
  )
  printRows(
    findings.map(({ id, level, found, advice }) => ({ id, level, found, do: advice })),
    {
      json: flags.json === true,
      table: findings.map(({ id, level, found }) => ({ what: id, is: level, found })),
      summary: [
        ...findings.flatMap(({ id, level, found, advice }) =>
          advice === null ? [] : [`${level}: ${id}: ${found}`, `    do: ${advice}`],
        ),
        tally(levels),
      ],
    },
  )
  return levels.includes('wrong') ? 1 : 0
}
