// The sources of a service, wired to its engine: what they say becomes inputs of turns, by our clock.

import { randomInt } from 'node:crypto'
import type { Access } from '../access/access.ts'
import * as clock from '../clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { Turns } from '../engine/turns.ts'
import { FeedClock } from '../feed/feed-clock.ts'
import { SenderTimes } from '../feed/sender-times.ts'
import { Supervisor } from '../feed/supervisor.ts'
import { LIMITS } from '../limits.ts'
import type { ClockFile } from './clock-file.ts'
import { clockText, tooOldText, translatedText } from './clock-texts.ts'
import type { Replica } from './replica.ts'
import type { ServiceOptions } from './service-options.ts'

export interface ServiceFeedsParts {
  readonly engine: Engine
  /** When an earlier process ended, as far as the log knows: its last turn, epoch ms. */
  readonly formerAt: number
  readonly turns: Turns
  readonly access: Access
  readonly replica: Replica | undefined
  readonly clockFile: ClockFile
  readonly onFeed: ServiceOptions['onFeed']
}

export interface ServiceFeeds {
  /** Runs the sources; none yet. */
  readonly supervisor: Supervisor
  /** The times of senders, by our clock. */
  readonly senderTimes: SenderTimes
}

/** Has the turns tell the sources what became of their observations, and the clock what it did. */
export const newFeeds = (parts: ServiceFeedsParts): ServiceFeeds => {
  const { engine, formerAt, turns, access, replica, clockFile, onFeed } = parts
  const among = replica && {
    isLeader: () => replica.cluster.isLeader,
    stateOf: (slug: string) => engine.stateOf(slug),
  }
  const feedClock = new FeedClock(LIMITS, among)
  clock.ours.watch((event) => {
    onFeed('warn', 'clock', clockText(event))
    if (event.kind === 'suspended') feedClock.wake()
    if (event.kind === 'corrected') clockFile.mark()
  })
  const senderTimes = new SenderTimes({
    clock: clock.ours,
    skewMsMax: LIMITS.skewMsMax,
    sendersMax: LIMITS.sendersMax,
    onTranslated: (sender, ms) => onFeed('warn', 'clock', translatedText(sender, ms)),
    onTooOld: (ms) => onFeed('warn', 'clock', tooOldText(ms)),
  })
  turns.byOurClock = (input, nowAt) => senderTimes.byOurClock(input, nowAt)
  const supervisor = new Supervisor({
    formers: [...engine.producers()].filter(({ isLeft }) => !isLeft).map(({ name }) => name),
    formerAt,
    formerMsMax: LIMITS.formerMsMax,
    engine,
    add: (input, settled) => turns.add(input, settled),
    clock: feedClock,
    ahead: (at) => senderTimes.ahead(at, clock.now()),
    now: clock.now,
    elapsedMs: clock.elapsedMs,
    chance: () => randomInt(2 ** 32) / 2 ** 32,
    isCovered: (bookmaker, sport) => access.registry.isCovered(bookmaker, sport),
    isRegistered: (bookmaker) => access.registry.bookmakerOf(bookmaker) !== undefined,
    log: onFeed,
    sourcesMax: LIMITS.sourcesMax,
    isFull: () => turns.isFull,
    ...(replica && { ...among, leases: replica.newLeases() }),
  })
  turns.onObserved = (observation, producer, nowAt) => supervisor.note(observation, producer, nowAt)
  turns.onEnded((nowAt) => supervisor.judge(nowAt))
  turns.onRoom(() => supervisor.resume())
  return { supervisor, senderTimes }
}
