// A change of coverage: of its terms, a suspension, or a removal. What customers would lose is refused unless it is announced,
// or is to hold at once, for a reason.

import { useSignal } from '@preact/signals'
import { formText } from '../form-text.ts'
import { type ApiFault, call } from '../portal-api.ts'
import type { CoverageRow, Removal } from './operator-data.ts'
import { Asking, Options, spaced, sportText } from './parts.tsx'

export interface CoverageQuestion {
  readonly what: 'change' | 'suspend' | 'remove'
  readonly row: CoverageRow
}

export interface CoverageDialogProps {
  readonly question: CoverageQuestion
  readonly sports: readonly string[]
  readonly statuses: readonly string[]
  readonly onClose: () => void
  /** Called with what was done. */
  readonly onDone: (sentence: string) => Promise<void>
}

export const CoverageDialog = (props: CoverageDialogProps) => {
  const { what } = props.question
  return what === 'change' ? (
    <Change {...props} />
  ) : what === 'suspend' ? (
    <Suspension {...props} />
  ) : (
    <Ending {...props} />
  )
}

const SportSelect = ({
  sports,
  chosen,
  onChange = () => {},
}: {
  readonly sports: readonly string[]
  readonly chosen: string
  readonly onChange?: (sport: string) => void
}) => (
  <label>
    Sport
    <select name="sport" onChange={(event) => onChange(event.currentTarget.value)}>
      <Options values={sports} chosen={chosen} text={sportText} />
    </select>
  </label>
)

const Reason = ({ isNeeded }: { readonly isNeeded: boolean }) => (
  <label>
    Reason <span class="soft">for the history, and for the changelog</span>
    <input name="reason" required={isNeeded} maxLength={500} autocomplete="off" />
  </label>
)

const AtOnce = ({ isNow, set }: { readonly isNow: boolean; readonly set: (isNow: boolean) => void }) => (
  <label class="choice">
    <input type="checkbox" name="now" checked={isNow} onChange={(event) => set(event.currentTarget.checked)} />
    at once, even where customers lose something without notice
  </label>
)

const reasonOf = (form: FormData): { readonly reason?: string } => {
  const reason = formText(form, 'reason').trim()
  return reason === '' ? {} : { reason }
}

interface SetReply {
  readonly withdrawnRemovals: number
  readonly isRemoval: boolean
}

const setTerms = async (
  { question: { row }, onDone }: CoverageDialogProps,
  sport: string,
  terms: Readonly<Record<string, unknown>>,
): Promise<ApiFault | undefined> => {
  const { bookmaker, displayName } = row
  const result = await call<SetReply>('POST', 'operator/coverage', { bookmaker, sport, ...terms })
  if (result.fault !== undefined) return result.fault
  const { isRemoval, withdrawnRemovals } = result.data
  await onDone(
    [
      `The coverage of ${displayName} in ${sportText(sport)} has changed.`,
      isRemoval ? 'Customers have lost some of it: it belongs into the changelog.' : '',
      withdrawnRemovals > 0 ? 'The announced removal is withdrawn.' : '',
    ]
      .filter((text) => text !== '')
      .join(' '),
  )
  return undefined
}

const Change = (props: CoverageDialogProps) => {
  const { question, sports, statuses, onClose } = props
  const { displayName, coverage } = question.row
  const sport = useSignal(coverage[0]?.sport ?? '*')
  const isNow = useSignal(false)
  const own = coverage.find((each) => each.sport === sport.value)
  const terms = own ?? coverage.find((each) => each.sport === '*')
  return (
    <Asking
      title={`Coverage of ${displayName}`}
      action="Change it"
      onClose={onClose}
      send={(form) =>
        setTerms(props, sport.value, {
          status: formText(form, 'status'),
          restAvailable: form.has('rest'),
          liveAvailable: form.has('live'),
          now: isNow.value,
          ...reasonOf(form),
        })
      }
    >
      <SportSelect
        sports={['*', ...sports]}
        chosen={sport.value}
        onChange={(chosen) => {
          sport.value = chosen
        }}
      />
      {own === undefined ? <p class="soft">This sport has no terms of its own yet; it gets some.</p> : null}
      <label key={`status ${sport.value}`}>
        Status
        <select name="status">
          <Options values={statuses} chosen={terms?.status ?? 'source_limited'} text={spaced} />
        </select>
      </label>
      <div class="choices" key={`data ${sport.value}`}>
        <label class="choice">
          <input type="checkbox" name="rest" defaultChecked={terms?.restAvailable ?? false} />
          has data for REST
        </label>
        <label class="choice">
          <input type="checkbox" name="live" defaultChecked={terms?.liveAvailable ?? false} />
          has data for live
        </label>
      </div>
      <AtOnce
        isNow={isNow.value}
        set={(now) => {
          isNow.value = now
        }}
      />
      <Reason isNeeded={isNow.value} />
    </Asking>
  )
}

const EVERYTHING = 'everything'
const SUSPENDED = { status: 'disabled_until_review', now: true } as const

const textOf = (sport: string): string => (sport === EVERYTHING ? 'all of this bookmaker' : sportText(sport))

const Suspension = (props: CoverageDialogProps) => {
  const { question, sports, onClose } = props
  const { displayName, coverage } = question.row
  const rows = coverage.map(({ sport }) => sport)
  const others = sports.filter((sport) => !rows.includes(sport))
  return (
    <Asking
      title={`Suspend ${displayName}?`}
      action="Suspend it now"
      isDangerous
      onClose={onClose}
      send={async (form) => {
        const sport = formText(form, 'sport')
        // One request for each row: what is done stays done, also where the next one is refused.
        for (const each of sport === EVERYTHING ? rows : [sport]) {
          const fault = await setTerms(props, each, { ...SUSPENDED, ...reasonOf(form) })
          if (fault !== undefined) return fault
        }
        return undefined
      }}
    >
      <p>No customer sees it from then on, without notice, until you change its coverage again.</p>
      <label>
        What
        <select name="sport">
          <Options values={[EVERYTHING, ...rows, ...others]} chosen={EVERYTHING} text={textOf} />
        </select>
      </label>
      <Reason isNeeded />
    </Asking>
  )
}

const Ending = ({ question, onClose, onDone }: CoverageDialogProps) => {
  const { bookmaker, displayName, coverage } = question.row
  const isNow = useSignal(false)
  return (
    <Asking
      title={`Remove ${displayName}?`}
      action={isNow.value ? 'Remove it now' : 'Announce the removal'}
      isDangerous
      onClose={onClose}
      send={async (form) => {
        const day = formText(form, 'effectiveOn')
        const result = await call<{ readonly removal: Removal | null }>('POST', 'operator/removals', {
          bookmaker,
          sport: formText(form, 'sport'),
          ...(isNow.value ? { now: true } : day === '' ? {} : { effectiveOn: day }),
          ...reasonOf(form),
        })
        if (result.fault !== undefined) return result.fault
        const { removal } = result.data
        await onDone(
          removal === null
            ? 'Removed at once: no customer saw it.'
            : `The removal takes effect on ${removal.effectiveOn}: it belongs into the changelog.`,
        )
        return undefined
      }}
    >
      <p>Customers have 90 days from the announcement. A change of its coverage withdraws it.</p>
      <label>
        What
        <select name="sport">
          <Options
            values={['*', ...coverage.map(({ sport }) => sport).filter((sport) => sport !== '*')]}
            chosen="*"
            text={(sport) => (sport === '*' ? 'all of this bookmaker' : sportText(sport))}
          />
        </select>
      </label>
      {isNow.value ? null : (
        <label>
          On <span class="soft">a day in UTC; empty: the first that is possible</span>
          <input type="date" name="effectiveOn" />
        </label>
      )}
      <AtOnce
        isNow={isNow.value}
        set={(now) => {
          isNow.value = now
        }}
      />
      <Reason isNeeded={isNow.value} />
    </Asking>
  )
}
