// A message as a server-sent event (WHATWG HTML, 9.2): its kind is the type of the event, its message-id the id, and the
// body is the data, as one line.
//
// EventSource shows a program no other fields, so `prev` is the first member of the data: of a short update its SEQ, since
// not each has an id that it could be counted from. What it keeps as the last id is
// what it resumes from: an event that is no later point of the log than those before it has none.

import { type JsonWriter, piece } from '../json-writer.ts'
import { type Kind, KINDS } from './message.ts'

/** `short`: an update by numbers, which as a MESSAGE has no kind. */
export type EventType = Kind | 'short'

const HEADS = Object.fromEntries([...KINDS, 'short'].map((type) => [type, piece(`event: ${type}\n`)])) as Readonly<
  Record<EventType, Uint8Array>
>
const ID = piece('id: ')
const DATA = piece('data: ')
const PREV = piece('data: {"prev":"')
const PREV_END = piece('",')
const SHORT = piece('data: [')
const COMMA = 0x2c
const EVENT_END = piece('\n\n')
const DOT = 0x2e
const LF = 0x0a

/**
 * Writes an event. The parts of a snapshot, and a reset, have an id with a number behind the seq: a client that comes
 * back with it is in the middle of a snapshot. Other messages that are no resume points have no id.
 * @param part a number after the seq, for messages that are no resume points; -1: none
 * @param prev seq of the message before; -1: there is none
 * @param body a JSON object with at least one member; of a `short`, a list
 */
export const writeEvent = (
  writer: JsonWriter,
  epochDash: Uint8Array,
  seq: number,
  part: number,
  prev: number,
  type: EventType,
  body: Uint8Array,
): void => {
  writer.raw(HEADS[type])
  const isInSnapshot = type === 'snapshot' || type === 'reset'
  // A price that conflation has held is older than messages before it.
  if (isInSnapshot || (part < 0 && seq > prev)) {
    writer.raw(ID)
    writer.raw(epochDash)
    writer.integer(seq)
    if (part >= 0) {
      writer.char(DOT)
      writer.integer(part)
    }
    writer.char(LF)
  }
  if (type === 'short') {
    writer.raw(SHORT)
    writer.integer(prev)
    writer.char(COMMA)
    writer.raw(body.subarray(1))
  } else if (prev < 0) {
    writer.raw(DATA)
    writer.raw(body)
  } else {
    writer.raw(PREV)
    writer.raw(epochDash)
    writer.integer(prev)
    writer.raw(PREV_END)
    writer.raw(body.subarray(1))
  }
  writer.raw(EVENT_END)
}
