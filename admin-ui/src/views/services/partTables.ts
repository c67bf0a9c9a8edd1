// The parts of a host as tables of texts: one list of rows for each kind of part. Pure functions.
import type { HostParts } from '../../api/types'
import { ABSENT, bytes, percent, perSecond, plain } from '../../shell/format'

export interface Cell {
  text: string
  /** Numbers stand at the right edge. */
  number?: boolean
  /** Marks a value of a part at fault. */
  bad?: boolean
}

export interface Table {
  /** Last part of the key of its title. */
  name: string
  /** Last parts of the keys of its columns' titles; the first column names the row. */
  columns: string[]
  rows: Cell[][]
}

type Translate = (key: string, values?: Record<string, unknown>) => string

const words = (text: string | null | undefined, bad = false): Cell => ({ text: text ?? ABSENT, bad })
const number = (text: string, bad = false): Cell => ({ text, number: true, bad })

/** Formats a speed of a link, with the decimal units of network cards. */
export function speed(bitsPerSecond: number | null, locale: string): string {
  if (bitsPerSecond === null) return ABSENT
  return bitsPerSecond >= 1e9 ? `${plain(bitsPerSecond / 1e9, locale)} Gbit/s` : `${plain(bitsPerSecond / 1e6, locale)} Mbit/s`
}

const celsius = (value: number | null | undefined, locale: string): string =>
  value === null || value === undefined ? ABSENT : `${plain(value, locale)} °C`

function link(card: HostParts['cards'][number], t: Translate): Cell {
  const state = card.linkDown ? t('parts.down') : card.speedBitsPerSecond === null ? '' : t('parts.up')
  const texts = [state, card.slower ? t('parts.slower') : '', card.linkChanges ? t('parts.changes', { count: card.linkChanges }) : '']
  return words(texts.filter(Boolean).join(', ') || ABSENT, card.linkDown || card.slower)
}

function cardErrors(card: HostParts['cards'][number], locale: string): Cell {
  const kinds = card.errors.map((each) => `${each.kind} ${plain(each.count, locale)}`)
  return words(kinds.length > 0 ? kinds.join(', ') : perSecond(card.errorsPerSecond, locale), kinds.length > 0)
}

function access(volume: HostParts['volumes'][number], t: Translate): Cell {
  return words(t(volume.turnedReadOnly ? 'parts.turned' : volume.readOnly ? 'parts.readOnly' : 'parts.readWrite'), volume.turnedReadOnly)
}

/** Used share from which on a file system is nearly full. */
const FULL = 0.95

/** Returns the tables in the order in which they are shown. */
export function tables(parts: HostParts, t: Translate, locale: string): Table[] {
  return [
    {
      name: 'volumes',
      columns: ['mount', 'kind', 'size', 'used', 'inodes', 'access', 'errors'],
      rows: parts.volumes.map((each) => [
        words(each.mount),
        words(each.kind),
        number(bytes(each.bytes, locale)),
        number(percent(each.usedShare, locale), !each.readOnly && each.usedShare >= FULL),
        number(percent(each.inodesUsedShare, locale), !each.readOnly && (each.inodesUsedShare ?? 0) >= FULL),
        access(each, t),
        number(plain(each.errors, locale), (each.errors ?? 0) > 0),
      ]),
    },
    {
      name: 'cards',
      columns: ['card', 'model', 'link', 'speed', 'errors', 'drops', 'queueDrops'],
      rows: parts.cards.map((each) => [
        words(each.name),
        words(each.model),
        link(each, t),
        number(speed(each.speedBitsPerSecond, locale)),
        cardErrors(each, locale),
        number(perSecond(each.dropsPerSecond, locale)),
        number(perSecond(each.queueDropsPerSecond, locale)),
      ]),
    },
    {
      name: 'drives',
      columns: ['drive', 'model', 'size', 'errors', 'health'],
      rows: parts.drives.map((each) => [
        words(each.name),
        words(each.model),
        number(bytes(each.bytes, locale)),
        number(plain(each.errors, locale)),
        words(each.failing === null ? null : t(each.failing ? 'parts.healthFailing' : 'parts.healthSound'), each.failing === true),
      ]),
    },
    {
      name: 'arrays',
      columns: ['array', 'level', 'members', 'missing'],
      rows: parts.arrays.map((each) => [
        words(each.name),
        words(each.level),
        number(plain(each.members, locale)),
        number(plain(each.missing, locale), each.missing > 0),
      ]),
    },
    {
      name: 'modules',
      columns: ['slot', 'kind', 'size'],
      rows: parts.modules.map((each) => [words(each.slot), words(each.kind), number(bytes(each.bytes, locale))]),
    },
    {
      name: 'memoryErrors',
      columns: ['place', 'corrected', 'uncorrected'],
      rows: parts.memoryErrors.map((each) => [
        words(each.place),
        number(plain(each.corrected, locale)),
        number(plain(each.uncorrected, locale), each.uncorrected > 0),
      ]),
    },
    {
      name: 'sensors',
      columns: ['sensor', 'celsius', 'limit'],
      rows: parts.sensors.map((each) => [
        words(each.name),
        number(celsius(each.celsius, locale), each.limitCelsius != null && each.celsius >= each.limitCelsius),
        number(celsius(each.limitCelsius, locale)),
      ]),
    },
    {
      name: 'fans',
      columns: ['fan', 'rpm'],
      rows: parts.fans.map((each) => [words(each.name), number(plain(each.rpm, locale))]),
    },
    {
      name: 'cpus',
      columns: ['cpu', 'interrupts', 'softirqs', 'switches'],
      rows: parts.cpus.map((each) => [
        words(String(each.cpu)),
        number(perSecond(each.interruptsPerSecond, locale)),
        number(perSecond(each.softirqsPerSecond, locale)),
        number(perSecond(each.switchesPerSecond, locale)),
      ]),
    },
  ]
}

/** Returns the single facts of the host that it tells. */
export function facts(parts: HostParts, t: Translate, locale: string): [string, string][] {
  const rows: [string, string | null][] = [
    ['board', parts.board],
    ['cpuCelsius', parts.cpuCelsius === null ? null : celsius(parts.cpuCelsius, locale)],
    ['clock', parts.clockSynchronised === null ? null : t(parts.clockSynchronised ? 'parts.clockFollows' : 'parts.clockFree')],
    ['throttles', parts.throttlesPerSecond === null ? null : perSecond(parts.throttlesPerSecond, locale)],
    ['backlogDrops', parts.backlogDropsPerSecond === null ? null : perSecond(parts.backlogDropsPerSecond, locale)],
  ]
  return rows.map(([name, text]) => [name, text ?? ABSENT])
}
