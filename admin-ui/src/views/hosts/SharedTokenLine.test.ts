// A source with the shared token: what an administrator and another user can do about it.
import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import type { Role, Source } from '../../api/types'
import { english as en } from '../../../test/texts'
import { session } from '../../shell/session'
import { addingHost } from './adding'
import SharedTokenLine from './SharedTokenLine.vue'

const source: Source = { name: 'proxy@web-01:7680', kind: 'proxy', node: 'web-01', status: 'reporting', lastSeen: '2026-11-28T10:00:00Z', credential: 'shared-token' }

function shown(role: Role, until: string | null) {
  session.value = { user: { name: 'one', role, lastLogin: null }, csrfToken: '', version: '' }
  return mount(SharedTokenLine, { props: { source, until }, global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] } })
}

it('administrator_opensTheFormForThisHost', async () => {
  addingHost.value = null
  await shown('administrator', null).find('[data-enrol]').trigger('click')
  expect(addingHost.value).toEqual({ kinds: ['proxy'], node: 'web-01' })
  addingHost.value = null
})

it('otherUser_seesTheCommandOnly', () => {
  const line = shown('viewer', null)
  expect(line.find('[data-enrol]').exists()).toBe(false)
  expect(line.find('code').text()).toBe('./komainu enrol --kind proxy --node web-01')
})

it('end_ofTheToken_isNamedWhereItIsKnown', () => {
  expect(shown('viewer', '2026-12-28T10:00:00Z').text()).toContain('until 2026-12-28')
  expect(shown('viewer', null).text()).not.toContain('until')
})
