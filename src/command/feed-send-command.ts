// oddswire feed send: sends a recording to a running engine.

import { randomInt } from 'node:crypto'
import { isFault } from '../access/fault.ts'
import { isSecret } from '../access/key.ts'
import * as clock from '../clock.ts'
import { LIMITS } from '../limits.ts'
import { isLoopback } from '../domain/loopback.ts'
import { endpointOf } from '../source/kit/stomp-connection.ts'
import { progressLine } from '../feed/replay.ts'
import { isSendFault, isWhole, type SendOptions, type SendSummary, send, sendLines } from '../feed/send.ts'
import type { SenderLimits } from '../feed/sender.ts'
import { FORMAT_NAMES } from '../source/formats.ts'
import { parseFlags, refused, usage, warned } from './arguments.ts'
import { KEY_HELP, readKey } from './secret.ts'
import { RECORDING_FLAGS, RECORDING_HELP, type RecordingFlags, recordingTerms } from './recording-flags.ts'

const help = `oddswire feed send FILE --format FORMAT --to stomp://HOST:PORT [--key FEED_KEY]
                  [--speed X] [--rebase] [--transport rest|live|both]

Sends a recording to a running engine, and checks that each of its observations gets a RECEIPT.

  --to ADDRESS        stomp://HOST:PORT, or stomp+ssl://HOST:PORT for TLS (default port: 61613)
  --key FEED_KEY      from oddswire key create --org NAME --feed BOOKMAKERS;
                      ${KEY_HELP}
  --speed X           play it in its own time, X times as fast; 1 is real time (default: as fast as RECEIPTs come)
  --rebase            shift its times by whole minutes, so that its newest observation is less than a minute old;
                      with --speed: each observation has the time at which it is sent, and kickoffs move by the
                      same time as the first observation
${RECORDING_HELP}

A connection that breaks is replaced, and what has no RECEIPT is sent again. The summary is a table on a terminal, else
one JSON object. Exit code 1 when anything was malformed, refused or not sent. SIGTERM and SIGINT stop it early.`

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

interface SendFlags extends RecordingFlags {
  readonly to?: string
  readonly key?: string
  readonly speed?: string
  readonly rebase?: boolean
}

type Sending = Pick<SendOptions, 'path' | 'format' | 'transport' | 'facts' | 'rebase' | 'speed' | 'endpoint' | 'key'>

const sendingOf = async (path: string, flags: SendFlags): Promise<Sending | number> => {
  const { format, to, speed, rebase = false } = flags
  if (format === undefined) return usage(`--format is missing, one of ${FORMAT_NAMES.join(', ')}`, help)
  if (to === undefined) return usage('--to is missing, like stomp://127.0.0.1:61613', help)
  const key = await readKey(flags.key)
  if (key === undefined) return usage('--key is missing, and ODDSWIRE_KEY is not set: give a feed key', help)
  if (isFault(key)) return refused(key.fault)
  const terms = recordingTerms({ ...flags, format })
  if (isFault(terms)) return refused(terms.fault)
  const endpoint = endpointOf(to)
  // Neither address nor key are repeated: one of them may be a secret in the wrong place.
  if (endpoint === undefined) return refused('--to must be stomp://HOST:PORT or stomp+ssl://HOST:PORT')
  if (!isSecret(key)) return refused('--key (or ODDSWIRE_KEY) is incomplete or mistyped')
  if (!key.startsWith('odds_feed_')) {
    return refused(
      '--key (or ODDSWIRE_KEY) must be a feed key, from oddswire key create --feed; this is a customer key, which can only read',
    )
  }
  const times = speed === undefined ? null : Number(speed)
  if (times !== null && !(/^(\d+\.?\d*|\.\d+)$/.test(speed!) && times > 0 && Number.isFinite(times))) {
    return refused(`--speed must be a number above 0, not "${speed}"`)
  }
  return {
    ...terms,
    path,
    rebase,
    speed: times,
    endpoint,
    key,
  }
}

/** Runs `oddswire feed send …`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(
    argv,
    help,
    {
      to: { type: 'string' },
      key: { type: 'string' },
      speed: { type: 'string' },
      rebase: { type: 'boolean' },
      ...RECORDING_FLAGS,
    },
    { settings: ['log-level'], positionals: ['FILE'] },
  )
  if (typeof parsed === 'number') return parsed
  const sending = await sendingOf(parsed.positionals[0]!, parsed.flags)
  if (typeof sending === 'number') return sending

  const { host, tls } = sending.endpoint
  if (!tls && !isLoopback(host)) {
    warned('--to is not encrypted: anybody on the network can read the feed key; use stomp+ssl://')
  }

  const stopping = new AbortController()
  // Once: a second signal ends the process without waiting for the last receipts.
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
  if (summary.unnamed !== undefined) note(`${summary.path} ${summary.unnamed}`)
  // If nothing was read at all, the fault is sufficient.
  if (!isSendFault(result) || summary.observations > 0 || summary.totals.malformed > 0) {
    process.stdout.write(
      process.stdout.isTTY ? `${sendLines(summary).join('\n')}\n` : `${JSON.stringify(shown(summary))}\n`,
    )
  }
  if (isSendFault(result)) return refused(result.fault)
  return isWhole(result) ? 0 : 1
}

/** The summary as one object of JSON. */
const shown = ({ path, observations, totals, sourceMarkets, refusals, ...summary }: SendSummary) => ({
  file: path,
  ...summary,
  ...totals,
  unmappedBy: Object.fromEntries(totals.unmappedBy),
  sourceMarkets: sourceMarkets.map(({ sport, sourceMarket, fates }) => ({
    sourceMarket,
    sport,
    ...Object.fromEntries(fates),
  })),
  observations,
  refusals,
})
