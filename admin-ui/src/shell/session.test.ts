import { describe, expect, it, vi } from 'vitest'
import type { Role } from '../api/types'

vi.mock('./overview', () => ({ labelsOf: (service: string): Record<string, string> => ({ 'shop:80': { team: 'shop' }, 'bank:80': { team: 'bank' } })[service] ?? {} }))

const { mayChange, session } = await import('./session')

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
