// Paths of a source as the configuration writes them: `{operator}/betoffer/event/{id}.json?lang=en_GB`.

const PLACE = /\{([A-Za-z]+)\}/g

/**
 * A URL below a base, with values in the places of a template. A place without a value stays, so that the source's
 * refusal shows it.
 * @param base with or without a slash at its end
 */
export const urlOf = (base: string, template: string, values: Readonly<Record<string, string | number>> = {}): URL => {
  const path = template.replaceAll(PLACE, (place, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(values[name]!) : place,
  )
  return new URL(path.replace(/^\/+/, ''), base.endsWith('/') ? base : `${base}/`)
}
