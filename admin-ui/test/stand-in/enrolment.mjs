// Invented parts and enrolment codes. A code that was made enrols one part after the other, a few seconds apart.
import { randomBytes, randomUUID } from 'node:crypto'

const iso = (millis) => new Date(millis).toISOString()
const DAY = 86_400_000

/** Time between two invented enrolments with one code. */
const ENROLS_AFTER_MILLIS = 6_000

const LISTED = ['id', 'kinds', 'node', 'networks', 'uses', 'used', 'created', 'createdBy', 'expires']

function part(kind, node, now, more = {}) {
  const source = kind === 'proxy' ? `proxy@${node}:7680` : `${kind}@${node}`
  return { id: randomUUID(), kind, source, node, networks: ['192.0.2.10/32', '2001:db8::10/128'], enrolled: iso(now), enrolledBy: 'admin', code: 'c-earlier', certificateEnds: iso(now + 30 * DAY), lastSeen: iso(now), lastAddress: '192.0.2.10', state: 'valid', revoked: null, revokedBy: null, ...more }
}

export function enrolment(now) {
  return {
    parts: [
      part('agent', 'web-01', now, { enrolled: iso(now - 12 * DAY), certificateEnds: iso(now + 18 * DAY), lastSeen: iso(now - 20_000) }),
      part('probe', 'probe-02', now, { enrolled: iso(now - 3 * DAY), networks: ['192.0.2.0/24', '198.51.100.0/24', '2001:db8:12::/48'], certificateEnds: iso(now + 27 * DAY), lastSeen: iso(now - 45_000), lastAddress: '203.0.113.9' }),
      part('organizer', 'gate-01', now, { enrolled: iso(now - 40 * DAY), networks: ['192.0.2.2'], certificateEnds: iso(now - 2 * DAY), lastSeen: iso(now - 2 * DAY), state: 'expired' }),
      part('agent', 'web-07', now, { enrolled: iso(now - 50 * DAY), certificateEnds: iso(now - 20 * DAY), lastSeen: null, lastAddress: null, state: 'revoked', revoked: iso(now - 21 * DAY), revokedBy: 'admin' }),
      part('agent', 'web-01', now, { enrolled: iso(now - 60 * DAY), certificateEnds: iso(now - 12 * DAY), lastSeen: iso(now - 12 * DAY), state: 'replaced' }),
    ],
    codes: [{ id: 'c0', kinds: ['agent', 'proxy'], node: null, networks: [], uses: 10, used: 3, created: iso(now - 120_000), createdBy: 'admin', expires: iso(now + 1_500_000) }],
  }
}

/** The codes that are open, without secrets. */
export function openCodes(kept, now) {
  return kept.codes.filter((each) => each.used < each.uses && Date.parse(each.expires) > now).map((each) => Object.fromEntries(LISTED.map((name) => [name, each[name]])))
}

export function makeCode(kept, { kinds, node = null, networks = [], uses = 1, minutes = 10 }, now) {
  const code = { id: `c${kept.codes.length}`, kinds, node, networks, uses, used: 0, created: iso(now), createdBy: 'admin', expires: iso(now + minutes * 60_000), enrols: true }
  kept.codes.push(code)
  const { enrols: _enrols, ...told } = code
  return { ...told, code: `https://komainu.example:7600#${randomBytes(24).toString('base64url')}.${randomBytes(32).toString('base64url')}` }
}

/** Enrols the parts whose time has come. */
export function enrolDue(kept, now) {
  for (const code of kept.codes.filter((each) => each.enrols)) {
    while (code.used < code.uses && code.used < 3 && now - Date.parse(code.created) > ENROLS_AFTER_MILLIS * (code.used + 1)) {
      const node = code.node ?? ['web-01', 'web-02', 'web-03'][code.used]
      kept.parts.unshift(part(code.kinds[code.used % code.kinds.length], node, now, { code: code.id }))
      code.used += 1
    }
  }
  return kept.parts
}
