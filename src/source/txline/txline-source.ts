// TxLINE as a source: files and messages of it are read, nothing is connected to.

import { FIXTURES } from '../kit/format.ts'
import type { Source } from '../kit/source.ts'
import { txlineNormaliser } from './txline-normaliser.ts'

export const txlineSource = {
  formats: { txline: { piece: 'document', normaliser: txlineNormaliser, namedBy: `${FIXTURES}, by fixture id` } },
} satisfies Source
