// Development only: serves the built console and invented data under the contract's addresses.
// node test/stand-in/server.mjs [PORT [MORE-SERVICES [no-tls]]]  → prints the address; log in as admin with "one-time", with the code
// 123456 once a second factor is set up.
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { dirname, extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as enrolments from './enrolment.mjs'
import * as groups from './groups.mjs'
import { secondFactor } from './secondFactor.mjs'
import * as world from './world.mjs'

const ROOT = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'target/classes/META-INF/resources')
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const POLICY = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"

/**
 * @param size number of invented services beside those with all data
 * @param tls whether the invented service has TLS; without it there are no enrolment codes
 */
export function standIn(size = 0, tls = true) {
  const kept = { password: 'one-time', mustChange: true, loggedIn: false, pending: 0, changes: [], hand: new Map(), labelRules: groups.labelRules(Date.now()), users: [{ name: 'admin', role: 'administrator', lastLogin: null }], confirmed: false, sessions: world.browserSessions(Date.now()), tokens: [], runs: [], audit: [], gone: new Set(), pools: { mode: 'partition', priority: ['shop.example/img/', '/news/*'], floorPercent: 20, dampingPercent: 20 }, thresholds: new Map(), silences: world.silences(Date.now()), rules: [...world.ALERT_RULES], cluster: { draining: new Set(), weights: new Map() }, receivers: world.receivers(Date.now()), ...enrolments.enrolment(Date.now()) }
  const iso = () => new Date().toISOString()

  const factor = secondFactor()
  const pendingLogin = () => (kept.pending ? { until: new Date(kept.pending + 300_000).toISOString(), now: iso() } : null)
  const session = () => ({ user: kept.loggedIn ? { ...kept.users[0], secondFactor: factor.isSetUp() } : null, mustChangePassword: kept.mustChange, mustSetUpSecondFactor: false, pendingLogin: kept.loggedIn ? null : pendingLogin(), csrfToken: 'token', version: '0.1.0' })
  const problem = (status, title, detail) => ({ status, body: { type: `urn:komainu:${status}`, title, status, detail } })
  const codeProblem = (status, type) => ({ status, body: { type: `urn:komainu:problem:${type}`, title: type, status } })
  const ok = (body, status = 200) => ({ status, body })
  const note = (action, subject) => kept.audit.unshift({ sequence: kept.audit.length + 1, attempts: 1, hash: '5f'.repeat(32), at: iso(), actor: 'admin', action, subject, outcome: 'ok', address: '127.0.0.1', agent: null, before: null, after: null })

  /** Responds to one request of the contract. */
  function answer(method, path, query, body) {
    const now = Date.now()
    const is = (verb, pattern) => (method === verb ? new RegExp(`^/api/v1/${pattern}$`).exec(path)?.slice(1).map(decodeURIComponent) : undefined)
    let m
    if (is('GET', 'session')) return ok(session())
    if (is('POST', 'session')) {
      if (body.name !== 'admin' || body.password !== kept.password) return problem(401, 'Unauthorized', 'name or password')
      if (factor.isSetUp()) kept.pending = now
      else kept.loggedIn = true
      note('login', null)
      return ok(session())
    }
    if (is('POST', 'session/code')) {
      const refusal = kept.pending ? factor.refusal(body.code) : 'login-ended'
      if (refusal) return codeProblem(401, refusal)
      kept.pending = 0
      kept.loggedIn = true
      return ok(session())
    }
    if (!kept.loggedIn) return problem(401, 'Unauthorized')
    if (is('DELETE', 'session')) return (kept.loggedIn = false), { status: 204 }
    if (is('PUT', 'session/password')) {
      if (body.currentPassword !== kept.password) return problem(400, 'Bad Request', 'currentPassword: wrong')
      kept.password = body.newPassword
      kept.mustChange = false
      return { status: 204 }
    }
    if (is('PUT', 'session/confirmation')) {
      if (body.password !== kept.password) return { status: 400, body: { type: 'urn:komainu:problem:invalid-request', title: 'The request is not valid', status: 400, detail: 'password: wrong' } }
      const refusal = factor.isSetUp() ? factor.refusal(body.code) : null
      if (refusal) return codeProblem(400, refusal)
      kept.confirmed = true
      return { status: 204 }
    }
    if (is('GET', 'sessions') || is('GET', 'users/([^/]+)/sessions')) return ok(kept.sessions)
    if (is('DELETE', 'sessions') || is('DELETE', 'users/([^/]+)/sessions')) return (kept.sessions = kept.sessions.filter((each) => each.current)), { status: 204 }
    if ((m = is('DELETE', 'sessions/([^/]+)') ?? is('DELETE', 'users/[^/]+/sessions/([^/]+)'))) return (kept.sessions = kept.sessions.filter((each) => each.id !== m[0])), { status: 204 }
    const lasting = is('POST', 'tokens') ?? is('POST', 'users') ?? is('PATCH', 'users/[^/]+') ?? is('DELETE', 'users/[^/]+') ?? is('POST', 'tokens/[^/]+/rotation') ?? is('POST', 'enrolment-codes') ?? is('PATCH', 'parts/[^/]+') ?? is('DELETE', 'users/[^/]+/second-factor') ?? is('POST', 'session/second-factor') ?? is('DELETE', 'session/second-factor') ?? is('POST', 'session/second-factor/recovery-codes')
    if (lasting && !kept.confirmed) return { status: 403, body: { type: 'urn:komainu:problem:password-required', title: 'Give the password again', status: 403 } }
    if (is('GET', 'session/second-factor')) return ok(factor.view(iso()))
    if (is('POST', 'session/second-factor')) return ok(factor.offer(now), 201)
    if (is('PUT', 'session/second-factor')) return factor.confirm(body.code, iso()) ? ok({ recoveryCodes: factor.codes() }) : codeProblem(400, 'code-refused')
    if (is('DELETE', 'session/second-factor')) return factor.remove(), { status: 204 }
    if (is('POST', 'session/second-factor/recovery-codes')) return ok({ recoveryCodes: factor.renew() }, 201)
    if ((m = is('DELETE', 'users/([^/]+)/second-factor'))) {
      delete kept.users.find((each) => each.name === m[0])?.secondFactor
      return { status: 204 }
    }
    if (is('GET', 'overview')) return ok(world.overview(now, kept.changes))
    if (is('GET', 'overview/rows')) return ok(world.fleet(now, kept.changes, size, false, kept.hand))
    if (is('GET', 'sparklines')) return ok(query.getAll('service').map((id) => world.sparklines(id, now, query.getAll('line'))))
    if (is('GET', 'services')) return ok({ items: world.SERVICES.map((id) => world.service(id, now)), nextCursor: null })
    if ((m = is('GET', 'services/([^/]+)'))) return world.SERVICES.includes(m[0]) ? ok(world.detail(m[0], now, kept.hand.get(m[0]))) : problem(404, 'Not found', `service: ${m[0]}`)
    if ((m = is('GET', 'services/([^/]+)/labels'))) return ok(groups.labels(m[0], kept.hand.get(m[0])))
    if ((m = is('PUT', 'services/([^/]+)/labels'))) {
      kept.hand.set(m[0], { ...kept.hand.get(m[0]), [body.key]: body.value })
      note('label.set', `${m[0]} ${body.key}`)
      return ok(groups.labels(m[0], kept.hand.get(m[0])))
    }
    if ((m = is('DELETE', 'services/([^/]+)/labels'))) {
      const { [query.get('key')]: _removed, ...rest } = kept.hand.get(m[0]) ?? {}
      kept.hand.set(m[0], rest)
      return ok(groups.labels(m[0], rest))
    }
    if (is('GET', 'label-rules')) return ok(kept.labelRules)
    if (is('POST', 'label-rules')) {
      const rule = { service: null, node: null, kind: null, ...body, id: String(kept.labelRules.length + 1), by: 'admin', at: iso() }
      kept.labelRules.push(rule)
      return ok(rule, 201)
    }
    if ((m = is('DELETE', 'label-rules/([^/]+)'))) return (kept.labelRules = kept.labelRules.filter((each) => each.id !== m[0])), { status: 204 }
    const rows = () => world.fleet(now, kept.changes, size, false, kept.hand).services
    if (is('GET', 'groups')) {
      const keys = groups.keys(rows())
      const values = keys.find((each) => each.key === query.get('by'))?.values ?? []
      return ok({ keys, items: values.map((value) => `${query.get('by')}=${value}`).map((name) => groups.group(name, rows().filter((row) => groups.matches(name, row.labels)), now)) })
    }
    if ((m = is('GET', 'groups/([^/]+)(/heat)?'))) {
      const members = rows().filter((row) => groups.matches(m[0], row.labels))
      if (members.length === 0) return problem(404, 'Not found', `group: ${m[0]}`)
      return ok(path.endsWith('/heat') ? groups.heat(members, query.get('index') ?? 'responseP95Millis', now) : groups.groupDetail(m[0], members, now))
    }
    const to = Date.parse(query.get('to') ?? '') || now
    const from = Date.parse(query.get('from') ?? '') || to - 900_000
    if ((m = is('GET', 'services/([^/]+)/series'))) {
      const series = world.series(m[0], from, to, Number(query.get('stepSeconds')))
      for (const each of kept.changes) series.marks.push({ at: each.at, kind: 'change', text: each.title })
      return ok(series)
    }
    if ((m = is('GET', 'services/([^/]+)/outside'))) return ok(world.outside(m[0], now, Number(query.get('seconds') ?? 60)))
    if ((m = is('GET', 'services/([^/]+)/response-transfer'))) return ok(world.responseTransfer(m[0], from, to))
    if ((m = is('GET', 'services/([^/]+)/connection-summary'))) return ok(world.connectionSummary(m[0], from, to, query.get('groupBy') ?? 'client'))
    if ((m = is('GET', 'services/([^/]+)/connections'))) return ok(world.connections(m[0], from, to, query.get('cursor')))
    if ((m = is('GET', 'services/([^/]+)/transitions'))) return ok(world.transitions(m[0], from, to))
    const own = (id) => new Map([...kept.thresholds].filter(([key]) => key.startsWith(`${id} `)).map(([key, value]) => [key.slice(id.length + 1), value]))
    if ((m = is('GET', 'services/([^/]+)/thresholds'))) return ok(world.thresholds(own(m[0])))
    if ((m = is('PUT', 'services/([^/]+)/thresholds'))) {
      kept.thresholds.set(`${m[0]} ${body.rule} ${body.measure}`, { value: body.value, reason: body.reason, by: 'admin', at: iso() })
      note('threshold.set', `${m[0]} ${body.rule} ${body.measure}`)
      return ok(world.thresholds(own(m[0])).find((each) => each.rule === body.rule))
    }
    if ((m = is('DELETE', 'services/([^/]+)/thresholds'))) {
      kept.thresholds.delete(`${m[0]} ${query.get('rule')} ${query.get('measure')}`)
      return { status: 204 }
    }
    if ((m = is('GET', 'services/([^/]+)/diagnosis'))) return ok(world.diagnosis(m[0], now))
    if ((m = is('POST', 'services/([^/]+)/diagnosis'))) {
      const run = world.diagnosis(m[0], now, `run-${kept.runs.length + 1}`)
      kept.runs.unshift(run)
      return ok(run, 201)
    }
    if (is('GET', 'diagnoses')) return ok({ items: kept.runs, nextCursor: null })
    if ((m = is('GET', 'diagnoses/([^/]+)'))) return ok(kept.runs.find((each) => each.id === m[0]))
    if (is('GET', 'flowchart')) return ok(world.FLOWCHART)
    if (is('GET', 'indices')) return ok(world.INDICES)
    if (is('GET', 'caches')) return ok(world.caches(now))
    if ((m = is('GET', 'caches/([^/]+)'))) {
      const detail = world.cacheDetail(m[0], now)
      return detail ? ok(detail) : problem(404, 'Not found', `cache: ${m[0]}`)
    }
    if (is('GET', 'caches/([^/]+)/contents')) return ok(world.cacheContents(query.get('prefix') ?? '', query.get('sort') ?? 'bytes', kept.gone))
    if (is('GET', 'caches/([^/]+)/object')) return ok(world.cachedObject(query.get('url'), now))
    if (is('GET', 'caches/([^/]+)/management')) return ok(world.cacheManagement(kept.pools))
    if ((m = is('PUT', 'caches/([^/]+)/pools'))) {
      Object.assign(kept.pools, body)
      note('cache.divide', m[0])
      return ok(world.cacheManagement(kept.pools).pools)
    }
    if ((m = is('POST', 'caches/([^/]+)/peak'))) {
      note('cache.peak', m[0])
      return ok(world.cacheManagement(kept.pools).peak)
    }
    if ((m = is('POST', 'caches/([^/]+)/purges'))) {
      if (!body.dryRun) note('cache.purge', m[0])
      return ok(world.purged(body, kept.gone))
    }
    if (is('GET', 'clusters')) return ok(world.clusters(now, kept.cluster))
    if ((m = is('GET', 'clusters/([^/]+)'))) {
      const cluster = world.cluster(m[0], now, kept.cluster)
      return cluster ? ok(cluster) : problem(404, 'Not found', `cluster: ${m[0]}`)
    }
    if ((m = is('GET', 'clusters/([^/]+)/events'))) return ok({ items: world.clusterEvents(now), nextCursor: null })
    if ((m = is('PUT', 'clusters/([^/]+)/members/([^/]+)/drain'))) {
      kept.cluster.draining[body.on ? 'add' : 'delete'](m[1])
      note('cluster.drain', `${m[0]}/${m[1]}`)
      return ok({ member: m[1], draining: body.on })
    }
    if ((m = is('PUT', 'clusters/([^/]+)/members/([^/]+)/weight'))) {
      kept.cluster.weights.set(`${body.prefix} ${m[1]}`, body.weight)
      note('cluster.weight', `${m[0]}/${m[1]}`)
      return ok({ member: m[1], ...body })
    }
    if (is('GET', 'changes')) return ok({ items: kept.changes, nextCursor: null })
    if (is('POST', 'changes')) {
      const change = { ...body, id: `ch-${kept.changes.length + 1}`, at: iso(), by: 'admin' }
      kept.changes.unshift(change)
      note('change.record', body.title)
      return ok(change, 201)
    }
    if (is('GET', 'alerts')) return ok({ items: query.get('status') === 'ended' ? world.endedAlerts(now) : world.alerts(now, kept.silences), nextCursor: null })
    if (is('GET', 'incidents')) return ok({ items: query.get('status') === 'ended' ? world.endedIncidents(now) : world.incidents(now), nextCursor: null })
    if ((m = is('GET', 'incidents/([^/]+)'))) {
      const incident = [...world.incidents(now), ...world.endedIncidents(now)].find((each) => each.id === m[0])
      return incident ? ok({ incident, events: world.incidentEvents(incident) }) : problem(404, 'Not found', `incident: ${m[0]}`)
    }
    if (is('GET', 'silences')) return ok(kept.silences.filter((each) => query.get('status') === 'all' || each.running))
    if (is('POST', 'silences')) {
      const silence = { states: [], ...body, id: `s${kept.silences.length + 1}`, by: 'admin', startsAt: iso(), running: true }
      kept.silences.unshift(silence)
      return ok(silence, 201)
    }
    if ((m = is('DELETE', 'silences/([^/]+)'))) return ok(Object.assign(kept.silences.find((each) => each.id === m[0]), { running: false, endsAt: iso() }))
    if (is('GET', 'alert-rules')) return ok(kept.rules)
    if (is('POST', 'alert-rules')) {
      const rule = { ...body, id: `rule${kept.rules.length}`, version: 1 }
      kept.rules.push(rule)
      return ok(rule, 201)
    }
    if ((m = is('PUT', 'alert-rules/([^/]+)'))) {
      const rule = kept.rules.find((each) => each.id === m[0])
      return ok(Object.assign(rule, body, { version: rule.version + 1 }))
    }
    if ((m = is('DELETE', 'alert-rules/([^/]+)'))) return (kept.rules = kept.rules.filter((each) => each.id !== m[0])), { status: 204 }
    if (is('GET', 'receivers')) return ok(kept.receivers)
    const shown = ({ mail, url, secret, ...rest }) => ({ ...rest, mail: mail ? { ...mail, password: undefined, passwordSet: Boolean(mail.password) } : null, url: url ? `${new URL(url).origin}/…` : null, secretSet: Boolean(secret), secretUnreadable: false, waiting: 0, dropped: 0, lastAttempt: null })
    if (is('POST', 'receivers')) {
      const receiver = { ...shown(body), id: `r${kept.receivers.length + 1}`, version: 1 }
      kept.receivers.push(receiver)
      return ok(receiver, 201)
    }
    if ((m = is('PUT', 'receivers/([^/]+)'))) {
      const receiver = kept.receivers.find((each) => each.id === m[0])
      return ok(Object.assign(receiver, shown(body), { version: receiver.version + 1 }))
    }
    if ((m = is('POST', 'receivers/([^/]+)/test'))) return ok({ delivered: m[0] !== 'r2', outcome: m[0] === 'r2' ? 'HTTP 503' : 'accepted by mail.example for 2 of 2' })
    if (is('GET', 'receivers/([^/]+)/deliveries')) return ok({ items: world.deliveries(now), nextCursor: null })
    if ((m = is('DELETE', 'receivers/([^/]+)'))) return (kept.receivers = kept.receivers.filter((each) => each.id !== m[0])), { status: 204 }
    if (is('GET', 'capacity')) return ok(world.capacities(now))
    if ((m = is('GET', 'services/([^/]+)/capacity'))) return world.SERVICES.includes(m[0]) ? ok(world.capacity(m[0], now)) : problem(404, 'Not found', `service: ${m[0]}`)
    if ((m = is('POST', 'services/([^/]+)/capacity/what-if'))) return ok(world.whatIf(m[0], body))
    if ((m = is('GET', 'services/([^/]+)/order-prospect'))) {
      return ok({ service: m[0], setting: query.get('setting') ?? 'MaxRequestWorkers', current: query.get('before'), place: '/etc/apache2/apache2.conf:151', then: 'restart', node: 'web-01', obstacle: 'not-allowed' })
    }
    if (is('GET', 'orders')) return ok({ items: [], nextCursor: null })
    if (is('GET', 'order-key')) return ok({ key: 'k'.repeat(43), command: `sudo ./komainu agent --allow-changes ${'k'.repeat(43)}` })
    if ((m = is('GET', 'verifications/([^/]+)'))) return kept.changes[0] ? ok(world.verification(kept.changes[0], now)) : problem(404, 'Not found', `verification: ${m[0]}`)
    if (is('GET', 'verifications')) return ok({ items: kept.changes.slice(0, 1).map((each) => world.verification(each, now)), nextCursor: null })
    if (is('GET', 'sources')) return ok(world.sources(now))
    if (is('GET', 'users')) return ok(kept.users.map((each, i) => (i === 0 ? { ...each, secondFactor: factor.isSetUp() } : each)))
    if (is('POST', 'users')) {
      const user = { ...body, lastLogin: null }
      kept.users.push(user)
      return ok({ user, oneTimePassword: 'correct-horse-battery' }, 201)
    }
    if ((m = is('PATCH', 'users/([^/]+)'))) return ok({ ...Object.assign(kept.users.find((each) => each.name === m[0]), body.role ? { role: body.role } : {}, body.group === undefined ? {} : { group: body.group || null }), ...(body.resetPassword ? { oneTimePassword: 'correct-horse-battery' } : {}) })
    if ((m = is('DELETE', 'users/([^/]+)'))) return (kept.users = kept.users.filter((each) => each.name !== m[0])), { status: 204 }
    if (is('GET', 'tokens')) return ok(kept.tokens)
    if (is('POST', 'tokens')) {
      const token = { id: `t${kept.tokens.length}`, name: body.name, scopes: body.scopes, created: iso(), expires: new Date(now + (body.expiresInDays ?? 90) * 86_400_000).toISOString(), lastUsed: null, createdBy: 'admin', group: body.group ?? null, reporting: body.reporting ?? null }
      kept.tokens.push(token)
      return ok({ token, secret: 'kmn_0123456789' }, 201)
    }
    if ((m = is('POST', 'tokens/([^/]+)/rotation'))) {
      const token = { ...kept.tokens.find((each) => each.id === m[0]), id: `t${kept.tokens.length}`, created: iso() }
      kept.tokens.push(token)
      return ok({ token, secret: 'kmn_9876543210' }, 201)
    }
    if ((m = is('DELETE', 'tokens/([^/]+)'))) return (kept.tokens = kept.tokens.filter((each) => each.id !== m[0])), { status: 204 }
    if (is('GET', 'parts')) return ok({ parts: enrolments.enrolDue(kept, now) })
    if ((m = is('PATCH', 'parts/([^/]+)'))) {
      const part = kept.parts.find((each) => each.id === m[0])
      return part ? ok(Object.assign(part, { networks: body.networks })) : problem(404, 'Not found', `part: ${m[0]}`)
    }
    if ((m = is('DELETE', 'parts/([^/]+)'))) {
      const part = kept.parts.find((each) => each.id === m[0])
      if (!part) return problem(404, 'Not found', `part: ${m[0]}`)
      Object.assign(part, { state: 'revoked', revoked: iso(), revokedBy: 'admin' })
      note('part.revoke', part.source)
      return { status: 204 }
    }
    if (is('GET', 'enrolment-codes')) return ok({ codes: enrolments.openCodes(kept, now) })
    if (is('POST', 'enrolment-codes')) {
      if (!tls) return { status: 409, body: { type: 'urn:komainu:problem:tls-required', title: 'The service has no TLS', status: 409 } }
      note('enrolment-code.create', body.kinds.join(', '))
      return ok(enrolments.makeCode(kept, body, now), 201)
    }
    if ((m = is('DELETE', 'enrolment-codes/([^/]+)'))) return (kept.codes = kept.codes.filter((each) => each.id !== m[0])), { status: 204 }
    if (is('GET', 'audit/verification')) {
      const head = { at: iso(), sequence: kept.audit.length, hash: '5f'.repeat(32), signature: 'c2ln' }
      return ok({ head, written: head, check: { at: iso(), complete: true, first: 1, last: kept.audit.length, rows: kept.audit.length, headsCompared: 1, fault: null }, outside: [{ sink: 'syslog', place: 'tls://log.example:6514', sent: kept.audit.length, waiting: 0, dropped: 0, sentAt: iso(), trouble: null }] })
    }
    if (is('GET', 'audit')) return ok({ items: kept.audit, nextCursor: null })
    return problem(404, 'Not found', `${method} ${path}`)
  }

  function stream(request, response, topics) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    let id = 0
    const send = (event, data) => response.write(`id: ${++id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    let first = true
    const tick = () => {
      const now = Date.now()
      for (const topic of topics) {
        if (topic === 'services') send('services', world.fleet(now, kept.changes, size, !first, kept.hand))
        if (topic === 'alerts') send('alerts', { at: iso(), firing: world.alerts(now, kept.silences), silences: kept.silences.filter((each) => each.running) })
        if (topic.startsWith('service:')) {
          const service = topic.slice('service:'.length)
          const time = Math.floor(now / 1000)
          if (world.SERVICES.includes(service)) {
            const { state, since, cause, evidence, otherCauses = [], certainty = null } = world.service(service, now)
            send('judgement', { service, state, since, cause, evidence, otherCauses, certainty })
          }
          send('point', { service, time, state: world.stateAt(service, time), values: world.valuesAt(service, time) })
        }
      }
      first = false
    }
    tick()
    const timer = setInterval(tick, 1000)
    request.on('close', () => clearInterval(timer))
  }

  async function file(response, path) {
    const name = normalize(path === '/' ? '/index.html' : path)
    try {
      const content = await readFile(join(ROOT, name))
      response.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream', 'Content-Security-Policy': POLICY })
      response.end(content)
    } catch {
      response.writeHead(404).end()
    }
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://local')
    if (!url.pathname.startsWith('/api/')) return file(response, url.pathname)
    if (url.pathname === '/api/v1/stream') {
      if (!kept.loggedIn) return response.writeHead(401).end()
      return stream(request, response, (url.searchParams.get('topics') ?? '').split(','))
    }
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
    const result = answer(request.method, url.pathname, url.searchParams, body)
    const type = result.status >= 400 ? 'application/problem+json' : 'application/json'
    response.writeHead(result.status, result.body === undefined ? {} : { 'Content-Type': type })
    response.end(result.body === undefined ? undefined : JSON.stringify(result.body))
  })
  return { server, answer }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { server } = standIn(Number(process.argv[3] ?? 0), process.argv[4] !== 'no-tls')
  server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
}
