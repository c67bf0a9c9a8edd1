import { describe, expect, it, vi } from 'vitest'
import type { Role } from '../api/types'

vi.mock('./overview', () => ({ labelsOf: (service: string): Record<string, string> => ({ 'shop:80': { team: 'shop' }, 'bank:80': { team: 'bank' } })[service] ?? {} }))

const { mayChange, mayEnd, session } = await import('./session')

describe('mayChange', () => {
  it.each([
    ['operator', null, 'bank:80', true],
    ['operator', 'team=shop', 'shop:80', true],
    ['operator', 'team=shop', 'bank:80', false],
    ['operator', 'team=shop', 'unlabelled:80', false],
    ['viewer', null, 'shop:80', false],
    ['administrator', null, 'bank:80', true],
  ] as [Role, string | null, string, boolean][])('%s of %s, service %s: %s', (role, group, service, expected) => {
    session.value = { user: { name: 'one', role, lastLogin: null, group }, csrfToken: '', version: '' }
    expect(mayChange(service)).toBe(expected)
  })
})

describe('mayEnd', () => {
  it.each([
    ['operator', null, null, true],
    ['operator', 'team=shop', 'team=shop,tier=web', true],
    ['operator', 'team=shop', 'tier=web', false],
    ['operator', 'team=shop', null, false],
    ['viewer', null, null, false],
  ] as [Role, string | null, string | null, boolean][])('%s of %s, silence of %s: %s', (role, group, label, expected) => {
    session.value = { user: { name: 'one', role, lastLogin: null, group }, csrfToken: '', version: '' }
    expect(mayEnd({ kind: 'silence', service: null, label })).toBe(expected)
  })

  it('maintenance_isEndedByThoseWhoMayChangeItsService', () => {
    session.value = { user: { name: 'one', role: 'operator', lastLogin: null, group: 'team=shop' }, csrfToken: '', version: '' }
    expect(mayEnd({ kind: 'maintenance', service: 'shop:80', label: null })).toBe(true)
    expect(mayEnd({ kind: 'maintenance', service: 'bank:80', label: null })).toBe(false)
  })
})
