import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS, RELATIONS } from '../src/limits.ts'

test('each relation between limits holds, and does not where one of its limits is over by one', () => {
  const frame = LIMITS.commandBytesMax + LIMITS.headersBytesMax + LIMITS.feedBodyBytesMax + LIMITS.webSocketSlackBytes
  const catchUp = LIMITS.bookQuotesMax * (330 + 3 * LIMITS.textLengthMax)
  const cases: readonly (readonly [about: RegExp, least: object, over: object])[] = [
    [
      /^a header line/,
      { headersBytesMax: LIMITS.headerLineBytesMax },
      { headersBytesMax: LIMITS.headerLineBytesMax - 1 },
    ],
    [/^CONNECT/, { bytesBeforeConnectMax: 8_224 }, { bytesBeforeConnectMax: 8_223 }],
    [/^the largest frame/, { inputBytesMax: frame }, { inputBytesMax: frame - 1 }],
    [/^the input of all/, { inputBytesTotalMax: 4 * 2 ** 20 }, { inputBytesTotalMax: 4 * 2 ** 20 - 1 }],
    [/^a WebSocket/, { unconnectedBytesMax: 3 * frame }, { unconnectedBytesMax: 3 * frame - 1 }],
    [/^the largest body/, { transactionBytesMax: 2 ** 20 }, { transactionBytesMax: 2 ** 20 - 1 }],
    [/^a session has its socket/, { socketBytesMax: 2 ** 20 - 1 }, { socketBytesMax: 2 ** 20 }],
    [/^a subscription is degraded/, { degradeMs: 4_999 }, { degradeMs: 5_000 }],
    [/^a snapshot of the longest/, { catchUpBytesMax: catchUp }, { catchUpBytesMax: catchUp - 1 }],
    [/^snapshots of all/, { catchUpBytesTotalMax: 2 ** 26 }, { catchUpBytesTotalMax: 2 ** 26 - 1 }],
    [/^conflation of all/, { conflationBytesTotalMax: 2 ** 26 }, { conflationBytesTotalMax: 2 ** 26 - 1 }],
    [/^a session may have unack/, { sessionUnackedMax: 1_000 }, { sessionUnackedMax: 999 }],
    [/^one session is served/, { shareMsMax: 1.2 }, { shareMsMax: LIMITS.passMsMax }],
    [/^an observation fits/, { pricesMax: 10_000 }, { pricesMax: 10_001 }],
    [/^sources and bookmakers/, { sourcesMax: 65_535 }, { sourcesMax: 65_536 }],
    [/^a clock that is ahead/, { skewMsMax: 864_000 }, { skewMsMax: 864_001 }],
    [/^a lease survives/, { leaseStopMs: 2_500 }, { leaseStopMs: 2_501 }],
    [/^after a silence of Redis/, { attendMsMax: LIMITS.leaseMs + 1_000 }, { attendMsMax: LIMITS.leaseMs + 999 }],
    [/^a source that nobody runs/, { leaseWaitMs: 600 }, { leaseWaitMs: 601 }],
    [/^a turn fits/, { logUnsafeBytesMax: 32 * 2 ** 20 }, { logUnsafeBytesMax: 32 * 2 ** 20 - 1 }],
    [/^the log notes/, { logMarkMs: 2_500 }, { logMarkMs: 2_501 }],
    [/^a source is late/, { feedLateMs: 29_999 }, { feedLateMs: 30_000 }],
    [/^the wheel moves on/, { quietMsMin: 200 }, { quietMsMin: 199 }],
    [/^a pause of the process/, { turnMs: 100, quietMsMin: 300 }, { turnMs: 101, quietMsMin: 300 }],
    [/^the library accepts/, { silentMsMax: 8_000 }, { silentMsMax: 7_999 }],
    [/^a handshake/, { crowdedConnectMsMax: 10_000 }, { crowdedConnectMsMax: 10_001 }],
    [/^a request that waits/, { ledgerDeadlineMs: 9_999 }, { ledgerDeadlineMs: 10_000 }],
    [/^processes that share/, { usageSettleMs: 1_501 }, { usageSettleMs: 1_500 }],
    [/^a session that ends because/, { portalIdleMs: 3_600_001 }, { portalIdleMs: 3_600_000 }],
    [/^the first wait/, { throttleMs: 60_000 }, { throttleMs: 60_001 }],
  ]
  const broken = (changed: object): string[] =>
    RELATIONS.filter(([, holds]) => !holds({ ...LIMITS, ...changed })).map(([what]) => what)
  assert.equal(cases.length, RELATIONS.length)
  for (const [about, least, over] of cases) {
    assert.deepEqual(broken(least), [], String(about))
    const [what, ...more] = broken(over)
    assert.deepEqual(more, [])
    assert.match(what ?? 'none', about)
  }
})
