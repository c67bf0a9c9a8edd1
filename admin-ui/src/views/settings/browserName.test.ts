import { expect, it } from 'vitest'
import { browserName } from './browserName'

it('browserName_knownBrowsers_areShort', () => {
  expect(browserName('Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0')).toBe('Firefox 140, Linux')
  expect(browserName('Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0')).toBe('Edge 140, Windows')
  expect(browserName('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15')).toBe('Safari 18, macOS')
  expect(browserName('Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36')).toBe('Chrome 140, Android')
})

it('browserName_others_areCut', () => {
  expect(browserName(null)).toBe('–')
  expect(browserName('curl/8.5')).toBe('curl/8.5')
  expect(browserName('x'.repeat(200))).toHaveLength(61)
})
