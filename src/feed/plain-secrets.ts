// Secrets of a configuration that would cross a network unencrypted.

import type { FeedsFile } from './feeds-file.ts'
import { KINDS } from './source-kinds.ts'

/** One sentence for each field that would send a secret over an unencrypted connection to another machine. */
export const plainSecrets = (
  { sources, proxies }: FeedsFile,
  secretOf: (name: string) => string | undefined,
): readonly string[] => {
  const valueOf = (text: string): string => (text.startsWith('$') ? (secretOf(text.slice(1)) ?? '') : text)
  return sources.flatMap((source) =>
    (KINDS[source.kind].plainFields?.(source, { proxies, valueOf }) ?? []).map(
      ([field, secret]) =>
        `source ${source.name}: ${field} is not encrypted, so that ${secret} can be read on the way; use TLS`,
    ),
  )
}
