import { flushPromises, mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import QrCode from './QrCode.vue'
import { qrPath } from './qrPath'

/** Returns the dark modules that a path of {@link qrPath} draws. */
function modules(path: string): Set<string> {
  const dark = new Set<string>()
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let i = 0; i < Number(width); i++) dark.add(`${Number(x) + i} ${y}`)
  }
  return dark
}

it('path_ofAGrid_drawsItsDarkModulesOnly', () => {
  const path = qrPath([
    [true, true, false, true],
    [false, false, false, false],
    [false, true, false, false],
  ])
  expect(path).toBe('M0 0h2v1h-2zM3 0h1v1h-1zM1 2h1v1h-1z')
  expect([...modules(path)].sort()).toEqual(['0 0', '1 0', '1 2', '3 0'])
})

it('code_ofAnAuthenticatorAddress_hasBorderAndThreeFinderPatterns', async () => {
  const view = mount(QrCode, { props: { text: 'otpauth://totp/Komainu:ann%40central.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Komainu', label: 'QR code' } })
  await vi.waitFor(async () => {
    await flushPromises()
    expect(view.find('[data-qr]').exists()).toBe(true)
  })
  const size = Number(view.get('svg').attributes('viewBox')!.split(' ')[2])
  const dark = modules(view.get('path').attributes('d')!)
  const side = size - 8
  expect((side - 17) % 4).toBe(0)
  for (let i = 0; i < size; i++) for (const edge of [0, 3, size - 4, size - 1]) expect(dark.has(`${i} ${edge}`) || dark.has(`${edge} ${i}`)).toBe(false)
  // A finder pattern is a dark ring of seven modules with a dark square of three in it (ISO/IEC 18004 section 6.3.3).
  for (const [left, top] of [[4, 4], [size - 11, 4], [4, size - 11]] as const) {
    for (let y = 0; y < 7; y++) {
      for (let x = 0; x < 7; x++) {
        const ring = Math.max(Math.abs(x - 3), Math.abs(y - 3))
        expect([left + x, top + y, dark.has(`${left + x} ${top + y}`)]).toEqual([left + x, top + y, ring !== 2])
      }
    }
  }
})
