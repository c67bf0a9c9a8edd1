import { describe, expect, it } from 'vitest'
import { ABSENT, bytes, micros, millis, percent, perSecond, plain, span, withUnit } from './format'

describe('figures', () => {
  it('absent_anyFigure_isNeverZero', () => {
    for (const shown of [plain(null), perSecond(undefined), percent(null), bytes(null), millis(null), micros(undefined), withUnit(null, 'B/s')]) {
      expect(shown).toBe(ABSENT)
    }
  })

  it.each([
    [0, '0'],
    [0.0123, '0.012'],
    [3.14159, '3.1'],
    [42.42, '42.4'],
    [1234.5, '1,235'],
  ])('plain_%d_isShort', (value, shown) => expect(plain(value)).toBe(shown))

  it.each([
    [0.25, '250 µs'],
    [38.2, '38.2 ms'],
    [1840, '1.8 s'],
  ])('millis_%d_choosesItsUnit', (value, shown) => expect(millis(value)).toBe(shown))

  it.each([
    [0, '0 B'],
    [1023, '1,023 B'],
    [1536, '1.5 KiB'],
    [5 * 1024 ** 3, '5 GiB'],
  ])('bytes_%d_areBinary', (value, shown) => expect(bytes(value)).toBe(shown))

  it('percent_smallShares_keepTheirDigits', () => {
    expect([percent(0.5), percent(0.056), percent(0.0012), percent(0)]).toEqual(['50\u00a0%', '5.6\u00a0%', '0.12\u00a0%', '0\u00a0%'])
  })

  it('span_roundsDownToItsLargestUnit', () => {
    expect([span(0), span(59), span(119), span(7300), span(200_000)]).toEqual(['0 s', '59 s', '1 min', '2 h', '2 d'])
    expect(span(360, 'ja')).toBe('6 分')
  })
})
