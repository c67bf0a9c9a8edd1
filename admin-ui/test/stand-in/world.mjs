// Invented data for the development of the console without a central service. It is not shipped. The test beside it
// validates every response against docs/api/openapi.yaml.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { counting, fleetLabels } from './groups.mjs'

const iso = (millis) => new Date(millis).toISOString()
const text = (en, ja) => ({ en, ja })
const wave = (time, period, phase = 0) => Math.sin((time / period + phase) * 2 * Math.PI)
const noise = (time, seed) => {
  const x = Math.sin(time * 12.9898 + seed * 78.233) * 43758.5453
  return x - Math.floor(x)
}

// The definitions come from the catalogue: a new index needs no line here.
const CATALOGUE = join(dirname(fileURLToPath(import.meta.url)), '../../../src/main/resources/indices/catalogue.yaml')
export const INDICES = parse(readFileSync(CATALOGUE, 'utf8')).indices

export const SERVICES = ['web-01:80', 'gate-01:7680', 'shop-03:8080']

/** Seconds into a rhythm of three minutes; web-01 is saturated in its last third. */
const phase = (time) => ((time % 180) + 180) % 180
const busy = (time) => phase(time) >= 120

export function stateAt(service, time) {
  if (service === 'web-01:80') return busy(time) ? 'saturated/processes' : 'normal'
  return service === 'shop-03:8080' ? 'stopped/crashed' : 'normal'
}

export function valuesAt(service, time) {
  if (service === 'shop-03:8080') return { arrivalPerSecond: 4 + noise(time, 1), processedPerSecond: 0, errorsPerSecond: 0 }
  const peak = service === 'web-01:80' && busy(time)
  const proxy = service === 'gate-01:7680'
  const arrival = (peak ? 420 : 160) + 20 * wave(time, 40) + 18 * noise(time, 2)
  const response = (peak ? 1400 : proxy ? 4 : 38) * (1 + 0.3 * noise(time, 3))
  const values = {
    arrivalPerSecond: arrival,
    processedPerSecond: peak ? 200 + 30 * noise(time, 4) : arrival - 2,
    errorsPerSecond: peak ? 3 * noise(time, 5) : 0,
    concurrentMean: peak ? 310 + 40 * noise(time, 6) : 24 + 6 * noise(time, 6),
    concurrentMax: peak ? 380 : 40 + 6 * noise(time, 7),
    responseP50Millis: response,
    responseP95Millis: response * 2.2,
    responseP99Millis: response * 3,
    trafficDownBytesPerSecond: arrival * 10_400,
    trafficUpBytesPerSecond: arrival * 420,
  }
  if (time % 10 === 0) {
    Object.assign(values, {
      hostCpuUserShare: peak ? 0.31 : 0.2 + 0.03 * noise(time, 8),
      hostCpuKernelShare: peak ? 0.14 : 0.09,
      hostCpuIowaitShare: 0.01 * noise(time, 9),
      hostMemoryAvailableBytes: 5.2e9 - (peak ? 4e8 : 0) + 1e7 * noise(time, 10),
      serverProcesses: peak ? 10 : 6,
    })
  }
  if (proxy) Object.assign(values, { hitRatio: 0.55 + 0.04 * noise(time, 11), cacheBytes: 6.2e7 + 1e6 * noise(time, 12), freshHitsPerSecond: 0.53 * arrival, staleHitsPerSecond: 0.02 * arrival, missesPerSecond: 0.33 * arrival, passesPerSecond: 0.12 * arrival, sentBytesPerSecond: arrival * 10_400, fetchedBytesPerSecond: arrival * 4_700, protectedPoolBytes: 1.46e7 + 3e5 * noise(time, 13), protectedPoolTargetBytes: 1.61e7, normalPoolBytes: 4.12e7 + 5e5 * noise(time, 14), protectedPoolHitRatio: 0.996, normalPoolHitRatio: 0.5 + 0.05 * noise(time, 15), peakShare: 0, diskTierHitsPerSecond: 0.04 * arrival })
  return values
}

const round = (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value * 1000) / 1000]))

const EVIDENCE = [
  {
    measurement: 'processedPerSecond',
    text: text('217 of 431 arriving requests per second get a response. The rest waits.', '毎秒 431 件の到着に対し 217 件しか応答されず、残りは待たされています。'),
    value: 0.503,
    unit: 'share',
    threshold: 0.9,
    comparison: '<',
    met: true,
    thresholdSource: 'thesis 3.4.2',
    windowSeconds: 10,
    samples: 4310,
    source: 'packets',
    sparkline: [1, 0.99, 1, 1, 0.98, 0.97, 0.8, 0.6, 0.52, 0.5],
  },
  {
    measurement: 'hostCpuIdleShare',
    text: text('The CPU is 55 % idle, so the CPU is not the cause.', 'CPU は 55 % が空いており、CPU が原因ではありません。'),
    value: 0.55,
    unit: 'share',
    threshold: 0.1,
    comparison: '<',
    met: false,
    thresholdSource: 'thesis 3.4.3',
    windowSeconds: 10,
    samples: 1,
    source: 'kernel',
    sparkline: [0.7, 0.71, 0.69, 0.6, 0.56, 0.55],
  },
]

const CAUSE = {
  'saturated/processes': text('All 10 worker processes are busy while the CPU is 55 % idle: too few processes.', 'CPU が 55 % 空いているのに、10 個のワーカプロセスがすべて使用中です。プロセス数が不足しています。'),
  'stopped/crashed': text('Connections are refused, and the process no longer exists.', '接続が拒否され、プロセスが存在しません。'),
  normal: text('Requests get a response as they arrive.', '到着したリクエストは滞りなく応答されています。'),
}

/** A proxy has two sides and two clusters of T_r; the others have a log. */
export function outside(id, now, seconds) {
  const proxy = id === 'gate-01:7680'
  const side = (share) => ({ connectionsPerSecond: 40 * share, requestsPerSecond: 160 * share, answersPerSecond: 159 * share, concurrentMean: 310 * share, concurrentMax: 402 * share, bytesDownPerSecond: 1.6e6 * share, responseP50Millis: 1.2 / share, responseP95Millis: 210, transferP50Millis: 0.8, connectionP50Millis: 1400, serverRttP50Millis: 0.1 / share })
  return {
    service: id,
    originService: proxy ? `${id}>origin` : null,
    at: iso(now),
    seconds,
    hitRatio: proxy ? 0.548 : null,
    trafficSaved: proxy ? 0.51 : null,
    counted: 'requests',
    underLoss: false,
    clientSide: side(1),
    originSide: proxy ? side(0.452) : null,
    own: proxy ? { hitRatio: 0.551, notAskedRatio: 0.551, requestsPerSecond: 160.2, originRequestsPerSecond: 72.1 } : null,
    log: proxy ? null : { entriesPerSecond: 159, concurrentMean: 9.5, concurrentMax: 24, durationP50Millis: 3.1 },
  }
}

export function responseTransfer(id, from, to) {
  const cells = new Map()
  const add = (responseStep, transferStep, count) => {
    const key = `${responseStep} ${transferStep}`
    cells.set(key, { responseStep, transferStep, count: (cells.get(key)?.count ?? 0) + count })
  }
  for (let x = -5; x <= 5; x++) {
    for (let y = -5; y <= 5; y++) {
      const count = Math.round(900 * Math.exp(-(x * x + y * y) / 8))
      if (count === 0) continue
      add(25 + x, 14 + y, count)
      if (id === 'gate-01:7680') add(43 + x, 20 + y, Math.round(count * 0.8))
    }
  }
  const all = [...cells.values()].filter((cell) => cell.count > 0).sort((a, b) => a.responseStep - b.responseStep || a.transferStep - b.transferStep)
  return { service: id, from: iso(from), to: iso(to), stepsPerDecade: 8, steps: 77, firstStepMicros: 1, answers: all.reduce((sum, cell) => sum + cell.count, 0), underLoss: false, cells: all }
}

export function service(id, now) {
  const time = Math.floor(now / 1000)
  const state = stateAt(id, time)
  const spark = (name) => Array.from({ length: 60 }, (_, i) => valuesAt(id, time - 59 + i)[name] ?? null)
  const values = valuesAt(id, time)
  const kind = id.startsWith('gate') ? 'komainu' : id.startsWith('web') ? 'apache' : 'nginx'
  return {
    id,
    name: id,
    address: `192.0.2.${SERVICES.indexOf(id) + 1}:${id.split(':')[1]}`,
    addresses: [`192.0.2.${SERVICES.indexOf(id) + 1}:${id.split(':')[1]}`],
    kind,
    version: kind === 'apache' ? '2.4.62' : null,
    node: id.split(':')[0],
    state,
    since: iso(now - (id === 'web-01:80' ? (phase(time) % 120) * 1000 : 7_400_000)),
    cause: CAUSE[state],
    evidence: state === 'normal' ? [] : EVIDENCE,
    summary: {
      arrivalPerSecond: values.arrivalPerSecond,
      processedPerSecond: values.processedPerSecond,
      errorsPerSecond: values.errorsPerSecond,
      concurrent: values.concurrentMean ?? null,
      responseP50Millis: values.responseP50Millis ?? null,
      responseP95Millis: values.responseP95Millis ?? null,
      trafficBytesPerSecond: values.trafficDownBytesPerSecond ?? null,
      hitRatio: values.hitRatio ?? null,
    },
    sparklines: {
      arrival: spark('arrivalPerSecond'),
      processed: spark('processedPerSecond'),
      concurrent: spark('concurrentMean'),
      response: spark('responseP95Millis'),
      ...(kind === 'komainu' ? { hitRatio: spark('hitRatio') } : {}),
    },
    lastSeen: iso(now),
  }
}

export function detail(id, now, hand) {
  return {
    ...service(id, now),
    labels: counting(id, hand),
    views: id === 'web-01:80' ? { relation: 'overlapping', estimated: true, connections: 4120, sources: [{ source: 'agent-01', share: 0.81, alone: 0.52, error: 0.015 }, { source: 'probe-02', share: 0.48, alone: 0.19, error: 0.015 }], missing: [{ source: 'probe-03', lastSecond: iso(now - 25_000), seconds: 24 }], late: 3, withoutParts: 0, withoutRoom: 0, ahead: 0, setBack: 0 } : null,
    program: '/usr/sbin/apache2',
    processId: 812,
    settings: [
      { name: 'MaxRequestWorkers', value: '10', source: '/etc/apache2/mods-enabled/mpm_prefork.conf:12' },
      { name: 'ListenBacklog', value: '511', source: 'default' },
      { name: 'net.core.somaxconn', value: '4096', source: '/proc/sys/net/core/somaxconn' },
    ],
    stateCounts: { normal: 57_600, 'saturated/processes': 28_800 },
    transitionCounts: [
      { from: 'normal', to: 'saturated/processes', count: 3, lastCause: 'all 10 worker processes busy' },
      { from: 'saturated/processes', to: 'normal', count: 3, lastCause: 'arrivals fell' },
      { from: 'normal', to: 'stopped/restarting', count: 1, lastCause: 'restarted by root' },
      { from: 'stopped/restarting', to: 'normal', count: 1, lastCause: 'responds again' },
    ],
    reportedBy: ['agent-01'],
    blind: [
      {
        state: 'upstream-fault',
        wholly: false,
        missing: [
          {
            text: { en: 'The origin side of this proxy is not watched. Name its origins.', ja: 'このプロキシのオリジン側が監視されていません。オリジンを指定してください。' },
            command: 'sudo ./komainu agent --origin-side ADDRESS:PORT=ORIGIN:PORT',
          },
        ],
      },
    ],
    host: {
      node: id.split(':')[0],
      at: iso(now - 3000),
      cpus: [
        { user: 0.31, kernel: 0.13, iowait: 0.01, steal: 0, idle: 0.55 },
        { user: 0.22, kernel: 0.1, iowait: 0.02, steal: 0.01, idle: 0.65 },
      ],
      memoryTotalBytes: 8_000_000_000,
      memoryAvailableBytes: 4_800_000_000,
      processes: 143,
      threads: 402,
      load1: 1.92,
      server: { processes: 10, threads: 10, residentBytes: 96_000_000, cpuCores: 0.71, openFiles: 61, openFilesLimit: 1024, acceptQueue: 212, acceptQueueLimit: 511 },
      parts: hostParts(now),
    },
  }
}

/** A host with a broken array and a nearly full file system; its kernel counts no memory errors. */
function hostParts(now) {
  return {
    at: iso(now - 5000),
    faults: [
      {
        kind: 'volume-full', part: '/var', since: iso(now - 7_200_000),
        text: { en: '/var is full to 96.4 %.', ja: '/var の使用率は 96.4 % です。' },
      },
      {
        kind: 'array-degraded', part: 'md0', since: iso(now - 86_400_000),
        text: { en: 'array md0 (raid1) runs without some of its disks (1 / 2 missing).', ja: 'ディスクアレイ md0(raid1)のディスクが欠けています(1 / 2)。' },
      },
    ],
    board: 'Supermicro X11SCL-F',
    cpuCelsius: 51.5,
    clockSynchronised: true,
    throttlesPerSecond: 0,
    backlogDropsPerSecond: 0,
    cpus: [
      { cpu: 0, interruptsPerSecond: 2310, softirqsPerSecond: 5140, switchesPerSecond: null },
      { cpu: 1, interruptsPerSecond: 1180, softirqsPerSecond: 2020, switchesPerSecond: null },
    ],
    modules: [{ slot: 'DIMMA1', bytes: 8_589_934_592, kind: 'DDR4' }],
    memoryErrors: [],
    drives: [
      { name: 'sda', model: 'SAMSUNG MZ7LH480', bytes: 480_103_981_056, errors: 0, failing: false },
      { name: 'sdb', model: 'SAMSUNG MZ7LH480', bytes: 480_103_981_056, errors: 34, failing: null },
    ],
    arrays: [{ name: 'md0', level: 'raid1', members: 2, missing: 1 }],
    volumes: [
      { mount: '/', device: '/dev/md0', kind: 'ext4', bytes: 50e9, availableBytes: 31e9, usedShare: 0.38, inodesUsedShare: 0.07, readOnly: false, turnedReadOnly: false, errors: 0 },
      { mount: '/var', device: '/dev/sda3', kind: 'xfs', bytes: 100e9, availableBytes: 3.6e9, usedShare: 0.964, inodesUsedShare: 0.12, readOnly: false, turnedReadOnly: false, errors: null },
    ],
    cards: [
      {
        name: 'eth0', model: 'Intel I210', speedBitsPerSecond: 1_000_000_000, slower: false, linkDown: false, linkChanges: 2,
        receivedBytesPerSecond: 410_000, sentBytesPerSecond: 9_200_000, dropsPerSecond: 0, errorsPerSecond: 0, queueDropsPerSecond: 0, errors: [],
      },
    ],
    sensors: [{ name: 'coretemp Package id 0', celsius: 51.5, limitCelsius: 100 }],
    fans: [{ name: 'fan1', rpm: 4200 }],
  }
}

/** @param own thresholds set for this service, by rule and measure */
export function thresholds(own) {
  const condition = (rule, measure, en, ja, unit, comparison, standard, value, source, learntMillis = null) => {
    const override = own.get(`${rule} ${measure}`) ?? null
    const threshold = override?.value ?? standard
    const met = { '<': value < threshold, '>=': value >= threshold }[comparison]
    const most = unit === 'share' ? 1 : 1e12
    return {
      measure, title: { en, ja }, unit, comparison, windowSeconds: 5, passesUnknown: false, threshold, standard, most,
      source: override ? `own: set by ${override.by}, ${override.reason}` : source, learntMillis, value, met, override,
    }
  }
  return [
    {
      rule: 'cpu/busy',
      state: 'saturated/cpu',
      rank: 72,
      cause: { en: 'The CPUs are fully used, and requests wait for them.', ja: 'CPU が使い切られ、リクエストが待たされています。' },
      conditions: [
        condition('cpu/busy', 'hostCpuIdleShare', 'CPU idle', 'CPU空き', 'share', '<', 0.1, 0.55, 'own; the thesis observed saturation at 0.30 (3.4.2.3)'),
        condition('cpu/busy', 'responseRatio', 'Response time against the usual', '応答時間の平常比', 'ratio', '>=', 3, 3.4, 'own', 84),
      ],
    },
    {
      rule: 'processes/all-busy',
      state: 'saturated/processes',
      rank: 66,
      cause: {
        en: 'All workers that the settings allow are busy, while CPU time is free: too few processes or threads.',
        ja: '設定上の全ワーカが使用中で、CPU には余裕があります:プロセス(スレッド)数の不足です。',
      },
      conditions: [condition('processes/all-busy', 'workersBusyShare', 'Busy workers', '使用中のワーカ', 'share', '>=', 0.95, 1, 'thesis 3.4.2.2; project default')],
    },
  ]
}

export function series(id, from, to, step) {
  const length = Math.round((to - from) / 1000)
  const stepSeconds = step || Math.max(1, Math.ceil(length / 300))
  const start = Math.floor(from / 1000 / stepSeconds) * stepSeconds
  const times = []
  for (let time = start; time <= to / 1000; time += stepSeconds) times.push(time)
  // Samples of the host come every ten seconds: the second that has all of them.
  const names = Object.keys(valuesAt(id, 0))
  const columns = Object.fromEntries(names.map((name) => [name, []]))
  for (const time of times) {
    const values = {}
    for (let second = time; second < time + stepSeconds; second += 1) Object.assign(values, valuesAt(id, second))
    const inGap = time > to / 1000 - length * 0.3 && time < to / 1000 - length * 0.26
    for (const name of names) columns[name].push(inGap ? null : (values[name] ?? null))
  }
  const states = []
  for (const time of times) {
    const state = stateAt(id, time)
    const last = states.at(-1)
    if (last?.state === state) continue
    if (last) last.to = iso(time * 1000)
    states.push({ from: iso(time * 1000), to: null, state })
  }
  const marks = [{ at: iso(to - length * 400), kind: 'change', text: 'MaxRequestWorkers 10 → 40 <b>bold?</b>' }]
  return { service: id, stepSeconds, times, columns, states, marks }
}

const direction = (payloadBytes) => ({ packets: 12, wireBytes: payloadBytes + 500, payloadBytes, uniqueBytes: payloadBytes, retransmissions: 0, outOfOrder: 0, zeroWindow: 0 })

export function connections(id, from, to, cursor) {
  const start = cursor ? Number(cursor) : 0
  const items = Array.from({ length: 40 }, (_, i) => {
    const number = start + i
    const end = to - (number * (to - from)) / 90
    const micros = (end - 900) * 1000
    return {
      id: `c${number}`,
      client: `198.51.100.${(number * 7) % 250}:${40_000 + number}`,
      server: '192.0.2.1:80',
      start: iso(end - 900),
      end: iso(end),
      durationMicros: 900_000,
      state: number % 9 === 0 ? 'rst-client' : 'normal',
      handshakeMicros: 400,
      serverRttMicros: 210,
      clientRttMicros: null,
      transferMicros: 120_000,
      up: direction(420),
      down: direction(10_400),
      exchanges: [
        { method: 'GET', target: `/p/${number}<img src=x onerror=alert(1)>`, status: 200, requestMicros: micros + 1500, firstByteMicros: micros + 601_500, lastByteMicros: micros + 721_500, responseMicros: 600_000, transferMicros: 120_000 },
      ],
      tls: null,
    }
  })
  return { items, nextCursor: start >= 40 ? null : String(start + 40) }
}

export function connectionSummary(id, from, to, groupBy) {
  const total = (connections) => ({ connections, requests: connections * 2, payloadBytes: connections * 10_820, failed: Math.round(connections / 9), responseP50Millis: 4.2, responseP95Millis: 610, slowestMillis: 2300 })
  const names = { client: ['198.51.100.7', '198.51.100.14', '2001:db8::7'], target: ['/', '/p/1<img src=x onerror=alert(1)>', '/search'], state: ['normal', 'rst-client', 'rst-server'] }
  const ends = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
  return {
    groupBy,
    complete: false,
    total: total(18_000),
    groups: names[groupBy].map((name, index) => ({ name, total: total(9000 / (index + 1)) })),
    otherGroups: 12,
    distribution: [...ends.map((end, index) => ({ fromMillis: ends[index - 1] ?? 0, toMillis: end, responses: Math.round(12_000 / (1 + (index - 3) ** 2)) })), { fromMillis: 5000, toMillis: null, responses: 0 }],
    slowest: connections(id, from, to, null).items.slice(0, 20),
  }
}

export function transitions(id, from, to) {
  return {
    items: [
      { service: id, at: iso(to - 60_000), from: 'normal', to: 'saturated/processes', cause: CAUSE['saturated/processes'], evidence: EVIDENCE },
      { service: id, at: iso(Math.max(from, to - 240_000)), from: 'saturated/processes', to: 'normal', cause: CAUSE.normal, evidence: [] },
    ],
    nextCursor: null,
  }
}

const node = (id, kind, en, ja) => ({ id, kind, title: text(en, ja), why: text(`${en}: told apart first.`, `${ja}:最初に切り分けます。`), paper: 'thesis 6.1' })
const edge = (from, to, answer = 'next') => ({ from, to, answer })

export const FLOWCHART = {
  version: '1',
  nodes: [
    node('start', 'start', 'Measure', '測定'),
    node('trouble', 'decision', 'Is there a problem?', '問題が発生しているか'),
    node('network', 'decision', 'Is the network the bottleneck?', 'ネットワークがボトルネックか'),
    node('broken', 'decision', 'Is a part broken?', '故障した部品があるか'),
    node('replace', 'action', 'Replace the broken part', '故障部品を交換する'),
    node('bandwidth', 'action', 'Buy bandwidth or lighten the content', '帯域を増やすか内容を軽くする'),
    node('limit', 'decision', 'Is the server at its limit?', 'サーバの限界に達しているか'),
    node('bigger', 'action', 'Bigger system', 'より大きなシステム'),
    node('processes', 'decision', 'Too few server processes?', 'サーバプロセス不足か'),
    node('raise', 'action', 'Raise the process limits', 'プロセス数の上限を上げる'),
    node('os', 'decision', 'Is an operating-system limit reached?', 'OS の制限に達しているか'),
    node('stack', 'action', 'Tune the protocol stack', 'プロトコルスタックを調整する'),
    node('capacity', 'action', 'Plan capacity', '容量を計画する'),
    node('again', 'end', 'Measure again', '再測定'),
  ],
  edges: [
    edge('start', 'trouble'),
    edge('trouble', 'network', 'yes'),
    edge('trouble', 'capacity', 'no'),
    edge('network', 'broken', 'yes'),
    edge('broken', 'replace', 'yes'),
    edge('broken', 'bandwidth', 'no'),
    edge('network', 'limit', 'no'),
    edge('limit', 'bigger', 'yes'),
    edge('limit', 'processes', 'no'),
    edge('processes', 'raise', 'yes'),
    edge('processes', 'os', 'no'),
    edge('os', 'stack', 'yes'),
    edge('os', 'again', 'no'),
    edge('raise', 'again'),
    edge('stack', 'again'),
  ],
}

const ADVICE = {
  id: 'apache.max-request-workers',
  node: 'raise',
  title: text('Raise MaxRequestWorkers', 'MaxRequestWorkers を上げる'),
  setting: 'MaxRequestWorkers',
  current: '10',
  currentSource: '/etc/apache2/mods-enabled/mpm_prefork.conf:12',
  proposed: '40',
  derivation: text('431 arrivals/s × 42 ms service time = 18 busy processes; doubled for bursts.', '毎秒 431 件 × 処理時間 42 ms = 18 プロセス。突発分として 2 倍。'),
  cost: text('About 9.6 MB of memory for each process: 290 MB more.', '1 プロセスあたり約 9.6 MB、合計 290 MB 増加。'),
  willNotFix: text('A CPU that is busy: it is 55 % idle now.', 'CPU 不足(現在 55 % は空き)。'),
  reference: 'thesis 6.3.1; Apache: mpm_prefork',
  steps: [
    { kind: 'persistent', text: text('Set the new value.', '新しい値を設定します。'), command: "sudo sed -i 's/MaxRequestWorkers.*/MaxRequestWorkers 40/' /etc/apache2/mods-enabled/mpm_prefork.conf" },
    { kind: 'reload', text: text('Restart; open connections are dropped.', '再起動します。接続中のものは切断されます。'), command: 'sudo systemctl restart apache2' },
    { kind: 'verify', text: text('Watch the processed rate.', '処理レートを確認します。') },
    { kind: 'rollback', text: text('Put the old value back.', '元の値に戻します。'), command: "sudo sed -i 's/MaxRequestWorkers.*/MaxRequestWorkers 10/' /etc/apache2/mods-enabled/mpm_prefork.conf" },
  ],
}

export function diagnosis(id, now, kept = null) {
  const decision = (name, verdict, more = {}) => ({ node: name, verdict, confidence: 'high', confidenceReasons: [text('direct counter, complete window', '直接の計数、区間に欠測なし')], evidence: EVIDENCE, ...more })
  return {
    id: kept,
    service: id,
    at: iso(now),
    by: kept ? 'admin' : null,
    state: stateAt(id, Math.floor(now / 1000)),
    cause: CAUSE['saturated/processes'],
    flowchart: '1',
    path: ['start', 'trouble', 'network', 'limit', 'processes', 'raise', 'os', 'again'],
    leaves: ['raise'],
    decisions: [
      decision('trouble', 'yes'),
      decision('network', 'no'),
      decision('limit', 'no'),
      decision('processes', 'yes'),
      decision('os', 'unknown', {
        confidence: 'low',
        evidence: [],
        missing: [{ text: text('The agent may not read the accept queue.', 'エージェントは accept キューを読めません。'), command: 'sudo systemctl edit komainu-agent  # AmbientCapabilities=CAP_NET_ADMIN' }],
      }),
    ],
    advice: [ADVICE],
    system: 'Apache 2.4.62 prefork on Debian 12',
  }
}

/** Firing alerts: web-01 while it is busy, and a silent source whose alert is silenced. */
export function alerts(now, silences) {
  const time = Math.floor(now / 1000)
  const common = { rule: 'services', ruleName: 'Services', evidence: EVIDENCE, endedAt: null, endReason: null, notices: 1, fingerprint: '5257a869e7ecebed', silencedBy: null }
  const firing = [
    { ...common, id: 'a1', kind: 'service', subject: 'shop-03:8080', severity: 'critical', state: 'stopped/crashed', since: iso(now - 7_400_000), firedAt: iso(now - 7_400_000), toldAt: iso(now - 7_399_000), text: CAUSE['stopped/crashed'] },
    { ...common, id: 'a2', rule: 'source-silent', ruleName: 'A source is silent', kind: 'source-silent', subject: 'agent@shop-03', severity: 'warning', state: 'silent', since: iso(now - 90_000), firedAt: iso(now - 60_000), toldAt: null, notices: 0, evidence: [], text: text('agent@shop-03 has not reported for more than 30 s', 'agent@shop-03 から 30 秒以上報告がありません') },
  ]
  if (busy(time)) firing.splice(1, 0, { ...common, id: 'a3', kind: 'service', subject: 'web-01:80', severity: 'warning', state: 'saturated/processes', since: iso(now - 20_000), firedAt: iso(now - 20_000), toldAt: iso(now - 20_000), text: CAUSE['saturated/processes'] })
  const running = silences.filter((each) => each.running)
  for (const each of firing) each.silencedBy = running.find((silence) => silence.service === null || silence.service === each.subject)?.id ?? null
  return firing
}

export function endedAlerts(now) {
  return [{ ...alerts(now, [])[0], id: 'a0', since: iso(now - 9_000_000), firedAt: iso(now - 9_000_000), toldAt: iso(now - 8_000_000), endedAt: iso(now - 8_000_000), endReason: 'recovered', notices: 2 }]
}

/** A crashed server; while web-01 is busy, that server and the proxy before it. */
export function incidents(now) {
  const member = (service, state, since, basis = null, worst = null) => ({ service, state, since: iso(since), until: null, cause: CAUSE[state] ?? text(state, state), basis, worstResponseP95Millis: worst })
  const all = [{ id: '1f00000000000001', root: 'shop-03:8080', began: iso(now - 7_400_000), ended: null, mergedInto: null, settled: true, members: [member('shop-03:8080', 'stopped/crashed', now - 7_400_000)] }]
  if (busy(Math.floor(now / 1000))) {
    const members = [member('web-01:80', 'saturated/processes', now - 20_000, null, 4_200), member('gate-01:7680', 'upstream-fault', now - 18_000, 'measured', 4_300)]
    all.push({ id: '1f00000000000002', root: 'web-01:80', began: iso(now - 20_000), ended: null, mergedInto: null, settled: true, members })
  }
  return all
}

export function endedIncidents(now) {
  const [first] = incidents(now)
  const members = first.members.map((each) => ({ ...each, since: iso(now - 9_000_000), until: iso(now - 8_000_000) }))
  return [{ ...first, id: '1f00000000000000', began: iso(now - 9_000_000), ended: iso(now - 8_000_000), members }]
}

export function incidentEvents(incident) {
  return [
    ...incident.members.map((each) => ({ at: each.since, kind: 'transition', service: each.service, by: null, text: each.cause, from: 'normal', to: each.state, id: null })),
    { at: incident.began, kind: 'notice', service: null, by: 'On duty', text: text('firing: delivered', 'firing: delivered'), from: null, to: null, id: null },
  ]
}

export function silences(now) {
  return [{ id: 's1', kind: 'maintenance', service: 'gate-01:7680', states: [], reason: 'New disk', by: 'admin', startsAt: iso(now - 600_000), endsAt: iso(now + 3_000_000), running: true }]
}

export const ALERT_RULES = [
  { id: 'services', version: 1, name: 'Services', kind: 'service', states: [], service: null, needed: 1, ofSeconds: 1, clearSeconds: 30, repeatHours: 4, severity: null, threshold: null, receivers: [], enabled: true },
  { id: 'probe-loss', version: 1, name: 'A probe loses packets', kind: 'probe-loss', states: [], service: null, needed: 30, ofSeconds: 60, clearSeconds: 300, repeatHours: 24, severity: null, threshold: 100, receivers: [], enabled: true },
]

export function receivers(now) {
  const last = { at: iso(now - 7_399_000), delivered: true, outcome: 'accepted by mail.example for 2 of 2', millis: 84 }
  return [
    { id: 'r1', version: 1, name: 'Operators', type: 'mail', language: 'ja', enabled: true, mail: { host: 'mail.example', port: 587, security: 'starttls', user: 'komainu', passwordSet: true, from: 'komainu@example.com', to: ['one@example.com', 'two@example.com'] }, url: null, secretSet: false, secretUnreadable: false, waiting: 0, dropped: 0, lastAttempt: last },
    { id: 'r2', version: 3, name: 'Pager', type: 'webhook', language: 'en', enabled: true, mail: null, url: 'https://pager.example/…', secretSet: true, secretUnreadable: false, waiting: 2, dropped: 1, lastAttempt: { ...last, delivered: false, outcome: 'HTTP 503' } },
  ]
}

export function deliveries(now) {
  return [
    { id: 'd2', tell: 'firing', subject: 'shop-03:8080', status: 'waiting', createdAt: iso(now - 60_000), nextAt: iso(now + 30_000), finishedAt: null, outcome: 'HTTP 503', attempts: [{ at: iso(now - 60_000), delivered: false, outcome: 'HTTP 503', millis: 12 }] },
    { id: 'd1', tell: 'test', subject: 'example:80', status: 'delivered', createdAt: iso(now - 90_000), nextAt: null, finishedAt: iso(now - 90_000), outcome: 'HTTP 200', attempts: [{ at: iso(now - 90_000), delivered: true, outcome: 'HTTP 200', millis: 9 }] },
  ]
}

/** One proxy whose cache can be browsed, and one that is only watched. */
export function caches(now) {
  const time = Math.floor(now / 1000)
  const values = valuesAt('gate-01:7680', time)
  const line = (name) => Array.from({ length: 60 }, (_, i) => valuesAt('gate-01:7680', time - 59 + i)[name])
  const gate = {
    id: 'gate-01:7680', name: 'komainu :7680', node: 'gate-01', version: '0.1.0', mode: 'reverse', state: 'normal', since: iso(now - 3.1e6), takesOrders: true,
    requestsPerSecond: values.processedPerSecond, originRequestsPerSecond: values.processedPerSecond * (1 - values.hitRatio), originFailuresPerSecond: 0, hitRatio: values.hitRatio,
    responseP50Millis: values.responseP50Millis, originResponseP50Millis: 31, bytes: values.cacheBytes, budgetBytes: 67_108_864, objects: 5312, evictionsPerSecond: 3.2, clientConnections: 214,
    sparklines: { arrival: line('arrivalPerSecond'), processed: line('processedPerSecond'), response: line('responseP50Millis'), concurrent: line('concurrentMean') }, lastSeen: iso(now - 400),
  }
  const far = { ...gate, id: 'far-02:3128', name: 'komainu :3128', node: 'far-02', mode: 'forward', takesOrders: false, hitRatio: null, originRequestsPerSecond: null, sparklines: {} }
  return [gate, far]
}

export function cacheDetail(id, now) {
  const cache = caches(now).find((each) => each.id === id)
  const ready = cache?.takesOrders
  return cache && {
    cache,
    control: { state: ready ? 'ready' : 'not-configured', detail: null },
    figures: ready ? { startedMicros: (now - 3.1e6) * 1000, hits: 91_200, stale: 410, revalidated: 3300, collapsed: 120, misses: 40_400, passes: 21_000, tunnels: 0, errors: 37, originRequests: 64_700, originFailures: 12, clientConnections: 214, idleClientConnections: 180, originConnections: 24, idleOriginConnections: 17, fetchesInFlight: 3, cacheBytes: 62_000_000, cacheBodyBytes: 54_000_000, cacheHeapBytes: 6_500_000, cacheMovingBytes: 1_500_000, cacheBudgetBytes: 67_108_864, cacheObjects: 5312, evictions: 881, sentBytes: 1.3e9, receivedFromOriginBytes: 6.1e8, hitResponseP50Micros: 48, hitResponseP99Micros: 410, missResponseP50Micros: 31_000, missResponseP99Micros: 240_000, originResponseP50Micros: 30_000, originResponseP99Micros: 236_000 } : {},
    origins: ready
      ? [
          { server: 'web-01.example:8080', up: true, open: 24, waiting: 0, requests: 64_000, failures: 12, ejections: 0 },
          { server: 'web-02.a-rather-long-name.example:8080', up: false, open: 0, waiting: 3, requests: 700, failures: 210, ejections: 4 },
        ]
      : [],
  }
}

/** Memory and connections of the browsable proxy, with the division of the last order. */
export function cacheManagement(rules) {
  const pool = (bytes, unreferencedBytes, hits, misses) => ({ bytes, maximumBytes: bytes + 200_000, storedBytes: bytes - 40_000, unreferencedBytes, entries: Math.round(bytes / 11_000), evictions: 412, hits, hitBytes: hits * 9_800, misses })
  const flow = (client, rttMicros, bytesPerSecond, wantBytes, shareBytes) => ({ client, rttMicros, bytesPerSecond, wantBytes, shareBytes, outstandingBytes: Math.round(shareBytes * 0.7) })
  const single = rules.mode === 'single'
  return {
    pools: {
      ...rules, wholeBytes: 58_700_000, currentBytes: single ? 0 : 14_600_000, targetBytes: single ? 0 : 16_100_000, periods: 27, turnedAway: single ? 0 : 214,
      protected: single ? pool(0, 0, 0, 0) : pool(14_600_000, 2_300_000, 48_000, 190), normal: pool(41_200_000, 12_900_000, 43_200, 40_210),
      resettlement: { looked: 5312, of: 5312, moved: 161, done: true },
    },
    peak: {
      peak: true, ground: 'expected', reason: 'a usual peak begins in 420 s (learned, spread 180 s)', sinceMicros: 1_795_310_000_000_000, orderedUntilMicros: null, switches: 12, usualArrivals: 410.2,
      next: { atMicros: 1_795_310_420_000_000, spreadMicros: 180_000_000, confidence: 0.875, switchedAheadMicros: 1_795_309_160_000_000, givenUpMicros: 1_795_312_580_000_000, usualLengthMicros: 3_600_000_000 },
      readings: { arrivals: 430, diskReads: 35, diskReadP95Millis: 1.2, diskQueue: 0, diskBusy: 0.02, loopDelayMillis: 0.1 },
      history: [{ peak: true, ground: 'expected', reason: 'a usual peak begins in 420 s (learned, spread 180 s)', sinceMicros: 1_795_310_000_000_000 }, { peak: false, ground: 'quiet', reason: 'all readings well below their limits for 30 s', sinceMicros: 1_795_296_000_000_000 }],
    },
    idle: {
      enabled: true, clientIdleMillis: 120_000, ageSeconds: [1, 5, 15, 60, 300], idleClients: [31, 44, 52, 40, 13, 0], idleOrigins: [6, 5, 4, 2, 0, 0],
      resources: [
        { resource: 'clients', used: 214, limit: 10_000, beginPercent: 90, endPercent: 85, short: false },
        { resource: 'descriptors', used: 302, limit: 20_000, beginPercent: 90, endPercent: 85, short: false },
        { resource: 'socket-memory', used: null, limit: null, beginPercent: 80, endPercent: 75, short: false },
        { resource: 'ports', used: 27_100, limit: 28_232, beginPercent: 90, endPercent: 85, short: true },
      ],
      closed: [{ side: 'client', reason: 'time', count: 8210 }, { side: 'origin', reason: 'ports', count: 37 }, { side: 'client', reason: 'newcomer', count: 0 }],
    },
    buffers: {
      scheme: 'equation', budgetBytes: 3_276_800, inUse: 34, idle: 180, inUseBytes: 2_100_000, idleBytes: 310_000, freeBytes: 866_800, levelBytes: 131_072, waiting: 3, waits: 4410,
      flows: [flow('192.0.2.17:51200', 48_200, 1_900_000, 183_000, 131_072), flow('198.51.100.9:40110', 9_100, null, 131_072, 131_072), flow('[2001:db8:0:17::a2]:60221', 212_000, 31_000, 13_100, 13_100)],
    },
  }
}

const STORED = ['shop.example/index.html', 'shop.example/img/logo.svg', 'shop.example/img/hero.webp', 'shop.example/img/products/1.webp', 'shop.example/img/products/2.webp', 'shop.example/api/list?page=1&next=/api/list', 'shop.example/a-very-long-name-of-a-single-object-that-does-not-fit-a-telephone-without-being-broken.html', 'static.example/app.js', 'static.example/app.css']

/** The level below a prefix, in the format of the proxy's contents API. */
export function cacheContents(prefix, sort, gone) {
  const below = STORED.filter((each) => each.startsWith(prefix) && !gone.has(each))
  const levels = new Map()
  for (const each of below) {
    const rest = each.slice(prefix.length)
    const slash = rest.split('?')[0].indexOf('/')
    const name = slash < 0 ? rest : rest.slice(0, slash + 1)
    const size = 2000 + each.length * 377
    const known = levels.get(name) ?? { name, prefix: prefix + name, object: slash < 0, objects: 0, bytes: 0, hits: 0, stale: 0, oldestSeconds: 0, newestSeconds: 9e9 }
    const age = each.length * 11
    levels.set(name, { ...known, objects: known.objects + 1, bytes: known.bytes + size, hits: known.hits + each.length * 13, oldestSeconds: Math.max(known.oldestSeconds, age), newestSeconds: Math.min(known.newestSeconds, age) })
  }
  const children = [...levels.values()].sort((a, b) => (sort === 'name' ? a.name.localeCompare(b.name) : b[sort] - a[sort]))
  const sum = (key) => children.reduce((total, each) => total + each[key], 0)
  return { prefix, objects: sum('objects'), bytes: sum('bytes'), hits: sum('hits'), looked: STORED.length, truncated: false, tookMicros: 800, children, next: null }
}

export function cachedObject(url, now) {
  return { url: url.replace(/^https?:\/\//, ''), vary: ['accept-encoding'], truncated: false, variants: [{ status: 200, selectedBy: { 'accept-encoding': 'gzip' }, bodyBytes: 10_240, weightBytes: 11_776, hits: 18_000, ageSeconds: 12, freshSeconds: 48, state: 'fresh', storedMicros: (now - 12_000) * 1000, etag: '"a1"', lastModified: null, tags: ['front', 'p17'], groups: [], head: [['Content-Type', 'text/html; charset=utf-8'], ['Set-Cookie', '(not shown)']] }] }
}

export function purged(order, gone) {
  const bare = order.url?.replace(/^https?:\/\//, '')
  const found = STORED.filter((each) => !gone.has(each) && (order.all || each === bare || (order.prefix && each.startsWith(order.prefix)) || (order.tags && each.includes('img'))))
  if (!order.dryRun && !order.soft) found.forEach((each) => gone.add(each))
  return { matched: found.length, bytes: found.length * 9000, purged: order.dryRun ? 0 : found.length, samples: found.slice(0, 10), dryRun: !!order.dryRun, soft: !!order.soft, tookMicros: 300 }
}

export function sources(now) {
  return [
    { name: 'agent-01', kind: 'agent', node: 'web-01', version: '0.1.0', status: 'reporting', started: iso(now - 9e6), lastSeen: iso(now - 800), residentBytes: 66_000_000, cpuCores: 0.02, watching: SERVICES, drops: [{ reason: 'kernel buffer full', count: 12 }], troubles: [{ code: 'process-owner', message: 'Descriptors of other users are not readable.', remedy: 'sudo systemctl edit komainu-agent  # AmbientCapabilities=CAP_SYS_PTRACE' }], credential: 'certificate' },
    { name: 'proxy-01', kind: 'proxy', node: 'gate-01', version: '0.1.0', status: 'silent', started: iso(now - 9e6), lastSeen: iso(now - 90_000), residentBytes: 140_000_000, cpuCores: 0.2, watching: [SERVICES[1]], drops: [], troubles: [], credential: 'shared-token' },
    { name: 'organizer-01', kind: 'organizer', node: 'gate-01', version: '0.1.0', status: 'reporting', started: iso(now - 9e6), lastSeen: iso(now - 1_200), residentBytes: 90_000_000, cpuCores: 0.05, watching: [], drops: [], troubles: [], credential: 'token' },
  ]
}

export function overview(now, changes) {
  const services = SERVICES.map((id) => service(id, now)).sort((a, b) => rank(a.state) - rank(b.state))
  const count = (prefix) => services.filter((each) => each.state.startsWith(prefix)).length
  return {
    at: iso(now),
    counts: { saturated: count('saturated'), stopped: count('stopped'), fault: 0, normal: count('normal'), unknown: 0 },
    services,
    incidents: incidents(now),
    recent: [
      ...changes.map((each) => ({ at: each.at, kind: 'change', service: each.service, text: text(each.title, each.title) })),
      { at: iso(now - 66_000), kind: 'transition', service: 'web-01:80', text: CAUSE['saturated/processes'], from: 'normal', to: 'saturated/processes' },
      { at: iso(now - 600_000), kind: 'source', service: null, text: text('agent-01 reports', 'agent-01 が報告を開始') },
    ],
    sources: sources(now),
    sharedToken: sharedToken(now),
  }
}

function sharedToken(now) {
  return { sources: sources(now).filter((each) => each.credential === 'shared-token').length, until: iso(now + 30 * 86_400_000) }
}

/** The state of an invented service of a large fleet: some are in trouble. */
function fleetState(number) {
  if (number % 41 === 40) return 'stopped/crashed'
  if (number % 29 === 28) return 'upstream-fault'
  if (number % 17 === 16) return 'saturated/processes'
  return number % 97 === 96 ? 'unknown' : 'normal'
}

const KINDS = ['nginx', 'apache', 'tomcat', 'haproxy', 'other']

/** An invented service of a large fleet. */
function fleetRow(number, now) {
  const id = `shop-${String(number + 1).padStart(3, '0')}:80`
  const state = fleetState(number)
  const arrival = 5 + ((number * 37) % 400) + Math.floor(now / 10_000 + number) % 7
  return {
    id,
    name: id,
    address: `198.51.100.${number % 250}:80`,
    addresses: [`198.51.100.${number % 250}:80`],
    kind: KINDS[number % KINDS.length],
    version: null,
    node: id.split(':')[0],
    originSideOf: null,
    labels: fleetLabels(number),
    state,
    since: iso(Math.floor(now / 60_000) * 60_000 - 3_600_000 - number * 1000),
    cause: CAUSE[state] ?? text('Invented', '架空'),
    idle: false,
    summary: { arrivalPerSecond: arrival, processedPerSecond: arrival, errorsPerSecond: number % 7 === 0 ? 0.4 : 0, concurrent: arrival / 10, responseP95Millis: 10 + ((number * 53) % 900), hitRatio: null },
  }
}

/**
 * The whole fleet, or (change) what differs a second later.
 * @param size number of invented services beside those with all data
 * @param hand labels that were set by hand, by service
 */
export function fleet(now, changes, size = 0, change = false, hand = new Map()) {
  const { at, services, incidents: open, recent, sources: all } = overview(now, changes)
  const rows = services.map(({ id, name, address, addresses, kind, version, node, state, since, cause, summary }) => {
    const { responseP50Millis, trafficBytesPerSecond, ...figures } = summary
    const labels = counting(id, hand.get(id))
    return change ? { id, labels, state, since, cause, summary: figures } : { id, name, address, addresses, kind, version, node, originSideOf: null, labels, state, since, cause, idle: false, summary: figures }
  })
  const second = Math.floor(now / 1000)
  for (let number = 0; number < size; number++) {
    const row = fleetRow(number, now)
    if (!change) rows.push(row)
    else if (number % 10 === second % 10) rows.push({ id: row.id, summary: row.summary })
  }
  return { version: `stand-in.${second}`, full: !change, at, services: rows, removed: [], incidents: open, ended: [], ...(change ? {} : { recent, sources: all, refused: [], sharedToken: sharedToken(now) }) }
}

export function sparklines(id, now, names) {
  const time = Math.floor(now / 1000)
  const known = SERVICES.includes(id) ? service(id, now).sparklines : null
  const wanted = names.length > 0 ? names : ['arrival', 'processed', 'response', 'concurrent']
  const invented = () => Array.from({ length: 60 }, (_, i) => 20 + ((time + i * 7 + id.length) % 13))
  return { service: id, second: time, lines: Object.fromEntries(wanted.map((name) => [name, known ? known[name] : invented()])) }
}

function rank(state) {
  return ['stopped', 'saturated', 'up', 'un', 'normal'].findIndex((prefix) => state.startsWith(prefix))
}

/** A server with the CPU as its bottleneck, one with too little data, and others that are not analyzed yet. */
export function capacities(now) {
  return SERVICES.map((id, i) => capacitySummary(id, now, i))
}

function capacitySummary(id, now, i = SERVICES.indexOf(id)) {
  const known = i === 0
  return {
    service: id,
    name: id,
    state: stateAt(id, Math.floor(now / 1000)),
    at: i < 2 ? new Date(now - 20_000).toISOString() : null,
    rateNow: i < 2 ? 120 : null,
    highest: known ? 190 : null,
    knee: known ? { rate: 326, low: 310, high: 341, by: 'response', beyond: false, chances: { response: 0.9, cpu: 0.1 } } : null,
    headroom: known ? 1 - 120 / 326 : null,
    missing: i === 1 ? [{ what: 'span', have: 1.2, need: 1.5 }] : [],
    growthPerDay: known ? 1.4 : null,
    reach: known ? { days: 97, earliest: 60, latest: null } : null,
  }
}

const responseAt = (rate) => 5 / (1 - (rate / 400) ** 2)
const interval = (value) => ({ value, low: value * 0.95, high: value * 1.05 })

export function capacity(id, now) {
  const summary = capacitySummary(id, now)
  const known = summary.knee !== null
  const rates = known ? [20, 54, 88, 122, 156, 190] : []
  return {
    summary,
    from: new Date(now - 86_400_000).toISOString(),
    to: new Date(now).toISOString(),
    points: known ? 720 : 80,
    underLoss: known ? 3 : 0,
    lowest: known ? 20 : null,
    ceiling: known ? 380 : null,
    responseRatio: 3,
    curve: known ? { kind: 'queue', resource: 'cpu', servers: 2, restMillis: 5, limitMillis: 15, waitMillis: 5, residual: 0.02, wall: 400 } : null,
    law: known ? { lambda: 210, sigma: 0.4, kappa: 0.001 } : null,
    little: { ratio: 1.01, low: 0.98, high: 1.04, points: 80, agrees: true },
    cpuMillis: known ? interval(5) : { value: null, low: null, high: null },
    resources: known
      ? [
          { resource: 'cpu', capacity: 2, mark: 0.9, base: 0.01, perRequest: 1 / 400, bounding: true, endsAt: interval(356), useAtHighest: interval(0.48) },
          { resource: 'memory', capacity: null, mark: 0.95, base: 0.4, perRequest: 0, bounding: false, endsAt: { value: null, low: null, high: null }, useAtHighest: interval(0.4) },
        ]
      : [],
    steps: rates.map((rate) => ({ rate, processing: (rate * responseAt(rate)) / 1000, concurrent: rate / 3, responseMillis: responseAt(rate), points: 120, use: { cpu: rate / 400, memory: 0.4 } })),
    drawn: known
      ? Array.from({ length: 40 }, (_, i) => ((i + 1) * 375) / 40).map((rate) => ({ rate, processing: (rate * responseAt(rate)) / 1000, responseMillis: responseAt(rate), low: responseAt(rate) * 0.9, high: responseAt(rate) * 1.1 }))
      : [],
    users: known ? { basis: 'clients', ratePerUser: 0.2, clients: 140, seconds: 300, low: 1550, atKnee: 1630, high: 1705 } : null,
    rhythm: Array.from({ length: 168 }, (_, i) => (known ? 90 - 60 * Math.cos((((i % 24) - 3) * Math.PI) / 12) : null)),
    hours: known ? 720 : 0,
    days: known ? 30 : 0,
    growth: known ? { perDay: 1.4, low: 0.9, high: 2.2, level: 190 } : null,
    upgrades: known
      ? [{ changeId: 'ch-0', service: id, title: 'Two CPUs instead of one', at: new Date(now - 9e8).toISOString(), cost: 120, currency: 'EUR', before: { rate: 160, low: 150, high: 170, by: 'cpu', beyond: false }, after: { rate: 326, low: 310, high: 341, by: 'response', beyond: false }, gain: 166, ratio: 2.04, perCost: 1.38, certain: true }]
      : [],
  }
}

export function whatIf(id, asked) {
  const rate = (asked.rate ?? 190) * (1 + (asked.growthPercent ?? 0) / 100)
  const speed = asked.cpuFactor ?? 1
  const knee = 326 * speed
  return {
    service: id,
    rate,
    knee: { rate: knee, low: knee * 0.95, high: knee * 1.05, by: 'response', beyond: false, chances: { response: 1 } },
    headroom: 1 - rate / knee,
    responseMillis: rate < 400 * speed ? interval(responseAt(rate / speed) / speed) : { value: null, low: null, high: null },
    limitMillis: 15,
    resources: [{ resource: 'cpu', use: interval(rate / 400 / speed), mark: 0.9, over: rate / 400 / speed > 0.9 }],
    needs: rate > knee ? [{ resource: 'cpu', factor: rate / knee, because: 'response' }] : [],
    users: null,
    reach: { days: 97, earliest: 60, latest: null },
    assumptions: asked.memoryFactor ? ['memory-does-not-follow-the-load'] : [],
  }
}

/** A run that measures a change just recorded. */
export function verification(change, now) {
  const changed = Date.parse(change.at)
  const at = (seconds) => new Date(changed + seconds * 1000).toISOString()
  const second = (now - changed) / 1000
  return {
    id: '1', service: change.service, changeId: change.id, by: change.by, started: change.at, changed: change.at,
    before: { from: at(-312), to: at(-12) }, after: { from: at(30), to: at(150) },
    phase: second < 30 ? 'settling' : second < 150 ? 'measuring' : 'judging', secondsLeft: Math.max(0, Math.round(150 - second)),
    stateBefore: 'saturated/processes', finished: null, verdict: null, reason: null, result: null,
  }
}

// Organizer clusters: one that works, with a saturated member and a prefix conflict, and one that is partitioned.
const SHOP = ['cache1', 'edge1', 'edge2', 'web1', 'web2', 'web3', 'web4']

function memberOf(name, now, orders, more = {}) {
  const wave = 1 + 0.3 * Math.sin(now / 9_000 + name.length + name.charCodeAt(name.length - 1))
  const serves = name.startsWith('web') || name.startsWith('cache')
  return {
    name, node: name === 'web4' ? null : `host-${name}`, line: `10.0.0.${10 + SHOP.indexOf(name)}:7691`, started: iso(now - 9e6), reports: name !== 'web4', heard: name === 'web4' ? null : iso(now - 600), present: true,
    coordinator: name === 'cache1', draining: orders.draining.has(name), flapping: false, state: name === 'web3' ? 'saturated' : 'up', inFlight: serves ? Math.round(9 * wave) : 0, serviceMillis: serves ? 12 * wave : 0,
    servedPerSecond: serves ? 140 * wave : null, faultsPerSecond: serves ? 0 : null, requestsPerSecond: name.startsWith('edge') ? 310 * wave : name === 'web4' ? null : 0,
    servers: serves && name !== 'web4' ? [{ address: '127.0.0.1:80', state: 'up' }] : [], ...more,
  }
}

function lineOf(from, to, now, bytes) {
  const wave = 1 + 0.4 * Math.sin(now / 7_000 + from.length * 3 + to.charCodeAt(to.length - 1))
  return { from, to, connections: 4, streams: Math.round(3 * wave), waiting: 0, rttMillis: 1.2 + to.length / 3, lossShare: 0.0004 * wave, sentBytesPerSecond: 9_000 * wave, receivedBytesPerSecond: bytes * wave, requestsPerSecond: 60 * wave, lost: 1, failure: '', carrier: to === 'edge2' ? 'quic' : 'tcp', downSince: null }
}

export function cluster(name, now, orders) {
  if (name === 'parted') {
    const names = ['north1', 'north2', 'south1']
    return {
      cluster: {
        name, heard: iso(now - 500), fresh: true, partedSince: iso(now - 47_000), parts: [{ digest: 'a'.repeat(32), reporters: ['north1', 'north2'], members: ['north1', 'north2'] }, { digest: 'b'.repeat(32), reporters: ['south1'], members: ['south1'] }],
        members: names.map((each) => memberOf(each, now, orders, { node: `host-${each}`, reports: true, flapping: each === 'south1', state: 'up', servedPerSecond: 20, line: '10.1.0.1:7691' })),
        routes: [], lines: [{ ...lineOf('north1', 'south1', now, 0), connections: 0, waiting: 2, rttMillis: null, lossShare: null, sentBytesPerSecond: 0, receivedBytesPerSecond: 0, failure: 'connection timed out' }, lineOf('north1', 'north2', now, 400_000)], conflicts: [],
      },
      watched: [], takeOrders: [],
    }
  }
  if (name !== 'shop') return null
  const routes = []
  const route = (prefix, member, more = {}) => routes.push({ prefix, member, weight: orders.weights.get(`${prefix} ${member}`) ?? 1, capacity: 64, cache: false, content: '', contested: false, ...more })
  for (const each of ['web1', 'web2', 'web3', 'web4']) route('www.example.com/', each)
  route('img.example.com/', 'cache1', { cache: true, capacity: 256 })
  route('img.example.com/', 'web1', { capacity: 32 })
  route('news.example.com/today/', 'web2', { content: 'edition-2' })
  route('news.example.com/today/', 'web4', { content: 'edition-1', contested: true })
  const lines = []
  for (const edge of ['edge1', 'edge2']) for (const [to, bytes] of [['web1', 2_400_000], ['web2', 1_900_000], ['web3', 120_000], ['web4', 640_000], ['cache1', 14_000_000]]) lines.push(lineOf(edge, to, now, bytes))
  return {
    cluster: { name, heard: iso(now - 500), fresh: true, partedSince: null, parts: [{ digest: 'c'.repeat(32), reporters: SHOP.filter((each) => each !== 'web4'), members: SHOP }], members: SHOP.map((each) => memberOf(each, now, orders)), routes, lines, conflicts: [{ prefix: 'news.example.com/today/', served: ['web2'], contested: ['web4'] }] },
    watched: [{ member: 'web1', address: '127.0.0.1:80', service: 'web-01:80', name: 'Apache :80', state: stateAt('web-01:80', Math.floor(now / 1000)) }, { member: 'web3', address: '127.0.0.1:80', service: 'shop-03:8080', name: 'Tomcat :8080', state: 'saturated/processes' }],
    takeOrders: ['cache1', 'edge1', 'web1', 'web2', 'web3'],
  }
}

export function clusters(now, orders) {
  return ['parted', 'shop'].map((name) => {
    const { cluster: one } = cluster(name, now, orders)
    return {
      name, heard: one.heard, fresh: one.fresh, partedSince: one.partedSince, members: one.members.length, reporting: one.members.filter((each) => each.reports).length, troubled: one.members.filter((each) => each.flapping || each.state !== 'up').length,
      prefixes: new Set(one.routes.map((each) => each.prefix)).size, conflicts: one.conflicts.length, requestsPerSecond: one.members.reduce((sum, each) => sum + (each.requestsPerSecond ?? 0), 0),
    }
  })
}

export function clusterEvents(now) {
  const event = (id, ago, kind, member, text, seenBy) => ({ id, at: iso(now - ago * 1_000), kind, member, text, seenBy })
  return [
    event(9, 40, 'server-changed', 'web3', "web3's server is saturated", ['edge1', 'edge2', 'web1', 'web2']),
    event(8, 320, 'conflict', null, 'news.example.com/today/ is claimed for different contents: web2 is served, web4 is not', ['edge1', 'edge2']),
    event(7, 322, 'joined', 'web4', 'web4 is there', ['edge1', 'edge2', 'web1', 'web2', 'web3']),
    event(6, 900, 'routes-changed', 'cache1', 'cache1 serves img.example.com/', ['edge1', 'edge2']),
    event(5, 1_800, 'lost', 'web2', 'web2 is gone and did not say so', ['edge1', 'edge2', 'web1']),
    event(4, 1_815, 'left', 'web4', 'web4 left', ['edge1', 'edge2', 'web1', 'web2']),
    event(3, 5_000, 'merged', null, 'Parts of the cluster found each other', ['edge1', 'web1']),
  ]
}

/** The open sessions of the invented user. */
export function browserSessions(now) {
  const iso = (at) => new Date(at).toISOString()
  return [
    { id: '0123456789abcdef', created: iso(now - 6e5), lastSeen: iso(now), address: '127.0.0.1', agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', current: true },
    { id: 'fedcba9876543210', created: iso(now - 2e8), lastSeen: iso(now - 9e5), address: '2001:db8:12:34::5678', agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0', current: false },
    { id: '00112233445566aa', created: iso(now - 4e7), lastSeen: iso(now - 3e6), address: '198.51.100.7', agent: 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36', current: false },
  ]
}
