// Event conflicts: events that were kept separate although they look alike, each beside its candidates.

import { useSignal } from '@preact/signals'
import { useApi } from '../loading.ts'
import { call } from '../portal-api.ts'
import { dayAndMinute, sportName } from '../wording.ts'
import { Card, Empty, Name } from '../widgets.tsx'
import type { Conflict, ConflictEvent } from './operator-data.ts'
import { Asking, LIVE_MS, Loaded } from './parts.tsx'

const REASONS: Readonly<Record<string, string>> = {
  alike: 'Their names look alike.',
  ambiguous: 'It looks like several events.',
  turned: 'The sides are swapped.',
}

interface Question {
  readonly decision: 'same' | 'different'
  readonly event: ConflictEvent
  readonly other: ConflictEvent
}

const titleOf = ({ home, away }: ConflictEvent): string => `${home} v ${away}`

export const ConflictsSection = () => {
  const conflicts = useApi<{ readonly conflicts: readonly Conflict[] }>('operator/conflicts', LIVE_MS)
  const question = useSignal<Question | undefined>(undefined)
  const asked = question.value
  return (
    <Loaded from={conflicts} what="the conflicts">
      {({ conflicts: rows }) => (
        <>
          {rows.length === 0 ? (
            <Card>
              <Empty>Nothing to decide: no two events look alike.</Empty>
            </Card>
          ) : null}
          {rows.flatMap(({ id, reason, event, candidates }) =>
            candidates.map((other) => (
              <Pair
                key={`${id} ${other.id}`}
                reason={REASONS[reason] ?? reason}
                event={event}
                other={other}
                ask={(decision) => {
                  question.value = { decision, event, other }
                }}
              />
            )),
          )}
          {asked === undefined ? null : (
            <Asking
              title={asked.decision === 'same' ? 'Is it one event?' : 'Are they different events?'}
              action={asked.decision === 'same' ? 'Make them one' : 'Keep them apart'}
              isDangerous={asked.decision === 'same'}
              onClose={() => {
                question.value = undefined
              }}
              send={async () => {
                const { decision, event, other } = asked
                const body = { decision, other: other.id }
                const { fault } = await call('POST', `operator/conflicts/${encodeURIComponent(event.id)}`, body)
                await conflicts.reload()
                return fault
              }}
            >
              <p>
                <strong>
                  <Name text={titleOf(asked.event)} />
                </strong>{' '}
                and{' '}
                <strong>
                  <Name text={titleOf(asked.other)} />
                </strong>
                .{' '}
                {asked.decision === 'same'
                  ? 'Their prices become those of one event, for every customer, at once. If they are two, wrong prices are shown together.'
                  : 'They stay two events, and this question is not asked again.'}{' '}
                <code>oddswire event undo</code> takes it back.
              </p>
            </Asking>
          )}
        </>
      )}
    </Loaded>
  )
}

const Pair = ({
  reason,
  event,
  other,
  ask,
}: {
  readonly reason: string
  readonly event: ConflictEvent
  readonly other: ConflictEvent
  readonly ask: (decision: Question['decision']) => void
}) => (
  <Card>
    <p class="soft">
      {sportName(event.sport)} · {reason}
    </p>
    <div class="pair">
      <Side event={event} />
      <Side event={other} />
    </div>
    <div class="actions">
      <button type="button" aria-label={`The same event: ${titleOf(event)}`} onClick={() => ask('same')}>
        The same event
      </button>
      <button type="button" aria-label={`Different events: ${titleOf(event)}`} onClick={() => ask('different')}>
        Different events
      </button>
    </div>
  </Card>
)

const Side = ({ event }: { readonly event: ConflictEvent }) => (
  <section aria-label={`Event ${event.id}`}>
    <h3>
      <Name text={titleOf(event)} />
    </h3>
    <p class="soft">
      {dayAndMinute(event.kickoffAt)} UTC · <Name text={event.leagueKey} /> · <code>{event.id}</code>
    </p>
    <ul class="spellings">
      {event.spellings.map(({ key, home, away, leagueKey, kickoffAt, turned }) => (
        <li key={key}>
          <code>
            <Name text={key} />
          </code>
          <br />
          <Name text={home} /> v <Name text={away} />
          {turned ? ' (sides swapped)' : ''}
          <br />
          <span class="soft">
            {dayAndMinute(kickoffAt)} · <Name text={leagueKey} />
          </span>
        </li>
      ))}
    </ul>
  </section>
)
