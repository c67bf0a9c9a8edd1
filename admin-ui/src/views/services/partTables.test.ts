import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import type { HostParts } from '../../api/types'
import en from '../../locales/en.json'
import HostPartTables from './HostPartTables.vue'
import { facts, speed, tables } from './partTables'

const nothing: HostParts = {
  at: '2026-11-28T04:00:00Z',
  faults: [],
  board: null,
  cpuCelsius: null,
  clockSynchronised: null,
  throttlesPerSecond: null,
  backlogDropsPerSecond: null,
  cpus: [],
  modules: [],
  memoryErrors: [],
  drives: [],
  arrays: [],
  volumes: [],
  cards: [],
  sensors: [],
  fans: [],
}
const volume = { mount: '/', device: 'sda1', kind: 'ext4', bytes: 1024, availableBytes: 0, usedShare: 1, inodesUsedShare: null, readOnly: false, turnedReadOnly: false, errors: null }
const card = { name: 'eth0', model: null, speedBitsPerSecond: 100e6, slower: true, linkDown: false, linkChanges: 3, dropsPerSecond: 0, errorsPerSecond: 0, queueDropsPerSecond: null, errors: [] }
const key = (name: string, values?: object): string => name + (values ? JSON.stringify(values) : '')

const rows = (parts: Partial<HostParts>, name: string) => tables({ ...nothing, ...parts }, key, 'en').find((each) => each.name === name)!.rows
const mounted = (parts: HostParts | null) =>
  mount(HostPartTables, { props: { parts }, global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] } })

describe('tables of parts', () => {
  it('full_isMarked_unlessNothingCanBeWrittenAnyway', () => {
    const [writable, image] = rows({ volumes: [volume, { ...volume, readOnly: true }] }, 'volumes')
    expect(writable!.map((cell) => !!cell.bad)).toEqual([false, false, false, true, false, false, false])
    expect(image!.some((cell) => cell.bad)).toBe(false)
  })

  it('becameReadOnly_isMarked_andAbsentCountsAreNoZeros', () => {
    const [row] = rows({ volumes: [{ ...volume, usedShare: 0.5, readOnly: true, turnedReadOnly: true }] }, 'volumes')
    expect(row!.filter((cell) => cell.bad).map((cell) => cell.text)).toEqual(['parts.turned'])
    expect(row!.at(-1)!.text).toBe('–')
  })

  it('slowerLink_andErrorsByKind', () => {
    const [row] = rows({ cards: [{ ...card, errors: [{ kind: 'rx_crc_errors', count: 7 }] }] }, 'cards')
    expect(row!.map((cell) => cell.text)).toEqual(['eth0', '–', 'parts.up, parts.slower, parts.changes{"count":3}', '100 Mbit/s', 'rx_crc_errors 7', '0/s', '–'])
    expect(rows({ cards: [{ ...card, linkDown: true, speedBitsPerSecond: null }] }, 'cards')[0]![2]!.text).toContain('parts.down')
  })

  it('disk_thatWasNotAsked_hasNoVerdict', () => {
    const drive = { name: 'sda', model: null, bytes: 1024, errors: null, failing: null }
    expect(rows({ drives: [drive, { ...drive, failing: true }] }, 'drives').map((row) => row.at(-1)!.text)).toEqual(['–', 'parts.healthFailing'])
  })

  it('temperature_atItsLimit_isMarked', () => {
    const sensor = (celsius: number, limitCelsius: number | null) => ({ name: 's', celsius, limitCelsius })
    expect(rows({ sensors: [sensor(80, 80), sensor(79, 80), sensor(99, null)] }, 'sensors').map((row) => !!row[1]!.bad)).toEqual([true, false, false])
  })

  it('speed_hasDecimalUnits', () => {
    expect([speed(null, 'en'), speed(100e6, 'en'), speed(2.5e9, 'en')]).toEqual(['–', '100 Mbit/s', '2.5 Gbit/s'])
  })

  it('facts_thatAreNotTold_areAbsent', () => {
    expect(facts(nothing, key, 'en').map(([, text]) => text)).toEqual(Array(5).fill('–'))
    expect(facts({ ...nothing, clockSynchronised: false, throttlesPerSecond: 0 }, key, 'en').map(([, text]) => text)).toEqual(['–', '–', 'parts.clockFree', '0/s', '–'])
  })

  it('host_withoutParts_tellsWhy_andOneThatReportsNothingSaysItInOneLine', () => {
    expect(mounted(null).text()).toContain('has not reported its parts')
    const empty = mounted(nothing)
    expect(empty.findAll('table')).toHaveLength(0)
    expect(empty.get('[data-absent]').text()).toContain('File systems, Network cards, Disks, Disk arrays, Memory modules')
  })

  it('fault_isListedFirst_withItsTime', () => {
    const shown = mounted({ ...nothing, faults: [{ kind: 'volume-full', part: '/', since: '2026-11-28T04:00:00Z', text: { en: '/ is full.', ja: '満杯です。' } }] })
    expect(shown.get('[data-faults]').text()).toContain('/ is full.')
    expect(shown.get('[data-faults]').text()).toContain('since 2026-11-28')
  })
})
