// Which content coding a client asks for, by `Accept-Encoding` (RFC 9110 §12.5.3).

/** Longer values are parsed each time, and so many are remembered: clients of one kind send the same one. */
const REMEMBERED_LENGTH_MAX = 128
const REMEMBERED_MAX = 64

const remembered = new Map<string, boolean>()

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/** Its weight by each coding; undefined: the value is malformed. */
const weightsOf = (value: string): ReadonlyMap<string, number> | undefined => {
  const weights = new Map<string, number>()
  for (const entry of value.split(',')) {
    const [coding = '', ...parameters] = entry.split(';').map((part) => part.trim())
    // Empty entries of a list are ignored (RFC 9110 §5.6.1.2).
    if (coding === '' && parameters.length === 0) continue
    const weight = parameters.length === 0 ? '1' : WEIGHT.exec(parameters[0]!)?.[1]
    if (coding === '' || parameters.length > 1 || weight === undefined) return undefined
    const name = coding.toLowerCase()
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight))
  }
  return weights
}

const prefersGzip = (value: string): boolean => {
  const weights = weightsOf(value)
  const gzip = weights?.get('gzip') ?? weights?.get('*') ?? 0
  // Without a weight of its own, identity is only what is always acceptable.
  return gzip > 0 && gzip >= (weights?.get('identity') ?? 0)
}

/** Whether a client prefers gzip to identity. A malformed value asks for nothing. */
export const takesGzip = (acceptEncoding: string): boolean => {
  const known = remembered.get(acceptEncoding)
  if (known !== undefined) return known
  const prefers = prefersGzip(acceptEncoding)
  if (acceptEncoding.length <= REMEMBERED_LENGTH_MAX) {
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(acceptEncoding, prefers)
  }
  return prefers
}
