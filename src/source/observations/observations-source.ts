// Our own format as a source: files and messages in it are read; there is no connector.

import type { Source } from '../kit/source.ts'
import { observationsNormaliser } from './observations.ts'

export const observationsSource = {
  formats: { observations: { piece: 'line', normaliser: observationsNormaliser } },
} satisfies Source
