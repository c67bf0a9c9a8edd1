import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import ja from '../../locales/ja.json'
import en from '../../locales/en.json'
import { covered, ruleName } from './words'

const MIGRATIONS = ['h2', 'migration'].map((folder) => join(import.meta.dirname, '../../../../src/main/resources/db', folder))
const say = (key: string) => (ja.alerts.shippedRule as Record<string, string>)[key.replace('alerts.shippedRule.', '')] ?? key

describe('ruleName', () => {
  it('ruleName_everyRuleOfAFreshInstallation_isTranslated', () => {
    const stored = MIGRATIONS.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\('([\w-]+)', 1, '\{"name":"((?:[^"']|'')+)","kind"/g)])
      .map((match) => [match[1]!, match[2]!.replaceAll("''", "'")] as const)
    expect(stored.length).toBeGreaterThan(0)
    for (const [id, name] of stored) expect([name, ruleName(name, say)]).toEqual([name, (ja.alerts.shippedRule as Record<string, string>)[id]])
  })

  it('ruleName_ofAUser_stays', () => {
    expect(ruleName('Night shift', say)).toBe('Night shift')
  })
})

describe('covered', () => {
  const text = (key: string, values: Record<string, unknown>) =>
    (en.alerts as unknown as Record<string, string>)[key.replace('alerts.', '')]!.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

  it.each([
    [null, null, 'everything'],
    ['web-*', null, 'web-*'],
    [null, 'team=shop', 'team=shop'],
    ['web-*', 'team=shop', 'web-* with team=shop'],
  ])('pattern %s and selector %s: %s', (service, label, expected) => {
    expect(covered({ service, label }, text)).toBe(expected)
  })
})
