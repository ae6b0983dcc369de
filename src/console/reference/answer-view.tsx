// An answer of the service: status, time, headers with their meaning, and the body.

import { CodeBlock, Pill } from '../widgets.tsx'

export interface Answer {
  /** 0: none came. */
  readonly status: number
  readonly tookMs: number
  readonly octets: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

const BODY_CHARACTERS_MAX = 20_000

/** Those of interest, first things first. */
const SHOWN = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'etag',
  'x-odds-seq',
  'content-type',
  'content-encoding',
  'cache-control',
  'allow',
]

export const shownHeaders = (headers: Headers): Answer['headers'] =>
  SHOWN.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })

const NAMES: Readonly<Record<string, string>> = { etag: 'ETag', 'x-odds-seq': 'X-Odds-Seq' }

const nameOf = (name: string): string =>
  NAMES[name] ?? name.replace(/(^|-)([a-z])/g, (letter) => letter.toUpperCase()).replace('Ratelimit', 'RateLimit')

const meaningOf = (name: string, value: string): string => {
  if (name === 'x-ratelimit-reset') return new Date(Number(value) * 1000).toLocaleTimeString()
  if (name === 'x-odds-seq') return 'position in the log; from-seq of the live channel'
  if (name === 'etag') return 'send it as If-None-Match'
  return name === 'retry-after' ? 'seconds' : ''
}

const indented = (text: string): string => {
  try {
    const shown = JSON.stringify(JSON.parse(text), null, 2)
    return shown.length > BODY_CHARACTERS_MAX ? `${shown.slice(0, BODY_CHARACTERS_MAX)}\n… and more` : shown
  } catch {
    return text.slice(0, BODY_CHARACTERS_MAX)
  }
}

const kindOf = (status: number): string => (status >= 200 && status < 400 ? 'good' : status === 429 ? 'warn' : 'bad')

export const AnswerView = ({ answer }: { readonly answer: Answer }) => {
  const { status, tookMs, octets, headers, body } = answer
  return (
    <>
      <p class="answer-head">
        <Pill kind={kindOf(status)}>{status === 0 ? 'no answer' : `Status ${status}`}</Pill>{' '}
        <span class="soft">
          {tookMs} ms · {octets.toLocaleString('en-GB')} octets
        </span>
      </p>
      {headers.length === 0 ? null : (
        <dl class="headers" aria-label="Headers">
          {headers.map(([name, value]) => (
            <div>
              <dt>{nameOf(name)}</dt>
              <dd>
                <code>{value}</code> <span class="soft">{meaningOf(name, value)}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {body === '' ? (
        <p class="soft">{status === 304 ? 'No body: you have these bytes already.' : 'No body.'}</p>
      ) : (
        <CodeBlock text={indented(body)} label="The answer" />
      )}
    </>
  )
}
