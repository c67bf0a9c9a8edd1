import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'

vi.mock('../../shell/overview', () => ({ nameOf: (id: string) => `Name of ${id}` }))

const { default: OddCard } = await import('./OddCard.vue')

it('clue_thatNamesNoMirrorByItself_saysSo', () => {
  const clue = (figure: 'response' | 'share', decisive: boolean) => ({ figure, unit: 'millis' as const, value: 120, peersMedian: 15, peersLeast: 14, peersMost: 16, decisive })
  const card = mount(OddCard, {
    props: { odd: { service: 'c:80', since: '2026-11-28T04:00:00Z', evidence: [clue('response', true), clue('share', false)] } },
    global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })], stubs: { RouterLink: { template: '<a><slot /></a>' } } },
  })
  expect(card.find('h2').text()).toContain('Name of c:80')
  const rows = card.findAll('tbody tr').map((row) => row.text())
  expect(rows[0]).not.toContain('by itself')
  expect(rows[1]).toContain('by itself')
})
