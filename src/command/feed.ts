// oddswire feed: what feeds a running engine from outside.

import { randomInt } from 'node:crypto'
import { isSecret } from '../access/key.ts'
import * as clock from '../clock.ts'
import { LIMITS } from '../config.ts'
import { FED_TRANSPORTS, type FedTransport } from '../domain/transport.ts'
import type { Endpoint } from '../feed/connection.ts'
import { progressLine } from '../feed/replay.ts'
import { isSendFault, isWhole, type SendOptions, type SendSummary, send, sendLines } from '../feed/send.ts'
import type { SenderLimits } from '../feed/sender.ts'
import { FORMAT_NAMES, isFormatName } from '../normalise/formats.ts'
import { parseFlags, refused, usage } from './arguments.ts'

const help = `oddswire feed send FILE --format FORMAT --to stomp://HOST:PORT --key FEED_KEY
                  [--speed X] [--rebase] [--transport rest|live|both]

Sends a recording into a running engine, and sees that each observation of it is receipted.

  --format FORMAT     its format: ${FORMAT_NAMES.join(', ')}
  --to ADDRESS        stomp://HOST:PORT, or stomp+ssl://HOST:PORT for TLS (port: 61613 where none is given)
  --key FEED_KEY      from oddswire key create --org NAME --feed BOOKMAKERS
  --speed X           play it in its own time, X times as fast; 1 is real time (default: as fast as receipts come)
  --rebase            shift its times by whole minutes, so that its newest observation is less than a minute old;
                      with --speed: each is observed when it is sent, and kickoffs move with the first of them
  --transport T       the product channels that it feeds: ${FED_TRANSPORTS.join(', ')} (default: as it says, else rest)

A connection that breaks is replaced, and what has no receipt is sent again. The summary is a table on a terminal, else
one JSON object. Ends with 1 when anything was malformed, refused or not sent; SIGTERM and SIGINT stop it early.`

const DEFAULT_PORT = 61_613

const SENDER_LIMITS: SenderLimits = {
  unansweredMax: 256,
  unansweredBytesMax: 8 * 1024 * 1024,
  bodyBytesMax: LIMITS.feedBodyBytesMax,
  openMsMax: 10_000,
  closeMsMax: 2_000,
  answerMsMax: 30_000,
  triesMax: 10,
  pauseMsMin: 250,
  pauseMsMax: 10_000,
}

/** Runs `oddswire feed …`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const [name = '', ...rest] = argv
  if (name === 'send') return runSend(rest)
  if (name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(`${help}\n`)
    return 0
  }
  // Not repeated where it is a flag: its value may be a secret.
  const problem = name === '' || name.startsWith('-') ? 'feed needs an action' : `feed has no action "${name}"`
  return usage(`${problem}: send`, help)
}

interface SendFlags {
  readonly format?: string
  readonly to?: string
  readonly key?: string
  readonly speed?: string
  readonly rebase?: boolean
  readonly transport?: string
}

type Sending = Pick<SendOptions, 'path' | 'format' | 'transport' | 'rebase' | 'speed' | 'endpoint' | 'key'>

/**
 * Reads `stomp://HOST:PORT` and `stomp+ssl://HOST:PORT`; undefined where it is neither. Whatever else a URL may hold
 * would have no effect, or be a secret in the wrong place.
 */
const endpointOf = (text: string): Endpoint | undefined => {
  const match = /^stomp(\+ssl)?:\/\/(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+))(?::(\d{1,5}))?\/?$/i.exec(text)
  if (match === null) return undefined
  const [, tls, address, name] = match
  const port = Number(match[4] ?? DEFAULT_PORT)
  return port >= 1 && port <= 65_535 ? { host: (address ?? name)!, port, tls: tls !== undefined } : undefined
}

const sendingOf = (path: string, flags: SendFlags): Sending | number => {
  const { format, to, key, speed, rebase = false, transport } = flags
  if (format === undefined) return usage(`--format is missing, one of ${FORMAT_NAMES.join(', ')}`, help)
  if (to === undefined) return usage('--to is missing, like stomp://127.0.0.1:61613', help)
  if (key === undefined) return usage('--key is missing: a feed key', help)
  if (!isFormatName(format)) return refused(`--format must be one of ${FORMAT_NAMES.join(', ')}, not "${format}"`)
  if (transport !== undefined && !FED_TRANSPORTS.includes(transport as FedTransport)) {
    return refused(`--transport must be one of ${FED_TRANSPORTS.join(', ')}, not "${transport}"`)
  }
  const endpoint = endpointOf(to)
  // Neither address nor key are repeated: a secret may stand in the wrong one.
  if (endpoint === undefined) return refused('--to must be stomp://HOST:PORT or stomp+ssl://HOST:PORT')
  if (!isSecret(key)) return refused('--key is no whole secret: it is incomplete or mistyped')
  if (!key.startsWith('odds_feed_')) {
    return refused('--key must be a feed key, one that oddswire key create --feed has made; this one can only read')
  }
  const times = speed === undefined ? null : Number(speed)
  if (times !== null && !(/^(\d+\.?\d*|\.\d+)$/.test(speed!) && times > 0 && Number.isFinite(times))) {
    return refused(`--speed must be a number above 0, not "${speed}"`)
  }
  return {
    path,
    format,
    transport: (transport as FedTransport | undefined) ?? null,
    rebase,
    speed: times,
    endpoint,
    key,
  }
}

const runSend = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(
    argv,
    help,
    {
      format: { type: 'string' },
      to: { type: 'string' },
      key: { type: 'string' },
      speed: { type: 'string' },
      rebase: { type: 'boolean' },
      transport: { type: 'string' },
    },
    { settings: ['log-level'], positionals: ['FILE'] },
  )
  if (typeof parsed === 'number') return parsed
  const sending = sendingOf(parsed.positionals[0]!, parsed.flags)
  if (typeof sending === 'number') return sending

  const stopping = new AbortController()
  // Once: whoever does not want to wait for the last receipts repeats the signal.
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stopping.abort())

  const isTerminal = process.stderr.isTTY === true
  const clearLine = isTerminal ? '\r\u001b[K' : ''
  const note = (text: string): void => {
    process.stderr.write(`${clearLine}${text}\n`)
  }
  const result = await send({
    ...sending,
    now: clock.now,
    chance: () => randomInt(2 ** 32) / 2 ** 32,
    limits: { ...LIMITS, ...SENDER_LIMITS },
    onMalformed: (place, reason) => note(`${place}: ${reason}; skipped`),
    onRefused: (place, reason) => note(`${place}: ${reason}`),
    onBroken: (reason, pauseMs) =>
      note(`the connection is broken: ${reason}; the next try is in ${(pauseMs / 1000).toFixed(1)} s`),
    onProgress: (bytesRead, bytesTotal) => {
      if (!isTerminal) return
      process.stderr.write(clearLine + progressLine(bytesRead, bytesTotal, process.stderr.columns ?? 80, 'send'))
    },
    signal: stopping.signal,
  })
  process.stderr.write(clearLine)
  const summary = isSendFault(result) ? result.summary : result
  // Where nothing was even read, the fault says it all.
  if (!isSendFault(result) || summary.taken > 0 || summary.totals.malformed > 0) {
    process.stdout.write(
      process.stdout.isTTY ? `${sendLines(summary).join('\n')}\n` : `${JSON.stringify(shown(summary))}\n`,
    )
  }
  if (isSendFault(result)) return refused(result.fault)
  return isWhole(result) ? 0 : 1
}

/** The summary as one object of JSON. */
const shown = ({ path, taken, totals, sourceMarkets, refusals, ...summary }: SendSummary) => ({
  file: path,
  ...summary,
  ...totals,
  unmappedBy: Object.fromEntries(totals.unmappedBy),
  sourceMarkets: sourceMarkets.map(({ sourceMarket, fates }) => ({ sourceMarket, ...Object.fromEntries(fates) })),
  observations: taken,
  refusals,
})
