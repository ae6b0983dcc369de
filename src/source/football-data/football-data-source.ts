// football-data.co.uk as a source: its files and messages are read; there is no connection.

import type { Source } from '../kit/source.ts'
import { footballDataNormaliser } from './football-data-normaliser.ts'

export const footballDataSource = {
  formats: { 'football-data': { piece: 'line', normaliser: footballDataNormaliser } },
} satisfies Source
