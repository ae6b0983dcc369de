// A broker whose topics keep nothing for us, with supervisor and board: what is on offer after its connection was lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeOf, shownOf } from '../../../src/board/status.ts'
import { CAUSES, QUOTE_STATUSES } from '../../../src/domain/quote.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { superviseOn } from '../../fed-engine.ts'
import { FORMATS } from '../../../src/source/formats.ts'
import { wireObservation } from '../../../src/source/observations/observations.ts'
import { UpstreamBroker } from '../../../src/source/stomp/upstream-broker.ts'
import { type Peer, ScriptedBroker } from '../kit/scripted-broker.ts'
import { changed, until } from '../kit/scripted-source.ts'
import { local, observation, T0 } from './world.ts'

/** A price of an outcome, as observation `number`. */
const send = (peer: Peer, number: number, outcome: string, sourceKey: string | null = 'northbet:7'): void => {
  const said = observation(number)
  const price = { ...said.prices[0]!, outcome }
  const body = JSON.stringify(wireObservation({ ...said, event: { ...said.event, sourceKey }, prices: [price] }))
  const ids = { destination: '/topic/odds', subscription: '0', 'message-id': `m-${number}`, ack: `a-${number}` }
  peer.send('MESSAGE', { ...ids, 'content-length': Buffer.byteLength(body) }, body)
}

test('what was fed is suspended when the connection is lost, and opens with whatever the source says next', async (context) => {
  let peer: Peer | undefined
  const broker = await ScriptedBroker.listen((frame, to) => {
    if (frame.command !== 'SUBSCRIBE') return false
    to.receipt(frame)
    peer = to
    if (to.number > 1) return true
    send(to, 20, 'home')
    send(to, 10, 'away') // seen earlier: after a break its times may go on from here
    send(to, 30, 'draw', null)
    return true
  })
  const limits = { quotesMax: 100, skewMsMax: 5_000, bookmakersMax: 10, wheelVisitsMax: 100 }
  const nowAt = T0 + 1_000
  const engine = new Engine({ ...limits }, nowAt)
  const { supervisor, turns } = superviseOn(engine, {
    now: () => nowAt,
    elapsedMs: () => nowAt,
    chance: () => 0,
    isCovered: () => true,
    sourcesMax: 10,
    log: () => {},
  })
  const timer = setInterval(() => {
    while (!turns.run());
    changed()
  }, 5)
  context.after(async () => {
    await supervisor.stop(10_000)
    clearInterval(timer)
    await broker.close()
  })
  supervisor.start({
    terms: { name: 'upstream', lateMs: 1e6, downMs: 1e6, suspendMs: 0, behindMsMax: 1e6 },
    kind: 'stomp',
    budget: { pricesPerSecond: 1e6, pricesBurst: 1e6 },
    bookmakers: [],
    never: null,
    input: null,
    connect: (given) =>
      new UpstreamBroker(
        {
          endpoints: [local(broker.port)],
          destinations: ['/topic/odds'],
          login: null,
          passcode: null,
          vhost: null,
          caFile: null,
          headers: {},
          ack: 'client-individual',
          prefetch: 10,
          format: FORMATS.observations,
          bookmaker: null,
          transport: null,
          complete: false,
          onMalformed: 'ack',
          heartbeatMs: 10_000,
          quietIsHealthy: false,
          durable: false,
          limits: {
            bodyBytesMax: 20_000,
            heldBytesMax: 1_000_000,
            openMsMax: 20_000,
            closeMsMax: 20_000,
            pauseMsMin: 1,
            pauseMsMax: 20,
            refusedPauseMs: 600_000,
            pricesMax: 1_000,
            textLengthMax: 200,
          },
        },
        given,
      ),
  })
  const { quotes } = engine.board
  const shown = (): string =>
    [1, 2, 3].map((slot) => QUOTE_STATUSES[shownOf(quotes.statusOf(slot)) - 1] ?? 'none').join()
  await until(() => shown() === 'open,open,open', 'the prices')
  for (const socket of broker.sockets) socket.destroy()
  await until(() => shown() === 'suspended,suspended,suspended', 'the suspension')
  assert.deepEqual(
    [1, 2, 3].map((slot) => CAUSES[causeOf(quotes.statusOf(slot)) - 1]),
    ['gap', 'gap', 'gap'],
  )
  await until(() => peer?.number === 2, 'the next connection')
  send(peer!, 10, 'away')
  await until(() => shown() === 'suspended,open,suspended', 'what it says next')
  assert.equal(supervisor.statuses()[0]!.refused, 0)
})
