// The backups page: states of a run, faults, and the request for a new one.
import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import type { Backups } from '../../api/types'
import { english as en } from '../../../test/texts'
import BackupsSection from './BackupsSection.vue'

const { get, post } = vi.hoisted(() => ({ get: vi.fn(), post: vi.fn() }))
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { GET: get, POST: post } }))

const none: Backups = {
  directory: '/backups',
  canEncrypt: false,
  newest: null,
  items: [],
  copies: { everySeconds: 3600, most: 24, items: [], failure: null },
  mended: null,
}

async function shown(backups: Backups) {
  get.mockResolvedValue({ data: backups, response: { ok: true } })
  const section = mount(BackupsSection, { global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] }, attachTo: document.body })
  await flushPromises()
  return section
}

beforeEach(() => {
  document.body.replaceChildren()
  post.mockReset()
})

it('firstVisit_saysThatThereIsNoBackupAndNoPassphrase', async () => {
  const section = await shown(none)
  expect(section.find('[data-old]').text()).toContain('no complete backup')
  expect(section.find('[data-no-passphrase]').text()).toContain('komainu.backup.passphrase-file')
  expect(section.find('[data-encrypted]').exists()).toBe(false)
})

it('running_showsTheStageAndNoSecondStart', async () => {
  const section = await shown({
    ...none,
    newest: { directory: '/backups/b', begun: '2026-11-28T10:00:00Z', encrypted: false, state: 'running', stage: 'control', bytes: 1048576, expectedBytes: 4194304, ended: null, fault: null },
  })
  expect(section.find('[data-run=running]').text()).toContain('control data')
  expect(section.find('[data-run=running]').text()).toContain('25')
  expect(section.find('[data-back-up]').attributes('disabled')).toBeDefined()
})

it('faults_ofRunCopyAndStart_areTold', async () => {
  const section = await shown({
    ...none,
    newest: { directory: '/backups/b', begun: '2026-11-28T10:00:00Z', encrypted: false, state: 'failed', stage: 'files', bytes: 1, expectedBytes: 2, ended: '2026-11-28T10:01:00Z', fault: 'No space left' },
    items: [{ name: 'backup-1', complete: false, fault: 'manifest: changed', control: null, telemetry: null, encrypted: null, days: null, rows: null, bytes: null, missing: [] }],
    copies: { everySeconds: 3600, most: 24, items: [{ at: '2026-11-28T10:00:00Z', bytes: 10 }], failure: 'disk full' },
    mended: { fault: 'File corrupted', from: '2026-11-28T09:00:00Z', aside: '/data/control.damaged-1.mv.db' },
  })
  expect(section.find('[data-run=failed]').text()).toContain('No space left')
  expect(section.find('[data-fault]').text()).toContain('manifest: changed')
  expect(section.find('[data-copy-failure]').text()).toContain('disk full')
  expect(section.find('[data-mended]').text()).toContain('/data/control.damaged-1.mv.db')
})

it('start_afterTheQuestion_asksForAnEncryptedBackupWherePossible', async () => {
  post.mockResolvedValue({ data: {}, response: { ok: true } })
  const section = await shown({ ...none, canEncrypt: true })
  await section.find('[data-back-up]').trigger('click')
  await flushPromises()
  const confirm = document.querySelector<HTMLButtonElement>('[data-confirm]')
  expect(confirm).not.toBeNull()
  confirm?.click()
  await flushPromises()
  expect(post).toHaveBeenCalledWith('/api/v1/backups', { body: { encrypted: true } })
})
