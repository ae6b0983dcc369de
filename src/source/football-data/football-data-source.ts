// football-data.co.uk as a source: files and messages of it are read, nothing is connected to.

import type { Source } from '../kit/source.ts'
import { footballDataNormaliser } from './football-data-normaliser.ts'

export const footballDataSource = {
  formats: { 'football-data': { piece: 'line', normaliser: footballDataNormaliser } },
} satisfies Source
