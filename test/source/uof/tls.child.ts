// A connector that says what it is told of, in a process of its own: which authorities are trusted is decided when a
// process starts. Argument: the URL of the broker.

import { SKEW_MS_MAX } from '../../../src/domain/quote.ts'
import { UofConnector } from '../../../src/source/uof/uof-connector.ts'
import { UOF_LIMITS } from '../../../src/source/uof/uof-options.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { SaidBoard } from '../kit/said-board.ts'

const [amqpUrl] = process.argv.slice(2)

const connector = new UofConnector(
  {
    amqpUrl: amqpUrl!,
    exchange: 'unifiedfeed',
    apiUrl: 'http://127.0.0.1:1',
    apiToken: 'none',
    bookmaker: null,
    transport: null,
    products: [],
    aliveMsMax: 20_000,
    limits: { pricesMax: 1_000, textLengthMax: 200, aheadMsMax: SKEW_MS_MAX, ...UOF_LIMITS },
  },
  {
    name: 'uof',
    account: new Account(),
    now: () => Date.now(),
    chance: () => 0.5,
    producer: new SaidBoard().producer,
    alive: () => {},
    log: (_level, message) => {
      process.stdout.write(`${message}\n`)
      void connector.stop()
    },
    onMalformed: () => {},
  },
)
