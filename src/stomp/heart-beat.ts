// Heart-beats (STOMP 1.2, Heart-beating; docs/live-protocol.md 1.4): the longer of both sides' wishes each way, 0 is none. We
// send at half the interval and bear two and a half of silence, because timers are late on loaded machines.

/** What the client's header says, ms; 0: none. */
export interface AskedHeartBeat {
  /** It can send one this often. */
  readonly sends: number
  /** It wants one this often. */
  readonly wants: number
}

/** Reads a header `heart-beat`; undefined: it is malformed. Without one there are none. */
export const readHeartBeat = (text: string | undefined): AskedHeartBeat | undefined => {
  if (text === undefined) return { sends: 0, wants: 0 }
  const match = /^ *(\d{1,9}) *, *(\d{1,9}) *$/.exec(text)
  return match === null ? undefined : { sends: Number(match[1]), wants: Number(match[2]) }
}

const agreed = (oursMs: number, theirsMs: number): number => (theirsMs === 0 ? 0 : Math.max(oursMs, theirsMs))

export class HeartBeat {
  /** Longest silence of the client, ms; Infinity: it has promised nothing. */
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

  /** Whether the client waits for one. @param saidAt when it was sent something, whatever it was */
  isDue(nowAt: number, saidAt: number): boolean {
    return nowAt - saidAt >= this.sayEveryMs
  }
}
