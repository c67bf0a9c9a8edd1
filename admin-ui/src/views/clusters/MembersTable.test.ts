import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import type { ClusterDetail, ClusterMember, Role, Session } from '../../api/types'
import { english as en } from '../../../test/texts'
import { session } from '../../shell/session'

const put = vi.fn()
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { PUT: (...given: unknown[]) => put(...given) } }))

const { default: MembersTable } = await import('./MembersTable.vue')

const member = (name: string, more: Partial<ClusterMember> = {}): ClusterMember => ({
  name, node: null, line: '', started: '2026-11-22T10:00:00Z', reports: true, heard: null, present: true, coordinator: false, draining: false, flapping: false,
  state: 'up', inFlight: 3, serviceMillis: 2, servedPerSecond: 5, faultsPerSecond: 0, requestsPerSecond: null, servers: [], ...more,
})
const detail: ClusterDetail = {
  cluster: { name: 'shop', heard: '2026-11-22T10:00:00Z', fresh: true, partedSince: null, parts: [], members: [member('web1'), member('web2', { state: 'saturated' }), member('web3', { present: false })], routes: [], lines: [], conflicts: [] },
  watched: [{ member: 'web2', address: '127.0.0.1:80', service: 'host2:80', name: 'Apache', state: 'saturated/cpu' }],
  takeOrders: ['web1', 'web3'],
}

function shown(role: Role) {
  session.value = { user: { name: 'eve', role }, csrfToken: 'token', version: '' } as Session
  return mount(MembersTable, {
    props: { detail },
    global: {
      plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })],
      stubs: { ModalDialog: { props: ['open'], template: '<div v-if="open"><slot /></div>' }, RouterLink: { props: ['to'], template: '<a><slot /></a>' } },
    },
  })
}

describe('members', () => {
  beforeEach(() => {
    put.mockReset()
    put.mockImplementation(async () => ({ data: { member: 'web1', draining: true }, response: { ok: true, status: 200 } }))
  })

  it('operator_drainsAfterConfirming_onlyWhoIsThereAndTakesOrders', async () => {
    const table = shown('operator')
    const switches = table.findAll('[data-drain]')
    expect(switches.map((each) => each.attributes('data-drain'))).toEqual(['web1'])
    expect(switches[0]!.attributes('aria-checked')).toBe('false')

    await switches[0]!.trigger('click')
    expect(put).not.toHaveBeenCalled()
    await table.get('[data-confirm]').trigger('click')
    await flushPromises()

    expect(put.mock.calls).toHaveLength(1)
    expect(put.mock.calls[0]![1]).toMatchObject({ params: { path: { cluster: 'shop', member: 'web1' } }, body: { on: true } })
    expect(table.emitted('changed')).toHaveLength(1)
  })

  it('headers_areWordsAlone', () => {
    const heads = shown('viewer').findAll('thead th').map((each) => each.text())
    expect(heads.at(-1)).toBe('Member since')
  })

  it('viewer_seesEverything_andSwitchesNothing', () => {
    const table = shown('viewer')
    expect(table.find('[data-drain]').exists()).toBe(false)
    expect(table.find('[data-no-orders]').exists()).toBe(false)
    expect(table.get('[data-member=web2]').text()).toContain('saturated')
    expect(table.get('[data-member=web2]').text()).toContain('Apache')
    expect(table.get('[data-member=web3]').text()).toContain('missing')
  })
})
