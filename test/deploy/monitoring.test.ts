// Dashboard and alerts: each expression uses only metrics that a running service has, and each alert has its runbook entry.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { ROOT } from '../root.ts'
import { newFolder, type RunningService, startService } from '../service.ts'
import { metricsIn, missing, textOf } from './programs.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

interface Target {
  readonly expr: string
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
  readonly targets?: readonly Target[]
}

const rules = (parse(textOf('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
)
const dashboard = JSON.parse(textOf('deploy/grafana/oddswire.json')) as {
  readonly uid: string
  readonly panels: readonly Panel[]
}

/** Made by Prometheus itself. */
const OF_PROMETHEUS = ['up']

const folder = newFolder()
let service: RunningService
let names: Set<string>
let metrics: string

before(async () => {
  service = await startService(folder.path, '--demo')
  metrics = await fetch(`${service.admin}/metrics`).then((answer) => answer.text())
  names = new Set(OF_PROMETHEUS)
  // Declared, also where there is nothing to count yet; a histogram has three names.
  for (const [, name, type] of metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    if (type === 'histogram') for (const end of ['bucket', 'sum', 'count']) names.add(`${name}_${end}`)
    else names.add(name!)
  }
})

after(async () => {
  await service.stop()
  folder.remove()
})

const assertKnown = (where: string, expression: string): void => {
  const used = metricsIn(expression)
  assert(used.length > 0, `${where}: no metric in ${expression}`)
  for (const name of used) assert(names.has(name), `${where}: /metrics has no ${name}`)
}

test('a name that is no metric would be found', () => {
  assert.deepEqual(metricsIn('sum by (le) (rate(a_b_bucket{c="d_e"}[5m])) / on (instance) c_d > 0.9'), [
    'a_b_bucket',
    'c_d',
  ])
  assert.throws(() => assertKnown('here', 'rate(oddswire_no_such_total[5m])'), /has no oddswire_no_such_total/)
})

test('every panel of the dashboard uses metrics that there are, and no two panels overlap', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')
  assert(panels.length > 20)
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
  for (const { title, targets = [] } of panels) {
    assert(targets.length > 0, title)
    for (const { expr } of targets) assertKnown(title, expr)
  }
  const taken = new Map<string, string>()
  for (const { title, gridPos } of dashboard.panels) {
    assert(gridPos.x + gridPos.w <= 24, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        const other = taken.get(`${x} ${y}`)
        assert.equal(other, undefined, `${title} lies on ${other}`)
        taken.set(`${x} ${y}`, title)
      }
    }
  }
})

test('labels that expressions ask for are those of the metrics', () => {
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ]
  for (const expression of expressions) {
    for (const [, name, text] of expression.matchAll(/\b([a-z_]+)\{([^}]*)\}/g)) {
      const asked = [...text!.matchAll(/(\w+)(?:=~|=|!=|!~)"/g)].map(([, label]) => label!)
      for (const label of asked.filter((each) => !['instance', 'job'].includes(each))) {
        const series = new RegExp(`^${name}\\{[^}]*\\b${label}="`, 'm')
        // Of answers there are series once somebody has asked.
        const isKnown = series.test(metrics) || (name === 'oddswire_http_requests_total' && label === 'status')
        assert(isKnown, `${expression}: ${name} has no label ${label}`)
      }
    }
  }
})

test('every alert uses metrics that there are, says how bad it is, and has an entry in the runbook, and none is left over', () => {
  const entries = [...textOf('docs/runbook.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title!)
  assert.deepEqual(
    entries,
    rules.map(({ alert }) => alert),
  )
  for (const { alert, expr, labels, annotations } of rules) {
    assertKnown(alert, expr)
    assert(['critical', 'warning'].includes(labels.severity), alert)
    assert.equal(annotations.runbook_url, `docs/runbook.md#${alert.toLowerCase()}`)
    assert(annotations.summary.includes('$labels.instance'), alert)
  }
})

test('every alert has a test where it fires, and one where it does not', () => {
  const { tests } = parse(textOf('deploy/prometheus/alerts.test.yaml')) as {
    readonly tests: readonly {
      readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[]
    }[]
  }
  const cases = tests.flatMap(({ alert_rule_test: each }) => each)
  for (const { alert } of rules) {
    const counts = cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts: fired }) => fired.length)
    assert(counts.some((count) => count > 0) && counts.includes(0), alert)
  }
})

test('promtool has no complaint, and the alerts fire as their tests say', { skip: missing('promtool') }, () => {
  const cwd = join(ROOT, 'deploy', 'prometheus')
  for (const args of [
    ['check', 'config', 'prometheus.yaml'],
    ['check', 'config', 'prometheus-host.yaml'],
    ['check', 'rules', 'alerts.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd, encoding: 'utf8' })
    assert.equal(status, 0, `promtool ${args.join(' ')}: ${stdout}${stderr}`)
  }
  // Expressions of the dashboard, with what Grafana puts into them.
  const targets = dashboard.panels.flatMap(({ targets: each = [] }) => each)
  const expressions = targets.map(({ expr }, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m'),
  }))
  const file = join(folder.path, 'panels.yaml')
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: expressions }] }))
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', '--lint=none', file], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, `${stdout}${stderr}`)
})
