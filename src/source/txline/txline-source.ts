// TxLINE as a source: its files and messages are read; there is no connection.

import { FIXTURES } from '../kit/format.ts'
import type { Source } from '../kit/source.ts'
import { txlineNormaliser } from './txline-normaliser.ts'

export const txlineSource = {
  formats: { txline: { piece: 'document', normaliser: txlineNormaliser, namedBy: `${FIXTURES}, by fixture id` } },
} satisfies Source
