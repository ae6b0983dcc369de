// Our own format as a source: files and messages of it are read, nothing is connected to.

import type { Source } from '../kit/source.ts'
import { observationsNormaliser } from './observations.ts'

export const observationsSource = {
  formats: { observations: { piece: 'line', normaliser: observationsNormaliser } },
} satisfies Source
