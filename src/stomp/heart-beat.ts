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
  private readonly sayEveryMs: number
  private heardAt: number

  constructor(offerMs: number, asked: AskedHeartBeat, nowAt: number) {
    const hears = agreed(offerMs, asked.sends)
    const says = agreed(offerMs, asked.wants)
    this.silenceMsMax = hears === 0 ? Number.POSITIVE_INFINITY : hears * 2.5
    this.sayEveryMs = says === 0 ? Number.POSITIVE_INFINITY : says / 2
    this.heardAt = nowAt
  }

  /** Any octet counts. */
  heard(nowAt: number): void {
    this.heardAt = nowAt
  }

  isClientSilent(nowAt: number): boolean {
    return nowAt - this.heardAt > this.silenceMsMax
  }

  /** Whether a heart-beat is due to the client. @param saidAt when anything was last sent to it */
  isDue(nowAt: number, saidAt: number): boolean {
    return nowAt - saidAt >= this.sayEveryMs
  }
}
