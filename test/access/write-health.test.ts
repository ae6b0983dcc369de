import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WriteHealth } from '../../src/access/write-health.ts'

const BUSY_POLLS = 10
const STEADY_POLLS = 20
const RETRY_POLLS = 5
const IDLE_POLLS = 100

/** Polls that pass. Which of them asked for a try. */
const pass = (health: WriteHealth, polls: number): number[] =>
  Array.from({ length: polls }, (_, n) => n + 1).filter(() => health.poll(false))

test('another process may hold the store for a moment; longer is a problem, reported once', () => {
  const health = new WriteHealth()
  health.failed('locked', true)
  pass(health, BUSY_POLLS - 1)
  assert.equal(health.problem, undefined)
  pass(health, 1)
  assert.equal(health.problem, 'locked')
  health.failed('disk full', false)
  assert.equal(health.problem, 'locked', 'as it was reported')
})

test('a failure in between that was followed by a success is none', () => {
  const health = new WriteHealth()
  for (let n = 0; n < 10; n++) {
    health.failed('locked', true)
    pass(health, BUSY_POLLS - 1)
    health.worked()
  }
  assert.equal(health.problem, undefined)
})

test('a disk that refuses is a problem at once, and over when it has accepted everything for a while', () => {
  const health = new WriteHealth()
  health.failed('disk full', false)
  assert.equal(health.problem, 'disk full')
  health.worked()
  pass(health, STEADY_POLLS - 1)
  assert.equal(health.problem, 'disk full')
  health.failed('disk full', false)
  health.worked()
  pass(health, STEADY_POLLS - 1)
  assert.equal(health.problem, 'disk full', 'it began again')
  pass(health, 1)
  assert.equal(health.problem, undefined)
})

test('it asks for tries: seldom while nothing is written, often while writing fails', () => {
  const health = new WriteHealth()
  assert.deepEqual(pass(health, IDLE_POLLS), [IDLE_POLLS])
  health.worked()
  assert.deepEqual(pass(health, IDLE_POLLS - 1), [])
  health.failed('disk full', false)
  assert.deepEqual(pass(health, RETRY_POLLS), [RETRY_POLLS])
})
