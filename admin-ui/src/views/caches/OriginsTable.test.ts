import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import type { CacheOrigin } from '../../api/types'
import { english as en } from '../../../test/texts'
import OriginsTable from './OriginsTable.vue'

const origin = (server: string, more: Partial<CacheOrigin> = {}): CacheOrigin => ({ server, up: true, open: 3, waiting: 0, requests: 200, failures: 0, ejections: 0, ...more })

function table(origins: CacheOrigin[]) {
  return mount(OriginsTable, { props: { origins }, global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] } })
}

describe('origins table', () => {
  it('servers_leftOut_comeFirst', () => {
    const shown = table([origin('a:80'), origin('b:80', { up: false, failures: 50, ejections: 2 })])
    expect(shown.findAll('[data-origin]').map((each) => each.attributes('data-origin'))).toEqual(['b:80', 'a:80'])
    expect(shown.get('[data-origin="b:80"]').text()).toContain(en.caches.origins.out)
    expect(shown.get('[data-origin="b:80"]').text()).toMatch(/50 \(25\s?%\)|50 \(25/)
    expect(shown.get('[data-origin="a:80"]').text()).toContain(en.caches.origins.up)
  })

  it('noServers_isSaid', () => {
    expect(table([]).get('[data-no-origins]').text()).toBe(en.caches.origins.none)
  })
})
