// A message as a server-sent event (WHATWG HTML, 9.2): its kind is the type of the event, its message-id the id, and the
// body is the data, as one line.
//
// EventSource shows a program no other fields, so `prev` is the first member of the data. What it keeps as the last id is
// what it resumes from: an event that is no later point of the log than those before it has none.

import { type JsonWriter, piece } from '../json-writer.ts'
import { type Kind, KINDS } from './message.ts'

const HEADS = Object.fromEntries(KINDS.map((kind) => [kind, piece(`event: ${kind}\n`)])) as Readonly<
  Record<Kind, Uint8Array>
>
const ID = piece('id: ')
const DATA = piece('data: ')
const PREV = piece('data: {"prev":"')
const PREV_END = piece('",')
const EVENT_END = piece('\n\n')
const DOT = 0x2e
const LF = 0x0a

/**
 * Writes an event. The parts of a snapshot, and a reset, have an id with a number behind the seq: a client that comes
 * back with it is in the middle of a snapshot. Other messages that are no resume points have no id.
 * @param part a number after the seq, for messages that are no resume points; -1: none
 * @param prev seq of the message before; -1: there is none
 * @param body a JSON object with at least one member
 */
export const writeEvent = (
  writer: JsonWriter,
  epochDash: Uint8Array,
  seq: number,
  part: number,
  prev: number,
  kind: Kind,
  body: Uint8Array,
): void => {
  writer.raw(HEADS[kind])
  const isInSnapshot = kind === 'snapshot' || kind === 'reset'
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
  if (prev < 0) {
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
