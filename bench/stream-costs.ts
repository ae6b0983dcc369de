// From the rows of `stream.ts` to unit costs: what an entry and an octet cost, once to append and for each reader.

/** One row: entries of one size, so many readers. Times are CPU time for each entry appended, µs. */
export interface StreamCost {
  readonly octets: number
  readonly readers: number
  /** The thread of redis-server that carries out commands. */
  readonly mainUsPerEntry: number
  /** All its threads. */
  readonly allUsPerEntry: number
  /** The process of the bench, which appends and has all readers. */
  readonly clientUsPerEntry: number
  readonly memoryOctetsPerEntry: number
}

/** `appendUs + appendNsPerOctet × octets + readers × (readUs + readNsPerOctet × octets)`. */
export interface CostFit {
  readonly appendUs: number
  readonly appendNsPerOctet: number
  readonly readUs: number
  readonly readNsPerOctet: number
  /** The largest deviation of a row, as a share of it. */
  readonly errorMax: number
}

/** Solves `matrix × x = right` by elimination with pivots; a column that nothing determines gives 0. */
const solve = (matrix: readonly (readonly number[])[], right: readonly number[]): number[] => {
  const rows = matrix.map((row, n) => [...row, right[n]!])
  const size = rows.length
  for (let column = 0; column < size; column++) {
    let pivot = column
    for (let row = column; row < size; row++)
      if (Math.abs(rows[row]![column]!) > Math.abs(rows[pivot]![column]!)) pivot = row
    ;[rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!]
    const top = rows[column]!
    if (Math.abs(top[column]!) < 1e-12) continue
    for (let row = 0; row < size; row++) {
      if (row === column) continue
      const factor = rows[row]![column]! / top[column]!
      for (let place = column; place <= size; place++) rows[row]![place]! -= factor * top[place]!
    }
  }
  return rows.map((row, n) => (Math.abs(row[n]!) < 1e-12 ? 0 : row[size]! / row[n]!))
}

/** Columns of the formula for one row, in µs. */
const columnsOf = ({ octets, readers }: StreamCost): number[] => [1, octets / 1e3, readers, (readers * octets) / 1e3]

/**
 * The least squares of relative deviations, so that small entries count as much as large ones. A cost is never negative:
 * where the best fit has one that is, it is left out, and the rest is fitted again.
 */
export const fit = (rows: readonly StreamCost[], cost: (row: StreamCost) => number): CostFit => {
  let used = [0, 1, 2, 3]
  let found: number[] = [0, 0, 0, 0]
  for (;;) {
    const weighted = rows.map((row) => columnsOf(row).map((value) => value / cost(row)))
    const matrix = used.map((a) => used.map((b) => weighted.reduce((sum, row) => sum + row[a]! * row[b]!, 0)))
    const right = used.map((a) => weighted.reduce((sum, row) => sum + row[a]!, 0))
    const solved = solve(matrix, right)
    found = [0, 1, 2, 3].map((column) => solved[used.indexOf(column)] ?? 0)
    const negative = used.filter((column) => found[column]! < 0)
    if (negative.length === 0) break
    used = used.filter((column) => !negative.includes(column))
  }
  const three = (value: number): number => Number(value.toPrecision(3))
  const errors = rows.map((row) => {
    const predicted = columnsOf(row).reduce((sum, value, column) => sum + value * found[column]!, 0)
    return Math.abs(predicted / cost(row) - 1)
  })
  const [appendUs, appendNsPerOctet, readUs, readNsPerOctet] = found.map(three) as [number, number, number, number]
  return { appendUs, appendNsPerOctet, readUs, readNsPerOctet, errorMax: three(Math.max(...errors)) }
}

/** Unit costs of a Redis, and of the process that appends and reads. */
export const fitCosts = (rows: readonly StreamCost[]) => ({
  main: fit(rows, ({ mainUsPerEntry }) => mainUsPerEntry),
  all: fit(rows, ({ allUsPerEntry }) => allUsPerEntry),
  client: fit(rows, ({ clientUsPerEntry }) => clientUsPerEntry),
})
