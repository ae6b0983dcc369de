import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { hashOf, isSecret, mintId, mintSecret } from '../../src/access/key.ts'

test('a secret shows its kind, and has 43 and 6 base-62 characters', () => {
  assert.match(mintSecret('customer'), /^odds_live_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
  assert.match(mintSecret('feed'), /^odds_feed_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
})

test('secrets and ids do not repeat, and use all of their alphabet', () => {
  const secrets = new Set<string>()
  const ids = new Set<string>()
  const characters = new Set<string>()
  for (let n = 0; n < 5_000; n++) {
    const secret = mintSecret('customer')
    secrets.add(secret)
    ids.add(mintId('key'))
    for (const character of secret.slice(11, 53)) characters.add(character)
    assert.ok(isSecret(secret), secret)
  }
  assert.equal(secrets.size, 5_000)
  assert.equal(ids.size, 5_000)
  assert.equal(characters.size, 62)
})

test('every change of one character is noticed', () => {
  const secret = mintSecret('customer')
  for (let place = 0; place < secret.length; place++) {
    const other = secret[place] === 'x' ? 'y' : 'x'
    assert.equal(isSecret(secret.slice(0, place) + other + secret.slice(place + 1)), false, `character ${place}`)
  }
})

test('what is shorter, longer, of the other kind or not base-62 is no secret', () => {
  const secret = mintSecret('customer')
  const others = ['', 'odds_live_', secret.slice(0, -1), `${secret}0`, ` ${secret}`, `${secret}\n`]
  others.push(secret.replace('live', 'feed'), secret.replace('odds', 'ODDS'), 'é'.repeat(60), 'x'.repeat(100_000))
  for (const other of others) assert.equal(isSecret(other), false, other.slice(0, 80))
})

test('the hash is the SHA-256 of the whole secret', () => {
  const secret = mintSecret('feed')
  assert.equal(hashOf(secret), createHash('sha256').update(secret).digest('hex'))
})
