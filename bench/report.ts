// What every bench prints: one JSON object with the machine, the versions, the figures and their ratios.

import { arch, cpus, platform, release, totalmem } from 'node:os'

/** The machine and the versions of a run. */
export const machine = () => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()} ${arch()}`,
  node: process.version,
  v8: process.versions.v8,
})

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >>> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Three significant digits: more would claim what a shared machine cannot show. */
export const rounded = (value: number): number => Number(value.toPrecision(3))

/** Median and spread of several rounds, and each of them. */
export const spread = (values: readonly number[]) => ({
  median: rounded(median(values)),
  min: rounded(Math.min(...values)),
  max: rounded(Math.max(...values)),
  medianRounds: values.map(rounded),
})

/**
 * A ratio over rounds in which both sides took turns: the median of the rounds' ratios, which a machine that was slow for some
 * rounds disturbs least, and each of them, from which the noise is seen.
 * @returns `{ [name]: median, [nameRounds]: ratios }`
 */
export const ratio = <Name extends string>(
  name: Name,
  dividends: readonly number[],
  divisors: readonly number[],
): { readonly [key in Name]: number } & { readonly [key in `${Name}Rounds`]: readonly number[] } => {
  const of = (values: readonly number[], round: number): number => values[Math.min(round, values.length - 1)]!
  const count = Math.max(dividends.length, divisors.length)
  const rounds = Array.from({ length: count }, (_, round) => of(dividends, round) / of(divisors, round))
  return { [name]: rounded(median(rounds)), [`${name}Rounds`]: rounds.map(rounded) } as never
}

export const print = (result: object): void => {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
