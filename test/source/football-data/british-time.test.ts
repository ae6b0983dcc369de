import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBritishTime, parseDateOnly } from '../../../src/source/football-data/british-time.ts'
import { Random, SEED } from '../../random.ts'

const at = (date: string, time: string): string | undefined => {
  const epochMs = parseBritishTime(date, time)
  return epochMs === undefined ? undefined : new Date(epochMs).toISOString()
}

test('summer time is an hour ahead of UTC', () => {
  assert.equal(at('11/08/2023', '20:00'), '2023-08-11T19:00:00.000Z')
  assert.equal(at('20/01/2024', '20:00'), '2024-01-20T20:00:00.000Z')
  assert.equal(at('01/07/2024', '00:30'), '2024-06-30T23:30:00.000Z', 'the UTC date may be the day before')
})

test('clocks change at 01:00 UTC on the last Sundays of March and October', () => {
  assert.equal(at('31/03/2024', '00:59'), '2024-03-31T00:59:00.000Z')
  assert.equal(at('31/03/2024', '01:30'), '2024-03-31T01:30:00.000Z', 'an hour that is left out')
  assert.equal(at('31/03/2024', '02:00'), '2024-03-31T01:00:00.000Z')
  assert.equal(at('27/10/2024', '00:59'), '2024-10-26T23:59:00.000Z')
  assert.equal(at('27/10/2024', '01:30'), '2024-10-27T00:30:00.000Z', 'an hour that comes twice')
  assert.equal(at('27/10/2024', '02:00'), '2024-10-27T02:00:00.000Z')
  assert.equal(at('25/10/2020', '12:00'), '2020-10-25T12:00:00.000Z', 'the last Sunday, not the last week')
})

test('what is no date or time is none', () => {
  for (const [date, time] of [
    ['31/06/2024', '15:00'],
    ['29/02/2023', '15:00'],
    ['00/01/2024', '15:00'],
    ['01/13/2024', '15:00'],
    ['1/8/2024', '15:00'],
    ['01/08/4', '15:00'],
    ['01/08/0024', '15:00'],
    ['2024-08-01', '15:00'],
    ['01/08/1997', '15:00'],
    ['01/08/2024', '24:00'],
    ['01/08/2024', '15:60'],
    ['01/08/2024', '15.00'],
    ['01/08/2024', ''],
    ['', '15:00'],
  ] as const) {
    assert.equal(at(date, time), undefined, `${date} ${time}`)
  }
  assert.equal(at('29/02/2024', '15:00'), '2024-02-29T15:00:00.000Z')
})

test('a date without a time is at 12:00 UTC; years may have two digits', () => {
  const days = ['14/08/93', '13/08/05', '26/08/2017', '31/12/99', '01/07/92', '31/06/17', '2017-08-26', ''].map(
    (date) => {
      const epochMs = parseDateOnly(date)
      return epochMs === undefined ? undefined : new Date(epochMs).toISOString()
    },
  )
  assert.deepEqual(days, [
    '1993-08-14T12:00:00.000Z',
    '2005-08-13T12:00:00.000Z',
    '2017-08-26T12:00:00.000Z',
    '1999-12-31T12:00:00.000Z',
    '2092-07-01T12:00:00.000Z',
    undefined,
    undefined,
    undefined,
  ])
  assert.equal(at('26/08/17', '15:00'), '2017-08-26T14:00:00.000Z')
})

test('times show in London as they were written', () => {
  const random = new Random(SEED)
  const london = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London',
    day: '2-digit',
    month: '2-digit',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
  const pad = (number: number): string => String(number).padStart(2, '0')
  for (let run = 0; run < 3_000; run++) {
    // Not in the hour that is left out.
    const date = `${pad(random.int(1, 28))}/${pad(random.int(1, 12))}/${random.int(1998, 2037)}`
    const time = `${pad(random.int(2, 23))}:${pad(random.int(0, 59))}`
    assert.equal(london.format(parseBritishTime(date, time)), `${date}, ${time}`, `seed ${SEED}, run ${run}`)
  }
})
