// Heart-beats (STOMP 1.2, Heart-beating; docs/live-protocol.md 1.4): the longer interval of both sides, each way; 0 is
// none. The server sends at half the interval and tolerates two and a half of silence, because timers are late on
// loaded machines.

/** What the client's header says, ms; 0: none. */
export interface AskedHeartBeat {
  /** The shortest interval at which it can send. */
  readonly sends: number
  /** The interval at which it wants to receive. */
  readonly wants: number
}

/** Reads a header `heart-beat`; undefined: it is malformed. Without the header there are no heart-beats. */
export const readHeartBeat = (text: string | undefined): AskedHeartBeat | undefined => {
  if (text === undefined) return { sends: 0, wants: 0 }
  const match = /^ *(\d{1,9}) *, *(\d{1,9}) *$/.exec(text)
  return match === null ? undefined : { sends: Number(match[1]), wants: Number(match[2]) }
}

const agreed = (oursMs: number, theirsMs: number): number => (theirsMs === 0 ? 0 : Math.max(oursMs, theirsMs))

export class HeartBeat {
  /** Longest silence of the client, ms; Infinity: it sends no heart-beats. */
  readonly silenceMsMax: number
  private readonly sendEveryMs: number
  private aliveAt: number

  constructor(offerMs: number, asked: AskedHeartBeat, nowAt: number) {
    const receiveMs = agreed(offerMs, asked.sends)
    const sendMs = agreed(offerMs, asked.wants)
    this.silenceMsMax = receiveMs === 0 ? Number.POSITIVE_INFINITY : receiveMs * 2.5
    this.sendEveryMs = sendMs === 0 ? Number.POSITIVE_INFINITY : sendMs / 2
    this.aliveAt = nowAt
  }

  /** Any octet counts. */
  alive(nowAt: number): void {
    this.aliveAt = nowAt
  }

  isClientSilent(nowAt: number): boolean {
    return nowAt - this.aliveAt > this.silenceMsMax
  }

  /** When either of these may be so, unless something is sent or received until then. @param sentAt as of {@link isDue} */
  nextAt(sentAt: number): number {
    return Math.min(sentAt + this.sendEveryMs, this.aliveAt + this.silenceMsMax)
  }

  /** Whether a heart-beat is due to the client. @param sentAt when anything was last sent to it */
  isDue(nowAt: number, sentAt: number): boolean {
    return nowAt - sentAt >= this.sendEveryMs
  }
}
