// Health: the process, its store, its log, the board and the live channel.

import type { ComponentChildren } from 'preact'
import { useApi } from '../loading.ts'
import { count, duration, octets, percent } from '../wording.ts'
import { Card, Pill } from '../widgets.tsx'
import type { Health } from './operator-data.ts'
import { LIVE_MS, Loaded, spaced } from './parts.tsx'

const size = (value: number): string => (value < 1024 ** 3 ? octets(value) : `${(value / 1024 ** 3).toFixed(1)} GiB`)

/** Above this the board is nearly full, and new events are about to be refused. */
const NEARLY_FULL = 0.8

/** A delay of the event loop that customers notice. */
const SLOW_MS = 100

export const HealthSection = () => {
  const health = useApi<Health>('operator/health', LIVE_MS)
  return (
    <Loaded from={health} what="the health of the service">
      {(now) => <Figures health={now} />}
    </Loaded>
  )
}

type Figure = readonly [name: string, value: ComponentChildren]

const List = ({ figures }: { readonly figures: readonly Figure[] }) => (
  <dl class="facts">
    {figures.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
)

const ok = (isOk: boolean, good: string, bad: string) => <Pill kind={isOk ? 'good' : 'bad'}>{isOk ? good : bad}</Pill>

const Figures = ({ health }: { readonly health: Health }) => {
  const { ready, reasons, eventLoop, memory, store, log, board, live, version, revision, uptimeSeconds } = health
  return (
    <>
      <div class={`banner ${ready ? 'good' : 'bad'}`} role="status">
        {ready ? 'Ready: customers are answered.' : 'Not ready: '}
        {ready ? null : reasons.join('; ')}
      </div>
      <div class="cards three health">
        <Card title="Event loop">
          <p class={eventLoop.p99Ms > SLOW_MS ? 'figure warn' : 'figure'}>{duration(eventLoop.p99Ms)}</p>
          <p class="soft">delay at the 99th percentile of the last minute or two</p>
          <List
            figures={[
              ['median', duration(eventLoop.p50Ms)],
              ['longest', duration(eventLoop.maxMs)],
            ]}
          />
        </Card>
        <Card title="Log and disk">
          <p class={log.trouble === null ? 'figure' : 'figure bad'}>{log.trouble ?? 'written'}</p>
          <p class="soft">{log.unwrittenTurns === 0 ? 'nothing waits' : `${count(log.unwrittenTurns)} turns wait`}</p>
          <List
            figures={[
              ['on disk', size(log.diskBytes)],
              ['free', log.freeBytes === null ? 'unknown' : size(log.freeBytes)],
              ['position', count(log.position)],
              ['since the checkpoint', count(log.turnsSinceCheckpoint)],
            ]}
          />
        </Card>
        <Card title="Store">
          <p>{ok(store.isUp, 'can be read', 'cannot be read')}</p>
          <p>{ok(store.isWritable, 'can be written', 'cannot be written')}</p>
          <List figures={[['restarts of its thread', count(store.restarts)]]} />
        </Card>
        <Card title="Board">
          <p class="figure">{count(board.events)}</p>
          <p class="soft">events</p>
          <ul class="shares">
            {Object.entries(board.held).map(([kind, share]) => (
              <li key={kind}>
                <span>{spaced(kind)}</span> <span class="number">{percent(share)}</span>
                <progress
                  max={1}
                  value={share}
                  class={share > NEARLY_FULL ? 'bad' : ''}
                  aria-label={`${spaced(kind)}: share of what the board can hold`}
                />
              </li>
            ))}
          </ul>
        </Card>
        <Card title="Live channel">
          <p class="figure">{count(live.sessions)}</p>
          <p class="soft">sessions</p>
          <List
            figures={[
              ['subscriptions', count(live.subscriptions)],
              ['behind', count(live.behind)],
              ['conflated', count(live.degraded)],
            ]}
          />
        </Card>
        <Card title="Process">
          <p class="figure">{duration(uptimeSeconds * 1_000)}</p>
          <p class="soft">since its start</p>
          <List
            figures={[
              ['memory', size(memory.residentBytes)],
              ['of it heap', size(memory.heapUsedBytes)],
              ['version', version],
              ['revision', <code title={revision}>{revision.slice(0, 8)}</code>],
            ]}
          />
        </Card>
      </div>
    </>
  )
}
