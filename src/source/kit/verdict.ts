// The meaning of an answer for the schedule.

import type { HttpAnswer } from './http-client.ts'

export type Verdict =
  | 'ok'
  /** 304 */
  | 'unchanged'
  | 'gone'
  /** Asks for slower requests. */
  | 'slow_down'
  /** The credentials, ours or the proxy's, are refused. */
  | 'refused'
  /** The URL is wrong: another try will not help. */
  | 'wrong'
  /** Another try may help. */
  | 'failed'

const VERDICTS: ReadonlyMap<number, Verdict> = new Map([
  [200, 'ok'],
  [304, 'unchanged'],
  [404, 'gone'],
  [410, 'gone'],
  [401, 'refused'],
  [403, 'refused'],
  [407, 'refused'],
  [408, 'failed'],
  [425, 'failed'],
  [429, 'slow_down'],
])

export const verdictOf = ({ status, retryAfterMs }: HttpAnswer): Verdict => {
  if (status === 503 && retryAfterMs !== null) return 'slow_down'
  return VERDICTS.get(status) ?? (status >= 500 ? 'failed' : 'wrong')
}

/** Text for a verdict that is a problem, after the name of its target. */
export const WORDS: Readonly<Partial<Record<Verdict, string>>> = {
  slow_down: 'asks for fewer requests',
  refused: 'credentials refused',
  wrong: 'refuses the request',
  gone: 'was not found',
  failed: 'failed',
}

/** What the source says about its refusal, unchanged, where it says it in one of the usual ways. */
export const saidIn = (text: string): string | undefined => {
  try {
    const value = JSON.parse(text) as Readonly<Record<string, unknown>> | null
    const said = value?.message ?? value?.detail ?? value?.error
    return typeof said === 'string' ? said : undefined
  } catch {
    return undefined
  }
}
