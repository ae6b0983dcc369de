// oddswire spec: the OpenAPI document.

import { openApiDocument } from '../rest/openapi-document.ts'
import { parseFlags } from './arguments.ts'

const help = `oddswire spec

Prints the OpenAPI 3.1 document that GET /api/v1/spec answers with.`

/** Runs the command. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(argv, help, {})
  if (typeof parsed === 'number') return parsed
  process.stdout.write(`${JSON.stringify(openApiDocument(parsed.settings.publicUrl), null, 2)}\n`)
  return 0
}
