// The two product channels (docs/architecture.md 7.5). They are API products, not phases of an event.

export const TRANSPORTS = ['rest', 'live'] as const

export type Transport = (typeof TRANSPORTS)[number]

/** Number of a transport inside the stores. */
export const TRANSPORT_NUMBER = { rest: 0, live: 1 } as const

export type TransportNumber = (typeof TRANSPORT_NUMBER)[Transport]

/** What a source may feed: one channel, or both (recorded as two quotes). */
export const FED_TRANSPORTS = ['rest', 'live', 'both'] as const

export type FedTransport = (typeof FED_TRANSPORTS)[number]
