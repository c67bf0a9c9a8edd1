import { expect, it } from 'vitest'
import { networksOf, readable } from './networks'

it('networks_dividedByAnySign_areOneEach', () => {
  expect(networksOf(' 192.0.2.10, 2001:db8::/64\n198.51.100.0/24、203.0.113.7,203.0.113.8 203.0.113.9 ')).toEqual(['192.0.2.10', '2001:db8::/64', '198.51.100.0/24', '203.0.113.7', '203.0.113.8', '203.0.113.9'])
  expect(networksOf(' \n')).toEqual([])
})

it.each([
  ['192.0.2.10/32', '192.0.2.10'],
  ['2001:db8::1/128', '2001:db8::1'],
  ['2001:db8::/32', '2001:db8::/32'],
  ['192.0.2.0/24', '192.0.2.0/24'],
  ['192.0.2.10', '192.0.2.10'],
])('block %s is read as %s', (network, text) => {
  expect(readable(network)).toBe(text)
})
