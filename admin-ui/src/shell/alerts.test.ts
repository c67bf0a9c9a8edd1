import { describe, expect, it } from 'vitest'
import { covers } from './alerts'

describe('covers', () => {
  it.each([
    ['silence', null, 'web:80', true],
    ['silence', 'web-*', 'web-01:80', true],
    ['silence', 'web-*', 'db-01:80', false],
    ['silence', '*:80', 'web-01:8080', false],
    ['silence', 'a.c', 'abc', false],
    ['maintenance', 'web-*', 'web-01:80', false],
    ['maintenance', 'web-01:80', 'web-01:80', true],
  ] as const)('%s of %s, asked for %s: %s', (kind, service, subject, expected) => {
    expect(covers({ kind, service }, subject)).toBe(expected)
  })

  it('selector_mustMatchBesideThePattern', () => {
    const silence = { kind: 'silence', service: 'web-*', label: 'team=shop' } as const
    expect(covers(silence, 'web-01:80', { team: 'shop' })).toBe(true)
    expect(covers(silence, 'web-01:80', { team: 'bank' })).toBe(false)
    expect(covers(silence, 'db-01:80', { team: 'shop' })).toBe(false)
    expect(covers({ ...silence, service: null }, 'db-01:80')).toBe(false)
  })
})
