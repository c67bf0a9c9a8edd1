import { describe, expect, it } from 'vitest'
import { pressed } from './legend'

const NAMES = ['a', 'b', 'c']

describe('the legend of a chart', () => {
  it('shows a pressed line alone, and all lines when it is pressed again', () => {
    const alone = pressed(new Set(), NAMES, 'b', false)
    expect([...alone]).toEqual(['a', 'c'])
    expect(pressed(alone, NAMES, 'b', false).size).toBe(0)
  })

  it('changes to another line that is pressed', () => {
    expect([...pressed(new Set(['a', 'c']), NAMES, 'c', false)]).toEqual(['a', 'b'])
  })

  it('shows or hides one line of several with the key held', () => {
    const one = pressed(new Set(), NAMES, 'b', true)
    expect([...one]).toEqual(['b'])
    expect(pressed(one, NAMES, 'b', true).size).toBe(0)
  })

  it('keeps the last line', () => {
    expect([...pressed(new Set(['a', 'b']), NAMES, 'c', true)]).toEqual(['a', 'b'])
    expect(pressed(new Set(), ['a'], 'a', false).size).toBe(0)
  })
})
