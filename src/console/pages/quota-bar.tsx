// How much of a window is used, and when it begins anew.

import type { Quota } from '../portal-data.ts'
import { count, dayAndMinute } from '../wording.ts'

export const QuotaBar = ({
  name,
  quota: { limit, used, resetAt },
}: {
  readonly name: string
  readonly quota: Quota
}) => (
  <div class="quota">
    <p>
      <strong>{name}</strong>
      <span>
        {count(used)} {limit === 0 ? 'requests, unlimited' : `of ${count(limit)}`}
      </span>
    </p>
    {limit === 0 ? null : (
      <progress value={Math.min(used, limit)} max={limit} aria-label={name} class={used >= 0.9 * limit ? 'bad' : ''} />
    )}
    <p class="soft">
      {limit === 0 ? '' : `${count(Math.max(0, limit - used))} left. `}Resets at {dayAndMinute(resetAt)} UTC.
    </p>
  </div>
)
