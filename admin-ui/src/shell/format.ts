// Readable formats of values. Null is "not observable" and is never shown as zero.
export const ABSENT = '–'

type Maybe = number | null | undefined

const formats = new Map<string, Intl.NumberFormat>()

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = locale + JSON.stringify(options)
  let format = formats.get(key)
  if (!format) formats.set(key, (format = new Intl.NumberFormat(locale, options)))
  return format
}

/** Formats with three significant digits below 1,000 and all digits above. */
export function plain(value: Maybe, locale = 'en'): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return ABSENT
  const size = Math.abs(value)
  if (size === 0) return '0'
  const options: Intl.NumberFormatOptions =
    size >= 100 ? { maximumFractionDigits: 0 } : size >= 10 ? { maximumFractionDigits: 1 } : { maximumSignificantDigits: 2 }
  return numberFormat(locale, options).format(value)
}

const SIGNS: Record<string, string> = { '>=': '≥', '<=': '≤' }

/** Returns the printed sign of a comparison: "≥" for ">=". */
export function sign(comparison: string | null | undefined): string {
  return SIGNS[comparison ?? ''] ?? comparison ?? ''
}

export function perSecond(value: Maybe, locale = 'en'): string {
  return value === null || value === undefined ? ABSENT : `${plain(value, locale)}/s`
}

/** A percent sign is a unit: a space that never breaks stands before it, as in the texts of the central service. */
const PERCENT = '\u00a0%'

/** Formats a share of 0 to 1 as percent. */
export function percent(share: Maybe, locale = 'en'): string {
  if (share === null || share === undefined) return ABSENT
  const digits = share !== 0 && Math.abs(share) < 0.01 ? 2 : Math.abs(share) < 0.1 ? 1 : 0
  return numberFormat(locale, { maximumFractionDigits: digits }).format(share * 100) + PERCENT
}

const BYTE_STEPS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function bytes(value: Maybe, locale = 'en'): string {
  if (value === null || value === undefined) return ABSENT
  let size = value
  let step = 0
  while (Math.abs(size) >= 1024 && step < BYTE_STEPS.length - 1) {
    size /= 1024
    step += 1
  }
  return `${step === 0 ? plain(Math.round(size), locale) : plain(size, locale)} ${BYTE_STEPS[step]}`
}

export function millis(value: Maybe, locale = 'en'): string {
  if (value === null || value === undefined) return ABSENT
  if (value === 0) return '0 ms'
  if (value < 1) return `${plain(value * 1000, locale)} µs`
  if (value < 1000) return `${plain(value, locale)} ms`
  return `${plain(value / 1000, locale)} s`
}

export function micros(value: Maybe, locale = 'en'): string {
  return value === null || value === undefined ? ABSENT : millis(value / 1000, locale)
}

const SPANS = [
  { seconds: 86_400, en: 'd', ja: '日' },
  { seconds: 3_600, en: 'h', ja: '時間' },
  { seconds: 60, en: 'min', ja: '分' },
  { seconds: 1, en: 's', ja: '秒' },
] as const

/** Formats a duration in its largest fitting unit, rounded down: "6 min". */
export function span(seconds: number, locale = 'en'): string {
  const whole = Math.max(0, Math.round(seconds))
  const unit = SPANS.find((each) => whole >= each.seconds) ?? SPANS[3]
  const number = numberFormat(locale, {}).format(Math.floor(whole / unit.seconds))
  return `${number} ${locale === 'ja' ? unit.ja : unit.en}`
}

export function clock(at: string | number | Date, locale = 'en'): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(
    new Date(at),
  )
}

export function dateTime(at: string | number | Date | null | undefined, locale = 'en'): string {
  if (at === null || at === undefined) return ABSENT
  // Readers of English are in many countries. The ISO order, which the Swedish locale uses, is clear to all of them.
  return new Intl.DateTimeFormat(locale === 'en' ? 'sv' : locale, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(at))
}

/** Formats a value with the unit of the contract. */
export function withUnit(value: Maybe, unit: string | undefined, locale = 'en'): string {
  switch (unit) {
    case 'ms':
    case 'milliseconds':
      return millis(value, locale)
    case 'µs':
    case 'us':
    case 'microseconds':
      return micros(value, locale)
    case 'bytes':
    case 'B':
      return bytes(value, locale)
    case 'bytes/s':
    case 'B/s':
      return value === null || value === undefined ? ABSENT : `${bytes(value, locale)}/s`
    case '1/s':
    case '/s':
    case 'per second':
      return perSecond(value, locale)
    case 'share':
      return percent(value, locale)
    case 'percent':
      return value === null || value === undefined ? ABSENT : plain(value, locale) + PERCENT
    case undefined:
    case '':
    case '1':
    case 'count':
    case 'ratio':
      return plain(value, locale)
    default:
      return value === null || value === undefined ? ABSENT : `${plain(value, locale)} ${unit}`
  }
}
