// The locales have a text for every value of the contract, and the development stand-in conforms to the contract.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { stateKey } from '../src/shell/state'
import { wordOf } from '../src/views/capacity/capacity'
import { PART_KINDS } from '../src/views/hosts/commands'
import { standIn } from './stand-in/server.mjs'
import { english as en } from './texts'

interface Contract {
  paths: Record<string, Record<string, { responses?: Record<string, { $ref?: string; content?: Record<string, { schema: object }> }> }>>
  components: { schemas: Record<string, { enum?: string[] }>; responses: Record<string, { content: Record<string, { schema: object }> }> }
}

const contract = parse(readFileSync(join(import.meta.dirname, '../../docs/api/openapi.yaml'), 'utf8')) as Contract

function message(path: string): unknown {
  return path.split('.').reduce<unknown>((tree, key) => (tree as Record<string, unknown> | undefined)?.[key], en)
}

describe('words', () => {
  it('everyState_ofTheContract_hasANameAndAShortName', () => {
    for (const state of contract.components.schemas.State!.enum!) {
      expect(message(stateKey(state as never)), state).toBeTypeOf('string')
      expect(message(`short.${state.replace('/', '.')}`), state).toBeTypeOf('string')
    }
  })

  it('everyKindSeverityAndNotice_ofTheContract_hasAName', () => {
    const { AlertKind, Severity, Delivery } = contract.components.schemas as unknown as { AlertKind: { enum: string[] }; Severity: { enum: string[] }; Delivery: { properties: Record<string, { enum: string[] }> } }
    for (const kind of AlertKind.enum) expect(message(`alerts.kind.${kind}`), kind).toBeTypeOf('string')
    for (const severity of Severity.enum) expect(message(`alerts.severity.${severity}`), severity).toBeTypeOf('string')
    for (const tell of Delivery.properties.tell!.enum) expect(message(`alerts.tell.${tell}`), tell).toBeTypeOf('string')
    for (const status of Delivery.properties.status!.enum) expect(message(`alerts.status.${status}`), status).toBeTypeOf('string')
    for (const state of ['silent', 'losing-packets', 'dropping-records', 'nearly-full', 'parted', 'contested', 'flapping']) expect(message(`alerts.states.${state}`), state).toBeTypeOf('string')
  })

  it('everySourceOfEvidence_ofTheContract_hasAName', () => {
    const { Evidence } = contract.components.schemas as unknown as { Evidence: { properties: Record<string, { enum: string[] }> } }
    for (const source of Evidence.properties.source!.enum) expect(message(`origin.${source}`), source).toBeTypeOf('string')
  })

  it('everyRole_ofTheContract_hasAName', () => {
    for (const role of contract.components.schemas.Role!.enum!) expect(message(`role.${role}`), role).toBeTypeOf('string')
  })
})

describe('words of enrolment', () => {
  it('everyKindStateAndCredential_ofTheContract_hasItsWords', () => {
    const { Part, PartKind, Source } = contract.components.schemas as any
    expect(PartKind.enum).toEqual(PART_KINDS)
    for (const kind of PartKind.enum) {
      expect(message(`hosts.kinds.${kind}`), kind).toBeTypeOf('string')
      expect(message(`hosts.kindText.${kind}`), kind).toBeTypeOf('string')
    }
    for (const state of Part.properties.state.enum) expect(message(`hosts.states.${state}`), state).toBeTypeOf('string')
    for (const credential of Source.properties.credential.enum) if (credential !== null) expect(message(`sources.credentials.${credential}`), credential).toBeTypeOf('string')
  })
})

describe('words of capacity', () => {
  const known = (path: string, name: string): void => expect(message(`capacity.${path}.${wordOf(name)}`), name).toBeTypeOf('string')
  const enumOf = (at: (schemas: any) => string[]): string[] => at(contract.components.schemas)

  it('everyResourceEndLackAndAssumption_ofTheContract_hasItsWords', () => {
    for (const name of contract.components.schemas.CapacityResource!.enum!) known('resource', name)
    for (const name of contract.components.schemas.CapacityEnd!.enum!) known('end', name)
    for (const name of enumOf((all) => all.CapacityMissing.properties.what.enum)) known('missing', name)
    for (const name of enumOf((all) => all.WhatIf.properties.assumptions.items.enum)) known('assumption', name)
    for (const name of enumOf((all) => all.CapacityUsers.properties.basis.enum)) known('basis', name)
  })
})

describe('stand-in', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'contract', ...contract })
  const { answer } = standIn(20)
  answer('POST', '/api/v1/session', new URLSearchParams(), { name: 'admin', password: 'one-time' })
  answer('PUT', '/api/v1/session/confirmation', new URLSearchParams(), { password: 'one-time' })

  const service = encodeURIComponent('web-01:80')
  const cache = encodeURIComponent('gate-01:7680')
  const part = (answer('GET', '/api/v1/parts', new URLSearchParams()).body as { parts: { id: string }[] }).parts[0]!.id
  const requests: [string, string, string, unknown?][] = [
    ['GET', '/api/v1/session', '/api/v1/session'],
    ['GET', '/api/v1/overview', '/api/v1/overview'],
    ['GET', '/api/v1/overview/rows', '/api/v1/overview/rows'],
    ['GET', '/api/v1/sparklines', `/api/v1/sparklines?service=${service}&line=arrival`],
    ['GET', '/api/v1/services', '/api/v1/services'],
    ['GET', '/api/v1/services/{service}', `/api/v1/services/${service}`],
    ['GET', '/api/v1/services/{service}/labels', `/api/v1/services/${service}/labels`],
    ['PUT', '/api/v1/services/{service}/labels', `/api/v1/services/${service}/labels`, { key: 'tier', value: 'web' }],
    ['DELETE', '/api/v1/services/{service}/labels', `/api/v1/services/${service}/labels?key=tier`],
    ['GET', '/api/v1/label-rules', '/api/v1/label-rules'],
    ['POST', '/api/v1/label-rules', '/api/v1/label-rules', { service: 'web-*', key: 'tier', value: 'web' }],
    ['GET', '/api/v1/groups', '/api/v1/groups?by=team'],
    ['GET', '/api/v1/groups/{name}', '/api/v1/groups/mirror%3Dcatalogue'],
    ['GET', '/api/v1/groups/{name}', '/api/v1/groups/team%3Dshop'],
    ['GET', '/api/v1/groups/{name}/heat', '/api/v1/groups/team%3Dshop/heat'],
    ['GET', '/api/v1/services/{service}/series', `/api/v1/services/${service}/series`],
    ['GET', '/api/v1/services/{service}/outside', `/api/v1/services/${service}/outside`],
    ['GET', '/api/v1/services/{service}/response-transfer', `/api/v1/services/${service}/response-transfer`],
    ['GET', '/api/v1/services/{service}/connections', `/api/v1/services/${service}/connections`],
    ['GET', '/api/v1/services/{service}/connection-summary', `/api/v1/services/${service}/connection-summary`],
    ['GET', '/api/v1/services/{service}/connection-summary', `/api/v1/services/${service}/connection-summary?groupBy=state`],
    ['GET', '/api/v1/services/{service}/transitions', `/api/v1/services/${service}/transitions`],
    ['GET', '/api/v1/services/{service}/diagnosis', `/api/v1/services/${service}/diagnosis`],
    ['POST', '/api/v1/services/{service}/diagnosis', `/api/v1/services/${service}/diagnosis`],
    ['GET', '/api/v1/capacity', '/api/v1/capacity'],
    ['GET', '/api/v1/services/{service}/capacity', `/api/v1/services/${service}/capacity`],
    ['GET', '/api/v1/services/{service}/capacity', `/api/v1/services/${cache}/capacity`],
    ['POST', '/api/v1/services/{service}/capacity/what-if', `/api/v1/services/${service}/capacity/what-if`, { rate: 500, memoryFactor: 2 }],
    ['GET', '/api/v1/diagnoses', '/api/v1/diagnoses'],
    ['GET', '/api/v1/incidents', '/api/v1/incidents'],
    ['GET', '/api/v1/incidents', '/api/v1/incidents?status=ended'],
    ['GET', '/api/v1/incidents/{id}', '/api/v1/incidents/1f00000000000000'],
    ['GET', '/api/v1/services/{service}/order-prospect', `/api/v1/services/${service}/order-prospect`],
    ['GET', '/api/v1/orders', '/api/v1/orders'],
    ['GET', '/api/v1/order-key', '/api/v1/order-key'],
    ['GET', '/api/v1/flowchart', '/api/v1/flowchart'],
    ['GET', '/api/v1/indices', '/api/v1/indices'],
    ['GET', '/api/v1/caches', '/api/v1/caches'],
    ['GET', '/api/v1/caches/{service}', `/api/v1/caches/${cache}`],
    ['GET', '/api/v1/caches/{service}', '/api/v1/caches/far-02%3A3128'],
    ['GET', '/api/v1/caches/{service}/contents', `/api/v1/caches/${cache}/contents`],
    ['GET', '/api/v1/caches/{service}/object', `/api/v1/caches/${cache}/object?url=x`],
    ['GET', '/api/v1/caches/{service}/management', `/api/v1/caches/${cache}/management`],
    ['PUT', '/api/v1/caches/{service}/pools', `/api/v1/caches/${cache}/pools`, { mode: 'single' }],
    ['POST', '/api/v1/caches/{service}/peak', `/api/v1/caches/${cache}/peak`, { mode: 'auto' }],
    ['POST', '/api/v1/caches/{service}/purges', `/api/v1/caches/${cache}/purges`, { prefix: 'shop.example/img/', dryRun: true }],
    ['GET', '/api/v1/clusters', '/api/v1/clusters'],
    ['GET', '/api/v1/clusters/{cluster}', '/api/v1/clusters/shop'],
    ['GET', '/api/v1/clusters/{cluster}', '/api/v1/clusters/parted'],
    ['GET', '/api/v1/clusters/{cluster}/events', '/api/v1/clusters/shop/events'],
    ['PUT', '/api/v1/clusters/{cluster}/members/{member}/drain', '/api/v1/clusters/shop/members/web1/drain', { on: true }],
    ['PUT', '/api/v1/clusters/{cluster}/members/{member}/weight', '/api/v1/clusters/shop/members/web1/weight', { prefix: 'www.example.com/', weight: 3 }],
    ['POST', '/api/v1/changes', '/api/v1/changes', { service: 'web-01:80', title: 'x' }],
    ['GET', '/api/v1/changes', '/api/v1/changes'],
    ['GET', '/api/v1/sources', '/api/v1/sources'],
    ['GET', '/api/v1/alerts', '/api/v1/alerts'],
    ['GET', '/api/v1/alerts', '/api/v1/alerts?status=ended'],
    ['GET', '/api/v1/silences', '/api/v1/silences?status=all'],
    ['POST', '/api/v1/silences', '/api/v1/silences', { kind: 'silence', service: null, reason: 'x', endsAt: '2026-11-22T12:00:00Z' }],
    ['DELETE', '/api/v1/silences/{id}', '/api/v1/silences/s1'],
    ['GET', '/api/v1/alert-rules', '/api/v1/alert-rules'],
    ['GET', '/api/v1/receivers', '/api/v1/receivers'],
    ['POST', '/api/v1/receivers', '/api/v1/receivers', { name: 'x', type: 'slack', language: 'en', enabled: true, url: 'https://hooks.example/secret' }],
    ['POST', '/api/v1/receivers/{id}/test', '/api/v1/receivers/r1/test'],
    ['GET', '/api/v1/receivers/{id}/deliveries', '/api/v1/receivers/r1/deliveries'],
    ['GET', '/api/v1/sessions', '/api/v1/sessions'],
    ['GET', '/api/v1/users/{name}/sessions', '/api/v1/users/admin/sessions'],
    ['GET', '/api/v1/session/second-factor', '/api/v1/session/second-factor'],
    ['POST', '/api/v1/session/second-factor', '/api/v1/session/second-factor'],
    ['PUT', '/api/v1/session/second-factor', '/api/v1/session/second-factor', { code: '123456' }],
    ['GET', '/api/v1/session/second-factor', '/api/v1/session/second-factor'],
    ['POST', '/api/v1/session/second-factor/recovery-codes', '/api/v1/session/second-factor/recovery-codes'],
    ['GET', '/api/v1/session', '/api/v1/session'],
    ['POST', '/api/v1/session', '/api/v1/session', { name: 'admin', password: 'one-time' }],
    ['POST', '/api/v1/session/code', '/api/v1/session/code', { code: '123456' }],
    ['POST', '/api/v1/users', '/api/v1/users', { name: 'eve', role: 'viewer' }],
    ['GET', '/api/v1/users', '/api/v1/users'],
    ['POST', '/api/v1/tokens', '/api/v1/tokens', { name: 'x', scopes: ['ingest'], reporting: { source: 'agent@web-01', node: 'web-01', networks: ['192.0.2.10'] } }],
    ['POST', '/api/v1/tokens/{id}/rotation', '/api/v1/tokens/t0/rotation', { overlapHours: 24 }],
    ['GET', '/api/v1/tokens', '/api/v1/tokens'],
    ['POST', '/api/v1/enrolment-codes', '/api/v1/enrolment-codes', { kinds: ['agent'], node: 'web-01', networks: [], uses: 1, minutes: 10 }],
    ['GET', '/api/v1/enrolment-codes', '/api/v1/enrolment-codes'],
    ['DELETE', '/api/v1/enrolment-codes/{id}', '/api/v1/enrolment-codes/c1'],
    ['GET', '/api/v1/parts', '/api/v1/parts'],
    ['PATCH', '/api/v1/parts/{id}', `/api/v1/parts/${part}`, { networks: ['192.0.2.10'] }],
    ['DELETE', '/api/v1/parts/{id}', `/api/v1/parts/${part}`],
    ['GET', '/api/v1/audit', '/api/v1/audit'],
    ['GET', '/api/v1/audit/verification', '/api/v1/audit/verification'],
  ]

  it.each(requests)('%s %s answers as the contract says', (method, template, path, body) => {
    const [bare, query] = path.split('?')
    const result = answer(method, bare!, new URLSearchParams(query), body)
    const responses = contract.paths[template]![method.toLowerCase()]!.responses!
    const declared = responses[String(result.status)]
    expect(declared, `status ${result.status}`).toBeDefined()
    if (!declared!.$ref && !declared!.content) return expect(result.body).toBeUndefined()
    const pointer = declared!.$ref
      ? `contract${declared!.$ref}/content/application~1json/schema`
      : `contract#/paths/${template.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method.toLowerCase()}/responses/${result.status}/content/application~1json/schema`
    const validate = ajv.compile({ $ref: pointer })
    validate(JSON.parse(JSON.stringify(result.body)))
    expect(validate.errors ?? []).toEqual([])
  })
})
