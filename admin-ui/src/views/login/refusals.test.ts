import { describe, expect, it } from 'vitest'
import en from '../../locales/en.json'
import { refusalKey } from './refusals'

describe('refusalKey', () => {
  it.each([
    ['no-group', 'refused.no-group'],
    ['<b>else', 'refused.unknown'],
    ['', null],
    [undefined, null],
    [['name', 'token'], null],
  ])('%s: %s', (reason, key) => {
    expect(refusalKey(reason)).toBe(key)
  })

  it('everyReasonWithAText_isKnown', () => {
    for (const reason of Object.keys(en.refused)) expect(refusalKey(reason)).toBe(`refused.${reason}`)
  })
})
