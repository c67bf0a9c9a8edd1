// Invented labels, rules and groups. The members of a group are rows of the invented fleet.
const iso = (millis) => new Date(millis).toISOString()

/** The labels of an invented service of a large fleet: three teams, two tiers, and four mirrors that are to behave alike. */
export function fleetLabels(number) {
  const labels = { team: ['shop', 'bank', 'news'][number % 3], tier: number % 5 < 3 ? 'web' : 'cache', unit: `server-${number}` }
  return number < 4 ? { ...labels, mirror: 'catalogue' } : labels
}

const OWN = {
  'web-01:80': [
    { key: 'team', value: 'shop', origin: 'agent', source: 'labels.team', counts: true },
    { key: 'unit', value: 'apache2', origin: 'discovery', source: '/proc/812/cgroup', counts: true },
  ],
  'gate-01:7680': [{ key: 'team', value: 'shop', origin: 'rule', source: '1', counts: true }],
}

/** Every label of a service; `hand` are those that were set by hand. */
export function labels(id, hand = {}) {
  const given = (OWN[id] ?? []).map((each) => ({ ...each, counts: !(each.key in hand) }))
  return [...Object.entries(hand).map(([key, value]) => ({ key, value, origin: 'hand', source: 'admin', counts: true })), ...given]
}

export const counting = (id, hand) => Object.fromEntries(labels(id, hand).filter((each) => each.counts).map((each) => [each.key, each.value]))

export const labelRules = (now) => [{ id: '1', service: 'gate-*', node: null, kind: 'komainu', key: 'team', value: 'shop', by: 'admin', at: iso(now - 9e6) }]

export function matches(name, labelled) {
  return name.split(',').every((part) => {
    const [key, value] = part.split('=')
    return labelled[key] === value
  })
}

const sum = (rows, of) => rows.reduce((total, row) => total + (of(row) ?? 0), 0)

function figures(rows) {
  const times = rows.map((row) => row.summary.responseP95Millis).filter((each) => each !== null)
  const longest = times.length > 0 ? Math.max(...times) : null
  const share = (part) => (longest === null ? null : longest * part)
  return {
    arrivalPerSecond: sum(rows, (row) => row.summary.arrivalPerSecond),
    connectionsPerSecond: sum(rows, (row) => row.summary.arrivalPerSecond) / 4,
    processedPerSecond: sum(rows, (row) => row.summary.processedPerSecond),
    concurrent: sum(rows, (row) => row.summary.concurrent),
    trafficBytesPerSecond: sum(rows, (row) => row.summary.arrivalPerSecond) * 12_345,
    failureShare: 0.004,
    samples: Math.round(sum(rows, (row) => row.summary.processedPerSecond) * 60),
    responseP10Millis: share(0.1),
    responseP50Millis: share(0.4),
    responseP95Millis: longest,
    responseP99Millis: share(1.3),
  }
}

function oddOne(rows, now) {
  const member = rows.find((row) => row.labels.mirror && row.id === 'shop-003:80')
  if (!member) return []
  const clue = (figure, unit, value, peersMedian, peersLeast, peersMost, decisive = true) => ({ figure, unit, value, peersMedian, peersLeast, peersMost, decisive })
  return [{ service: member.id, since: iso(now - 240_000), evidence: [clue('response', 'millis', 116, 14.2, 10.1, 15.3), clue('failures', 'share', 0.12, 0.002, 0, 0.004), clue('share', 'share', 0.19, 0.27, 0.25, 0.29, false)] }]
}

/** A group as it stands in the list. `rows` are its members. */
export function group(name, rows, now) {
  const spread = (of) => {
    const values = rows.map(of).sort((one, other) => one - other)
    return { least: values[0], median: values[values.length >> 1], most: values.at(-1) }
  }
  const states = {}
  for (const row of rows) states[row.state] = (states[row.state] ?? 0) + 1
  return {
    name,
    members: rows.length,
    reporting: rows.filter((row) => !row.state.startsWith('stopped')).length,
    at: iso(now - 4000),
    seconds: 60,
    worst: { service: rows[0].id, name: rows[0].name, state: rows[0].state },
    states,
    sums: figures(rows),
    spread: { arrivalPerSecond: spread((row) => row.summary.arrivalPerSecond ?? 0), responseP95Millis: spread((row) => row.summary.responseP95Millis ?? 0), failureShare: { least: 0, median: 0.001, most: 0.12 } },
    capacity: { rate: rows.length > 2 ? rows.length * 410 : null, known: rows.length > 2 ? rows.length - 1 : 0 },
    odd: oddOne(rows, now),
  }
}

export function groupDetail(name, rows, now) {
  const whole = group(name, rows, now)
  const setting = (key, usual, odd) => ({ name: key, differs: odd !== null, odd: odd === null ? null : rows[odd]?.id ?? null, values: Object.fromEntries(rows.map((row, at) => [row.id, at === odd ? '32' : usual])) })
  return {
    ...whole,
    distribution: Array.from({ length: 24 }, (_, step) => ({ fromMillis: 10 ** (step / 8), toMillis: 10 ** ((step + 1) / 8), count: Math.round(4000 * Math.exp(-(((step - 9) / 4) ** 2))) })),
    memberList: rows.map((row) => ({ service: row.id, name: row.name, kind: row.kind, node: row.node ?? null, state: row.state, figures: figures([row]), share: (row.summary.arrivalPerSecond ?? 0) / whole.sums.arrivalPerSecond, capacity: row.summary.arrivalPerSecond ? 410 : null, reports: !row.state.startsWith('stopped') })),
    settings: [setting('worker_connections', '1024', rows.length > 2 ? 2 : null), setting('keepalive_timeout', '65s', null), setting('worker_processes', 'auto', null)],
    links: rows.length > 1 ? [{ client: rows[0].id, server: rows[1].id, basis: 'measured' }, { client: rows[1].id, server: rows[0].id, basis: 'configured' }] : [],
  }
}

export function heat(rows, index, now) {
  const unit = { responseP95Millis: 'ms', responseP50Millis: 'ms', arrivalPerSecond: '1/s', errorsPerSecond: '1/s' }[index] ?? 'count'
  const from = Math.floor(now / 15_000) * 15_000 - 900_000
  const value = (row, column) => (column < 6 ? null : (10 + (row.id.length * 7 + column * 3) % 40) * (row.id === 'shop-003:80' && column > 44 ? 8 : 1))
  return { index, unit, from: iso(from), stepSeconds: 15, rows: rows.map((row) => ({ service: row.id, name: row.name, values: Array.from({ length: 60 }, (_, column) => value(row, column)) })) }
}

/** The label keys of rows, with their values. */
export function keys(rows) {
  const found = new Map()
  for (const row of rows) for (const [key, value] of Object.entries(row.labels)) found.set(key, [...(found.get(key) ?? []), value])
  return [...found].map(([key, values]) => ({ key, services: values.length, values: [...new Set(values)].sort() })).sort((one, other) => one.values.length - other.values.length)
}
