// Limits that are not settings, and what must hold between them.

import assert from 'node:assert/strict'
import { FRESHNESS_MS, SKEW_MS_MAX } from './domain/quote.ts'

/** Each says what it bounds and why it has this size. */
export const LIMITS = {
  /** See {@link SKEW_MS_MAX}. */
  skewMsMax: SKEW_MS_MAX,
  /**
   * Senders whose times are told apart while the system's clock is behind ours, 100 bytes each: sources, and bookmakers that
   * are sent. As many as there can be bookmakers.
   */
  sendersMax: 4_096,
  /** Bookmakers that can be distinguished: each 32 cost 8 bytes a market. There are some hundreds in the world. */
  bookmakersMax: 4_096,
  /**
   * Visits to the wheel in one turn, two for a block of sixteen quotes and one for each that is due: a book of 45 quotes in
   * one message, 0.2 ms. What is left follows in the next turns, between which the sockets are looked at. With 256, 200 000
   * quotes that are due at once aged out in 0.67 to 0.98 s, with 64 in 0.72 to 0.83, with 32 in 0.75 to 0.78.
   */
  wheelVisitsMax: 64,
  /** Interval of turns when nothing else causes one. */
  turnMs: 100,
  /** A turn ends with this many inputs or prices: then what they changed is published. A millisecond or so. */
  turnInputsMax: 256,
  turnPricesMax: 1_000,
  /**
   * How long they may take to be applied and published, ms: 1 000 known prices take less, as many of new events ten times as
   * long. Turns to come end with fewer then.
   */
  turnBusyMs: 0.6,
  /**
   * How long turns are published between two looks at the sockets, ms; a turn that would not end in time, by what the last one has
   * taken, is not begun. In addition, as long as customers were served meanwhile: else feeds had half of their SENDs where many ask
   * for snapshots. With 1.25 ms, in which the last turn had to begin, eight feeds that flood had 1.04 times as many SENDs, and
   * sources that have gone kept the event loop for 4.2 to 6.8 ms instead of 4.1 to 4.7; with 1.65, 1.02, and 3.9 to 5.1.
   */
  turnsMsMax: 1.5,
  /**
   * Turns that the log has written and that are not published yet: after a slow write there are many. Above it nothing more is
   * read.
   */
  turnsWaitingMax: 16,
  /**
   * Interval in which walks over many quotes (suspect, confirm, end, operators) continue, ms: 200 000 quotes a second, 35
   * MB for a subscriber to all. A client that parses each message reads that; flat out it would be disconnected.
   */
  walkEveryMs: 5,
  /** Books and quotes that the walks visit in one turn: half a millisecond, or a whole one where each change is sent. */
  walkVisitsMax: 1_024,
  /** The wheel moves on when less than this is known to be quiet: so that lists stay cached between two turns. */
  quietMsMin: 200,
  /** A checkpoint is made when the log has so many octets more: half a million prices, which a restart applies in 0.3 s. */
  checkpointLogBytes: 4 * 1024 * 1024,
  /** The shortest time between two, ms. */
  checkpointMsMin: 5_000,
  /** After one, so many times as long as it took: it costs a core 5 % at most. */
  checkpointRest: 20,
  /** Texts and sightings that a segment of the log numbers, at most, see log/turn-encoder.ts. */
  logTextsMax: 2 ** 21,
  logSightingsMax: 2 ** 21,
  /** Interval of the signs of life that processes of one log give, ms. */
  beatMs: 250,
  /** For how long a process leads after its last sign of life, and how much earlier it stops by its own clock, ms. */
  leaderMs: 2_000,
  leaderSpareMs: 500,
  /** A process without a sign of life for so long is not there, ms. */
  memberMsMax: 2_000,
  /** What one has said of itself that has ended without a word is kept so long, ms. */
  memberKeptMs: 3_600_000,
  /** How long a change of access rights may take to hold in all processes, and how often that is looked at, ms. */
  everywhereMsMax: 10_000,
  everywhereLookMs: 20,
  /** How long Redis may take for a turn before it is asked again, ms. */
  streamMsMax: 1_000,
  /** Pause before turns that may be lost are sent again, ms. */
  streamRetryMs: 50,
  /** Turns of ours that are not delivered yet, and octets that Redis has not accepted: with as many, nothing more is read. */
  streamTurnsMax: 1_024,
  streamBytesMax: 8 * 1024 * 1024,
  /** Turns that are read of the stream at once. */
  streamReadMax: 256,
  /** How long a service drains whose log has become another one, ms: it does not serve meanwhile. */
  brokenDrainMs: 500,
  /** Turns from one checksum of the state to the next: each sums up 4 096 rows, in 0.3 ms. */
  checksumTurns: 256,
  /** Turns whose checksums are compared at the same time. */
  checksumRounds: 16,
  /** A process whose state differs again within so long takes that of another one, ms. */
  differAgainMs: 600_000,
  /** How long a SUBSCRIBE waits for a point of the log that another process has reached, ms. */
  aheadMsMax: 2_000,
  /**
   * How long processes wait, where Redis has begun anew, until all that were there say where they are, ms; then another epoch
   * begins. A process was there that was silent no longer than this, ms.
   */
  holdMsMax: 3_000,
  holdKnownMs: 600_000,
  /**
   * How long nobody is answered where Redis has lost its replicas while processes have become silent, ms: they may go on at
   * another master.
   */
  leftBehindMs: 60_000,
  /** Interval in which the stream is trimmed, ms. */
  streamTrimMs: 2_000,
  /** How far the clock of a process may be from that of Redis, ms, before it is not ready. */
  replicaSkewMsMax: 1_000,
  /** Interval of lines about a start that takes long, ms. */
  joinSayMs: 5_000,
  /** How long a start waits for another process that gives its state, and for the state itself, ms. */
  peerWaitMs: 30_000,
  peerMsMax: 300_000,
  /** States that are given at the same time. */
  peerSendsMax: 2,
  /** Turns that a checkpoint may be behind when another process asks for it. */
  peerTurnsMax: 10_000,
  /** How long a read waits for the next turn, ms. */
  streamBlockMs: 1_000,
  /** When quotes of sources that are no longer configured are suspended after a restart, ms. */
  formerMsMax: 60_000,
  /** It ends, and the session that sent the last of it is paused, when the live channel has received this many octets. */
  turnBytesMax: 64 * 1024,
  /** Silence, or age of observations, after which the source of a bookmaker is late. */
  feedLateMs: 10_000,
  /** Silence after which it is down. */
  feedDownMs: 30_000,
  /**
   * Names of sources in the life of a process, those of former configurations included: each keeps its number, so that
   * quotes are never attributed to another source. The column of numbers allows 65 535; no configuration is near this.
   */
  sourcesMax: 4_096,
  /** How long a process may run a source without renewing its lease in Redis: then another one takes it, ms. */
  leaseMs: 3_000,
  /** How often it renews, ms; a renewal that fails is repeated sooner. */
  leaseRenewMs: 1_000,
  /** It stops a source that it could not renew for so long, ms: connections are closed by when the lease ends. */
  leaseStopMs: 2_000,
  /** How often it looks for sources that nobody runs, ms: a takeover takes less than 4 s. */
  leaseLookMs: 200,
  /** How long it leaves such a source to others when it has its share, ms. */
  leaseWaitMs: 500,
  /** After its start it takes an eighth of the sources at a time for so long, ms: processes that start together share. */
  leaseStartMs: 2_000,
  /** How long customers wait after a silence of Redis until all sources run again, ms: then those that run are served. */
  attendMsMax: 5_000,
  /** Finished replies kept, in bytes of body. */
  replyCacheBytesMax: 256 * 1024 * 1024,
  /**
   * Octets of large bodies (above 16 KiB) that are handed to the system in one iteration of the event loop: 1 to 1.5 ms.
   * 16 readers of an event of 250 KB were 4 MB, and 4 to 6 ms.
   */
  bodyBytesNow: 1024 * 1024,
  /** Memory of large bodies that were replaced, kept for those that come after them. */
  bodyBytesFree: 8 * 1024 * 1024,
  /** Smaller bodies are not compressed: they fit into three packets, and compressing costs as much as ten answers. */
  gzipBytesMin: 4 * 1024,
  /** Nor are larger ones: this many octets take a thread 0.1 s. */
  gzipBytesMax: 16 * 1024 * 1024,
  /** One body is compressed at a time, and then none for so many times as long: it costs a core 10 % at most. */
  gzipRest: 9,
  /** A list of the events of the board, a sport or a league with at most so many is read at once: 3 to 4 ms, at 0.4 to 0.5 us an event. */
  listAtOnceMax: 8_192,
  /** A longer one is read in steps of so many events, 0.8 to 1 ms each: one step of one list in an iteration of the event loop. */
  listStepMax: 2_048,
  /** Lists that wait to be read so, or are being read; others are refused with 503. */
  listsWaitingMax: 256,
  /** The same of one organization, which must not take the places of the others. */
  listsPerOrganizationMax: 16,
  /** Parsed request targets kept. */
  parsedTargetsMax: 50_000,
  /** Raw credentials remembered, so that they are hashed once. */
  credentialsMax: 100_000,
  /** How long the store may need to grant a block of requests before the answer is 503. */
  ledgerDeadlineMs: 1_000,
  /** The same where several processes count in Redis. */
  sharedLedgerDeadlineMs: 50,
  /** How long Redis may take for a block before the command is without effect: a late one is still used. */
  usageCallMsMax: 1_000,
  /** Interval in which it is looked whether Redis still knows what it knew, so that all report within the next one. */
  usageLookMs: 250,
  /**
   * How long nothing is granted after Redis has forgotten. A process uses no block that it was granted before a silence of as
   * long, less one look.
   */
  usageSettleMs: 2_000,
  /** After so long without a request unused blocks go back; so often a window that is used up is asked about again. */
  usageIdleMs: 2_000,
  /** Windows of one command: 2 ms of Redis' time. */
  usageWindowsMax: 1_000,
  // The live channel (docs/limits.md 2). A client that exceeds one of these gets an ERROR that names it, and is
  // disconnected.
  /** Octets of a STOMP command. */
  commandBytesMax: 32,
  /** Octets of a header line. */
  headerLineBytesMax: 8 * 1024,
  /** Headers of a frame. */
  headersMax: 64,
  /**
   * Octets of all header lines of a frame together: 64 of the longest would be 512 KB, and reading them costs 20 to 46
   * ms. Eight of the longest fit; a SUBSCRIBE that names 100 leagues has one.
   */
  headersBytesMax: 64 * 1024,
  /** Octets of a body that a customer sends. */
  bodyBytesMax: 64 * 1024,
  /** Octets of a body that a feed key sends. */
  feedBodyBytesMax: 1024 * 1024,
  /** Octets before CONNECT is complete: until then the client has shown no key. */
  bytesBeforeConnectMax: 16 * 1024,
  /** Longest TLS handshake on TCP: two round trips. */
  handshakeMsMax: 5_000,
  /** Longest time from connection to CONNECT. */
  connectMsMax: 10_000,
  /** The same for a WebSocket while others wait for its place: some round trips on a slow line. */
  crowdedConnectMsMax: 2_000,
  /** Longest time that an upgrade waits for its place; clients retry after some seconds anyway. */
  upgradeMsMax: 5_000,
  /**
   * Octets that WebSockets without a key may hold. The library buffers a message before we see any of it, up to three
   * times the largest that any key may send, so this bounds the number of such WebSockets at a time: 20. Others wait.
   */
  unconnectedBytesMax: 64 * 1024 * 1024,
  /** File descriptors kept for the admin port, the store, sources and files; or a quarter of a low limit. */
  reservedDescriptors: 512,
  /** Subscriptions of a session. */
  subscriptionsMax: 1_000,
  /**
   * Open transactions of a session, frames in one, and octets in all of them: 1 KiB a frame. A COMMIT is not
   * interrupted: one of 1 MiB costs 20 ms where all is known, and 60 ms where each SEND has a new event, which is
   * compared with those of other sources (200 ms in a process that has just started).
   */
  transactionsMax: 16,
  transactionFramesMax: 1_024,
  transactionBytesMax: 1024 * 1024,
  /** A WebSocket message may be larger than the largest frame by this much. */
  webSocketSlackBytes: 4 * 1024,
  /** Unacknowledged messages of a subscription: at this number its delivery pauses, without an ERROR. */
  unackedMax: 1_000,
  /** The same for all subscriptions of a session: their ids are kept, some 100 bytes each. */
  sessionUnackedMax: 50_000,
  /** Longest `conflate-ms`. */
  conflateMsMax: 10_000,
  /** Octets waiting for a session that cannot keep up; above this it is a slow consumer. */
  pendingBytesMax: 1024 * 1024,
  /**
   * A subscription with `on-slow:conflate` is degraded when so many octets wait in its stream (a quarter of what the
   * session may have), or when its next message is so late: far sooner than a desk gives up a connection.
   */
  degradeBytes: 256 * 1024,
  degradeMs: 2_000,
  /** Interval of its messages of kind `degraded`: each is a point to resume from. */
  degradedEveryMs: 1_000,
  /** It is restored when it has kept up for so long; without that, it would change to and fro. */
  restoreMs: 500,
  /** Twice as long each time that it falls behind again within so long, and no longer than that. */
  restoreMsMax: 8_000,
  /**
   * As `stalledMsMax`, for a session that has such a subscription. The system reports that a socket accepts octets again
   * when a third of its buffer is free, which may be more than a megabyte: a client that reads 25 KB a second needs a
   * minute for it. One that is dead is found by its heart-beats.
   */
  degradedStalledMsMax: 60_000,
  /**
   * How long one session is served before others are, and how long all customers together, and separately all feed
   * keys, are served in one pass of the event loop, ms: no client's requests delay REST and heart-beats for longer. One
   * frame is always finished.
   */
  shareMsMax: 1,
  passMsMax: 1.25,
  /** Octets received and not read yet. Only a WebSocket reaches this: its client cannot be slowed down. */
  inputBytesMax: 4 * 1024 * 1024,
  /** The same for all sessions together: above this a session that has more than a chunk waiting ends. */
  inputBytesTotalMax: 64 * 1024 * 1024,
  /** Subscriptions of a session to its own topics, `lag` and `refusals`: each gets a copy of every message. */
  ownSubscriptionsMax: 16,
  /**
   * Subscriptions of a session to the same topics that a turn writes to; further ones, and those with a longer id, are
   * served from the log in the session's share of time. There are eight ways to name the topics of a book, so a message
   * is written at most 32 times for one session.
   */
  streamedPerTopicMax: 4,
  streamedIdBytesMax: 256,
  /** Subscriptions with `conflate-ms` of a session to the same topics: a turn checks the deliveries of each of them. */
  conflatingPerTopicMax: 8,
  /** Octets of messages that a session may get in a second. One subscription to everything gets a tenth of it. */
  bytesPerSecondMax: 256 * 1024 * 1024,
  /** Octets that snapshots of a session may hold for events that change before they are read, and of all sessions. */
  catchUpBytesMax: 64 * 1024 * 1024,
  catchUpBytesTotalMax: 256 * 1024 * 1024,
  /** Octets that a session's conflation may hold: 52 for each quote that was delivered within `conflate-ms`. */
  conflationBytesMax: 64 * 1024 * 1024,
  /** The same for all sessions: the one that uses the most ends first. */
  conflationBytesTotalMax: 256 * 1024 * 1024,
  /** How long a session may read nothing of what waits for it; how late a price that was held may be. */
  stalledMsMax: 5_000,
  /** Octets written to a socket before we wait for it to drain: what exceeds this can still be withdrawn. */
  socketBytesMax: 64 * 1024,
  /** Octets of frames that share a WebSocket message, where a subscription asks for that; a longer frame has its own. */
  bundleBytesMax: 16 * 1024,
  /** How long a closing connection may need to read its last frames. */
  closeMsMax: 1_000,
  /** The heart-beat that we offer, each way. */
  heartBeatMs: 1_000,
  /** A stream of server-sent events is silent for no longer: proxies close idle connections after 30 to 60 s. */
  sseBeatMs: 15_000,
  /** When EventSource connects again after a break. */
  sseRetryMs: 1_000,
  /** A client without heart-beats that answers no probe for this long is gone. */
  silentMsMax: 60_000,
  /**
   * If two checks of deadlines are further apart than this (ten ticks), the process itself was paused or its loop was
   * blocked, so that a client's silence meanwhile means nothing. Far below the 2 500 ms that a heart-beat of 1 000 ms
   * may be late.
   */
  pauseMsMin: 1_000,
  /**
   * Sessions of one key that may end with an ERROR within the window, beside one for each session that the key has at
   * the same time; above this the key waits before it may CONNECT again. A person who tries a client by hand stays
   * below it; a program that repeats an error four times a second reaches it after six. The setting
   * `error-sessions-max` changes it.
   */
  errorSessionsMax: 20,
  errorWindowMs: 60_000,
  /** The first of these waits; each further one is twice as long, up to the longest, which a program can tolerate. */
  throttleMs: 1_000,
  throttleMsMax: 60_000,
  /** The replay ring: octets (about 100 a change), and age. */
  replayBytesMax: 256 * 1024 * 1024,
  replayMsMax: 3_600_000,
  /**
   * Octets of the events and labels that only the ring may still hold: a source whose events end at once would fill the
   * memory with them. An event of one book that ends counts 3 to 9 KB: this is some 20 000 events an hour.
   */
  replayTextBytesMax: 64 * 1024 * 1024,
  /**
   * How long live sessions continue while rights cannot be checked; then they end, because the key of one may have been
   * revoked. Replacing a thread needs less. It counts from the detection: at once as a rule, after 5 s where the disk
   * hangs. Where the store is lost they end at once, because waiting does not help.
   */
  rightsUnknownMsMax: 10_000,
  /** SIGTERM closes live sessions one after another, this far apart, so that they do not reconnect all at once. */
  closeEveryMs: 50,
  // The log.
  /** Octets of a turn in the log: the decisions about all events are one input. A record must fit the memory. */
  logRecordBytesMax: 32 * 1024 * 1024,
  /** Octets of the header of a segment: the text of the rules is a part of it. */
  logHeaderBytesMax: 8 * 1024,
  /** Octets of a segment before the next one begins: the unit in which the log is dropped, and is read to find a turn. */
  logSegmentBytesMax: 128 * 1024 * 1024,
  /**
   * Octets and turns that a failure of the disk could lose still; they are kept in memory. Above this no turn ends, so
   * that nothing is published. Three seconds of the highest load, or a stall of the disk at a usual one.
   */
  logUnsafeBytesMax: 32 * 1024 * 1024,
  logUnsafeTurnsMax: 65_536,
  /** Octets that are read from the log at once: 1 ms. */
  logReadBytes: 1024 * 1024,
  /**
   * So long the event loop waits for a write. After one that takes longer, it does not wait for the disk for as long, and
   * twice as long each time, up to so many times as long: a slow disk takes a twentieth of its time. When none was late
   * for `logNowCalmMs`, it begins anew.
   */
  logNowMsMax: 3,
  logNowRest: 20,
  logNowCalmMs: 1_000,
  /** How long after an error the log tries again. */
  logRetryMs: 100,
  /** An operation of the disk that takes longer is reported as trouble. Healthy disks need 50 ms at worst. */
  logSlowMsMax: 1_000,
  /** How long the end of the log may need at SIGTERM: the disk may be full. */
  logCloseMsMax: 5_000,
  /** Interval in which the log notes the time of the system, so that a file that was replaced is recognized. */
  logMarkMs: 1_000,
  /** How far the time of a file may be from the last one noted in it; clocks of file servers are not exact. */
  logFileMsMax: 5_000,
  /** Interval in which the free space of the disk of the log is measured. */
  logSpaceMs: 60_000,
  /** Interval in which the witness of the log is written. */
  logWitnessMs: 1_000,
  /** A certificate that expires sooner is in the log, each day: services that renew them do so weeks before. */
  certificateMsMin: 14 * 24 * 3_600_000,
  // The portal (docs/limits.md 8).
  /** Octets of a body, and how long it may need to arrive. A key with a long scope has some kilobytes. */
  portalBodyBytesMax: 16 * 1024,
  portalBodyMsMax: 5_000,
  /** Requests at the same time; each may hold a body, and asks the store. */
  portalRequestsMax: 128,
  portalAddressRequestsMax: 32,
  /** Bodies that arrive at the same time, of all clients and of one address: 64 MiB. */
  portalBodiesMax: 4_096,
  portalAddressBodiesMax: 16,
  /** Octets of a Cookie header that is read. Other services of the same host may set cookies, too. */
  portalCookieBytesMax: 8 * 1024,
  /** What scrypt costs a password that is stored (N), in memory and in time. */
  passwordN: 2 ** 15,
  /** Passwords that are checked at the same time, 32 MB and 0.3 s of a thread each, and that wait for it. */
  passwordsMax: 1,
  passwordsWaitingMax: 32,
  /** Of them, of one address. */
  passwordsOfAddressMax: 4,
  /** Logins of a user within {@link LIMITS.portalWriteWindowMs}. */
  loginsMax: 10,
  /** Characters of a password: fewer are guessed, more are of no use. */
  passwordLengthMin: 12,
  passwordLengthMax: 256,
  /** A session of the portal ends when it was not used for so long, and so long after the login. */
  portalIdleMs: 12 * 3_600_000,
  portalSessionMsMax: 7 * 24 * 3_600_000,
  /** Sessions of a user at the same time: browsers and devices. */
  portalSessionsMax: 16,
  /** Logins that may fail, of an email and of an address, before there is a pause; many people may share an address. */
  loginFailuresMax: 5,
  addressFailuresMax: 20,
  /** The first pause; each further one is twice as long, up to these. Nobody can lock another out for longer. */
  loginPauseMs: 1_000,
  loginPauseMsMax: 60_000,
  addressPauseMsMax: 900_000,
  /** Emails, and addresses, of which failures are remembered. */
  failuresKept: 10_000,
  /** Valid keys of an organization that are created in the portal. */
  organizationKeysMax: 500,
  /** Keys in an answer: all valid ones, and the newest of the others. */
  portalKeysMax: 600,
  /** Organizations, plans, and users of an organization that are created in the portal. */
  organizationsMax: 1_000,
  plansMax: 100,
  organizationUsersMax: 200,
  /** Characters of a reason for the history of coverage. */
  reasonLengthMax: 500,
  /** Changes by a user within a window. */
  portalWritesMax: 60,
  portalWriteWindowMs: 60_000,
  /** Keys of pages that a user makes in the same time. */
  portalLiveKeysMax: 30,
  /** Explanations that the users of an organization ask for within a window: each may take 10 ms. */
  portalQuestionsMax: 60,
  portalQuestionWindowMs: 60_000,
  /** Explanations of all organizations that wait: they are given one after the other. */
  portalQuestionsWaitingMax: 64,
  /** Reads by a user within a window; at the same time, and that wait for it. */
  portalReadsMax: 600,
  portalReadWindowMs: 60_000,
  portalReadsAtOnceMax: 2,
  portalReadsWaitingMax: 32,
  /** How long a key that was rotated may stay valid. */
  graceMsMax: 30 * 24 * 3_600_000,
  /**
   * How long the key of a page lives; how many a session has of an organization, one for each such part of that time; and
   * how many are in use in a process.
   */
  liveKeyMs: 3_600_000,
  liveKeysMax: 4,
  liveKeysTotalMax: 1_000,
  /** Refused requests that are kept of an organization, and of all: 300 octets each. */
  refusalsMax: 100,
  refusalsTotalMax: 20_000,
  refusalPathMax: 300,
  /** Rows of the audit trail, of verifications and of live sessions in an answer. */
  portalRowsMax: 200,
  /** How long SIGTERM waits for requests under way. */
  drainMsMax: 10_000,
  /** No request for this long while draining means that the server is quiet. */
  drainQuietMs: 250,
  /** One line of an observations file. */
  lineBytesMax: 1024 * 1024,
  /** A recording that is one document, unpacked; JSON is parsed as a whole. */
  documentBytesMax: 256 * 1024 * 1024,
  /** Verification: how often and how far apart differences are fetched again, time limits, and how many at a time. */
  verification: { triesMax: 3, retryMs: 500, answerMsMax: 30_000, runsMax: 50, requestsMax: 8 },
  /** Interval of the checks whether a verification is due. */
  verificationLookMs: 60_000,
  /**
   * An explanation reads one book, and compares this many events with the names in the question (10 ms), or looks at this
   * many changes of the log for the end of an event (1 ms). It lists at most so many quotes, or events.
   */
  explain: { eventsMax: 4_000, groupsMax: 50_000, quotesMax: 100, candidatesMax: 20 },
  /** Prices of one observation. */
  pricesMax: 10_000,
  /**
   * Quotes that one bookmaker may hold of one event on each transport, closed ones included until they age out. A book
   * is rendered, suspended and closed at once: 20 ms at this size. The largest recorded event has 2,005 outcomes of all
   * bookmakers. At least {@link LIMITS.pricesMax}, or one observation could not be recorded on an empty board.
   */
  bookQuotesMax: 10_000,
  /** A name, label or key inside an observation. */
  textLengthMax: 200,
  /**
   * By default the board can hold one event for this many quotes, and one outcome label for this many. An event with
   * one quote costs 1 to 7 KB of heap by the length of its names (measured: 2 KB with short ones, 3.6 KB with 200
   * characters each, 6.7 KB with names of many words), a label of 200 characters 0.8 to 1.5 KB; real boards have dozens
   * of quotes an event. At least {@link boardLeast} of each, because a small board needs no such bound.
   */
  quotesPerEvent: 8,
  quotesPerLabel: 4,
  boardLeast: 10_000,
  /** Source ids of events, per event that the board can hold: above this, sightings are known by their names only. */
  sourceIdsPerEvent: 4,
} as const

type NumericLimits = {
  readonly [Name in keyof typeof LIMITS as (typeof LIMITS)[Name] extends number ? Name : never]: number
}

/** Octets of the largest frame that a key may send. */
const frameBytesMaxOf = ({ commandBytesMax, headersBytesMax, feedBodyBytesMax }: NumericLimits): number =>
  commandBytesMax + headersBytesMax + feedBodyBytesMax

/** Octets of a price in a snapshot: up to 330 and its label, each character of which needs at most three. */
const priceBytesMaxOf = ({ textLengthMax }: NumericLimits): number => 330 + 3 * textLengthMax

/** What must hold between limits, and what would break; a process in which one does not hold does not start. */
export const RELATIONS: readonly (readonly [what: string, holds: (limits: NumericLimits) => boolean])[] = [
  // Frames and the buffers that they come in.
  [
    'a header line fits the headers of a frame, or none of that length could be sent',
    (of) => of.headerLineBytesMax <= of.headersBytesMax,
  ],
  [
    'CONNECT with its longest header fits, or a long token could not connect',
    (of) => of.commandBytesMax + of.headerLineBytesMax <= of.bytesBeforeConnectMax,
  ],
  [
    'the largest frame fits the input of a session, or the session ends before the frame is whole',
    (of) => frameBytesMaxOf(of) + of.webSocketSlackBytes <= of.inputBytesMax,
  ],
  [
    'the input of all sessions holds that of one, or one alone would end',
    (of) => of.inputBytesMax <= of.inputBytesTotalMax,
  ],
  [
    'a WebSocket without a key fits (three of the largest messages), or none could connect',
    (of) => 3 * (frameBytesMaxOf(of) + of.webSocketSlackBytes) <= of.unconnectedBytesMax,
  ],
  [
    'the largest body fits a transaction, or it could be sent outside of one only',
    (of) => of.feedBodyBytesMax <= of.transactionBytesMax,
  ],
  // What is written, and the budgets of a session.
  [
    'a session has its socket full before it is a slow consumer, or every backlog would end it',
    (of) => of.socketBytesMax < of.pendingBytesMax,
  ],
  [
    'a subscription is degraded before its session is a slow consumer, or it would be disconnected first',
    (of) => of.degradeBytes < of.pendingBytesMax && of.degradeMs < of.stalledMsMax && of.restoreMs < of.restoreMsMax,
  ],
  [
    'a snapshot of the longest book fits the budget of a session, or a change of it would end the session',
    (of) => of.bookQuotesMax * priceBytesMaxOf(of) <= of.catchUpBytesMax,
  ],
  [
    'snapshots of all sessions hold those of one, or one alone would be ended',
    (of) => of.catchUpBytesMax <= of.catchUpBytesTotalMax,
  ],
  [
    'conflation of all sessions holds that of one, or one alone would be ended',
    (of) => of.conflationBytesMax <= of.conflationBytesTotalMax,
  ],
  [
    'a session may have unacknowledged what one subscription may, or it never pauses',
    (of) => of.unackedMax <= of.sessionUnackedMax,
  ],
  [
    'one session is served for a part of a pass, or the others are not served in it',
    (of) => of.shareMsMax < of.passMsMax,
  ],
  // The board.
  [
    'an observation fits a book, or it could not be recorded on an empty board',
    (of) => of.pricesMax <= of.bookQuotesMax,
  ],
  [
    'sources and bookmakers fit their columns of 16 bits, or two of them have one number',
    (of) => of.sourcesMax < 2 ** 16 && of.bookmakersMax < 2 ** 16,
  ],
  [
    'a clock that is ahead stays far below freshness, or quotes would live on after a day',
    (of) => of.skewMsMax * 100 <= FRESHNESS_MS,
  ],
  [
    'a lease survives a renewal that fails, and its source has stopped well before it ends, or two processes would run it',
    (of) => of.leaseRenewMs * 2 <= of.leaseStopMs && of.leaseStopMs + 500 <= of.leaseMs,
  ],
  [
    'a source that nobody runs is found and taken within a second, also by one that has its share',
    (of) => of.leaseLookMs * 2 + of.leaseWaitMs <= 1_000,
  ],
  [
    'after a silence of Redis there is time for a lease to end and be taken, or old prices would be shown meanwhile',
    (of) => of.leaseMs + 1_000 <= of.attendMsMax,
  ],
  // The log.
  [
    'a turn fits what may be unsafe and a segment, or it could not be appended',
    (of) => of.logRecordBytesMax <= Math.min(of.logUnsafeBytesMax, of.logSegmentBytesMax),
  ],
  [
    'the log notes the time more often than files are compared with it, or each start would begin a new epoch',
    (of) => 2 * of.logMarkMs <= of.logFileMsMax,
  ],
  // Times.
  [
    'a source is late before it is down, and the engine turns often enough to see it',
    (of) => of.turnMs < of.feedLateMs && of.feedLateMs < of.feedDownMs,
  ],
  [
    'the wheel moves on before what is known to be quiet ends, whatever the order of its turns and of readers',
    (of) => of.quietMsMin >= 2 * of.turnMs,
  ],
  [
    'a pause of the process is ten of its turns, and shorter than the silence that ends a session',
    (of) => 10 * of.turnMs <= of.pauseMsMin && of.pauseMsMin < 2.5 * of.heartBeatMs,
  ],
  [
    'the library accepts an idle time of 8 to 960 s, or it throws at the first upgrade',
    (of) => of.silentMsMax >= 8_000 && of.silentMsMax <= 960_000,
  ],
  [
    'a handshake, and CONNECT in a crowd, end before the time for CONNECT does',
    (of) => of.handshakeMsMax < of.connectMsMax && of.crowdedConnectMsMax <= of.connectMsMax,
  ],
  [
    'a request that waits for the store, and a connection that is closing, end before a drain does',
    (of) => of.ledgerDeadlineMs < of.drainMsMax && of.closeMsMax < of.drainMsMax && of.drainQuietMs < of.drainMsMax,
  ],
  [
    'processes that share windows report several times before anything is granted again, also when an answer is missed',
    (of) => of.sharedLedgerDeadlineMs < of.usageCallMsMax && of.usageCallMsMax + 2 * of.usageLookMs < of.usageSettleMs,
  ],
  [
    'a session that ends because nobody uses it has no valid key of a page: nobody is told of that end',
    (of) => of.liveKeyMs < of.portalIdleMs,
  ],
  ['the first wait of a key is not above the longest', (of) => of.throttleMs <= of.throttleMsMax],
]

for (const [what, holds] of RELATIONS) assert(holds(LIMITS), what)
