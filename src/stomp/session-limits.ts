// The limits of the live channel, and their descriptions for clients. Their values, with reasons, are in limits.ts.

type Unit = 'octets' | 'ms' | 'number'

// Null: a limit that no client can reach.
const LIMIT_WORDS = {
  commandBytesMax: ['octets', 'A command.'],
  headerLineBytesMax: ['octets', 'A header line.'],
  headersMax: ['number', 'Headers of a frame.'],
  headersBytesMax: ['octets', 'All header lines of a frame together, with their ends of line.'],
  bodyBytesMax: ['octets', 'A body that a customer sends.'],
  feedBodyBytesMax: ['octets', 'A body that a feed key sends.'],
  bytesBeforeConnectMax: ['octets', 'All that comes before CONNECT is complete.'],
  handshakeMsMax: ['ms', 'The TLS handshake, on TCP.'],
  connectMsMax: ['ms', 'From the connection to CONNECT.'],
  crowdedConnectMsMax: ['ms', 'The same on WebSocket, while others wait for their upgrade.'],
  upgradeMsMax: [
    'ms',
    'How long an upgrade may wait while many connections have not sent CONNECT; then: 503. An upgrade whose headers have a key with a live connection left does not wait.',
  ],
  unconnectedBytesMax: null,
  subscriptionsMax: ['number', 'Subscriptions of a session.'],
  transactionsMax: ['number', 'Open transactions of a session.'],
  transactionFramesMax: ['number', 'Frames of a transaction.'],
  transactionBytesMax: ['octets', 'Bodies in all open transactions of a session.'],
  webSocketSlackBytes: ['octets', 'A WebSocket message may be larger than the largest frame by this much.'],
  unackedMax: ['number', 'Unacknowledged messages of a subscription; at this number it pauses, without an ERROR.'],
  sessionUnackedMax: ['number', 'The same of all subscriptions of a session; at this number all of them pause.'],
  shareMsMax: ['ms', 'How long a session is served before others are; what is left waits, and is not refused.'],
  passMsMax: [
    'ms',
    'How long all customers together, and beside them all feeds, are served before sockets are read and REST is answered.',
  ],
  inputBytesMax: [
    'octets',
    'Octets received over a WebSocket that wait to be read; over TCP the socket waits instead.',
  ],
  inputBytesTotalMax: ['octets', 'The same of all sessions; above it, one that sends faster than it is read ends.'],
  ownSubscriptionsMax: ['number', 'Subscriptions of a session to `/topic/lag` and `/topic/refusals`.'],
  streamedPerTopicMax: [
    'number',
    'Subscriptions of a session to the same topics that are served at once; further ones come after the messages of other sessions.',
  ],
  streamedIdBytesMax: ['octets', 'A subscription with a longer id is served like those.'],
  conflatingPerTopicMax: ['number', 'Subscriptions of a session with `conflate-ms` to the same topics.'],
  bytesPerSecondMax: ['octets', 'Messages of a session in a second.'],
  catchUpBytesMax: [
    'octets',
    'What the snapshots of a session may hold of events that change before they are read; above it: `slow_consumer`. A session gets one snapshot or replay after the other.',
  ],
  catchUpBytesTotalMax: ['octets', 'The same of all sessions: the one that holds the most ends first.'],
  conflationBytesMax: [
    'octets',
    'What conflation may remember for a session: 52 a quote delivered within `conflate-ms`.',
  ],
  conflationBytesTotalMax: ['octets', 'The same of all sessions: the one that uses the most ends first.'],
  conflateMsMax: ['ms', 'Longest `conflate-ms`; above it: `validation_failed`.'],
  pendingBytesMax: ['octets', 'What may wait for a session, messages and RECEIPTs alike; above it: `slow_consumer`.'],
  degradeBytes: [
    'octets',
    'What may wait for a subscription with `on-slow:conflate`; above it: `degraded`, which ends no session.',
  ],
  degradeMs: ['ms', 'How late the next message of such a subscription may be; above it: `degraded`.'],
  degradedEveryMs: ['ms', 'Interval of the messages of kind `degraded`.'],
  restoreMs: ['ms', 'How long a degraded subscription must have kept up before it is `restored`.'],
  restoreMsMax: ['ms', 'The longest of these times: it doubles where the subscription falls behind again this soon.'],
  degradedStalledMsMax: ['ms', '`stalledMsMax` of a session that has a subscription with `on-slow:conflate`.'],
  stalledMsMax: [
    'ms',
    'How long a session may read nothing of what waits for it, and how late a price that conflation held may be; above it: `slow_consumer`.',
  ],
  closeMsMax: ['ms', 'How long a connection that ends may read its last frames.'],
  heartBeatMs: ['ms', 'The heart-beat that the service offers, each way.'],
  sseBeatMs: ['ms', 'Server-sent events: how long nothing is sent before a comment is.'],
  sseRetryMs: ['ms', 'Server-sent events: the field `retry`, after which EventSource connects again.'],
  silentMsMax: ['ms', 'A client without heart-beats that answers no probe for this long is disconnected.'],
  rightsUnknownMsMax: [
    'ms',
    'How long a session continues while the service cannot check rights, where that may recover by itself; then: `service_unavailable` with `resume-from`.',
  ],
  replayBytesMax: ['octets', 'Memory of the log of changes; what is older is `too_old`.'],
  replayTextBytesMax: [
    'octets',
    'Events that have ended or were renamed, and long labels, in the log of changes: 3 to 9 KB an event; what is older is `too_old`.',
  ],
  replayMsMax: ['ms', 'How far back the log of changes reaches; what is older is `too_old`.'],
  socketBytesMax: null,
  bundleBytesMax: ['octets', 'Frames that share a WebSocket message, with `frames:bundled`; a longer one has its own.'],
  turnBytesMax: null,
  errorSessionsMax: [
    'number',
    'Sessions of one key that may end with an ERROR within `errorWindowMs`, beside one for each session that it has at the same time; above it CONNECT is refused for a while: `rate_limit_exceeded` with `retry-after`. Not counted: `server_shutdown`, `service_unavailable`, keys and rights that are no longer valid, and sessions of feed keys.',
  ],
  errorWindowMs: ['ms', 'The window of `errorSessionsMax`.'],
  throttleMs: [
    'ms',
    'How long CONNECT is refused the first time; twice as long whenever the error is repeated after it.',
  ],
  throttleMsMax: ['ms', 'The longest of these times.'],
  pauseMsMin: null,
  closeEveryMs: null,
} as const satisfies Readonly<Record<string, readonly [unit: Unit, words: string] | null>>

export type LiveLimits = { readonly [name in keyof typeof LIMIT_WORDS]: number }

/** The limits that a client can reach, for the document. */
export const limitsShown = (limits: LiveLimits) =>
  Object.fromEntries(
    (Object.entries(LIMIT_WORDS) as [keyof LiveLimits, readonly [Unit, string] | null][]).flatMap(([name, words]) =>
      words === null ? [] : [[name, { value: limits[name], unit: words[0], description: words[1] }]],
    ),
  )
