import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'

const get = vi.fn()
vi.mock('../../api/client', async (original) => ({
  ...(await original<object>()),
  api: { GET: (...given: unknown[]) => get(...given) },
}))

const { default: SourceViews } = await import('./SourceViews.vue')

const views = {
  relation: 'overlapping',
  estimated: false,
  connections: 300,
  sources: [
    { source: 'agent@one', share: 0.75, alone: 0.5, error: 0 },
    { source: 'agent@two', share: 0.5, alone: 0.25, error: 0 },
  ],
  missing: [] as object[],
  late: 0,
  withoutParts: 0,
  withoutRoom: 0,
  ahead: 0,
  setBack: 0,
}

async function shown(answer: object | null) {
  get.mockResolvedValue({ data: { views: answer }, response: new Response() })
  const block = mount(SourceViews, {
    props: { service: 's:1' },
    global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] },
  })
  await flushPromises()
  return block
}

describe('SourceViews', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    get.mockReset()
  })
  afterEach(() => vi.useRealTimers())

  it('shows the share that each source sees', async () => {
    const text = (await shown(views)).text()

    expect(text).toContain('Some connections are seen by several sources')
    expect(text).toMatch(/agent@one\s*75/)
    expect(text).toMatch(/agent@two\s*50/)
    expect(text).not.toContain('≈')
  })

  it('marks estimates and tells their error', async () => {
    const sources = views.sources.map((source) => ({ ...source, error: 0.02 }))
    const text = (await shown({ ...views, estimated: true, sources })).text()

    expect(text).toMatch(/≈ 75.*± 2/)
    expect(text).toContain('estimates from a sample')
  })

  it('shows no share of too few connections, and seconds that came too late', async () => {
    const sources = [{ source: 'agent@one', share: null, alone: null, error: null }]
    const text = (await shown({ ...views, relation: 'unknown', sources, late: 3 })).text()

    expect(text).toContain('Too few connections')
    expect(text).not.toContain('%')
    expect(text).toContain('too late to be added: 3')
  })

  it('tells a source that is missing, and each reason for which windows were left out', async () => {
    const missing = [{ source: 'agent@two', lastSecond: '2026-11-28T07:00:05Z', seconds: 8 }]
    const text = (
      await shown({ ...views, missing, withoutParts: 2, withoutRoom: 4, ahead: 5, setBack: 6 })
    ).text()

    expect(text).toMatch(/agent@two stopped reporting at \d+:00:05/)
    expect(text).toContain('without their connections: 2')
    expect(text).toContain('too many connections waited: 4')
    expect(text).toContain('far ahead: 5')
    expect(text).toContain('set back: 6')
    expect(text).not.toContain('too late')
  })

  it('shows nothing while one source alone reports the service', async () => {
    expect((await shown(null)).find('section').exists()).toBe(false)
  })

  it('follows the service', async () => {
    const block = await shown(null)
    get.mockResolvedValue({ data: { views }, response: new Response() })
    vi.advanceTimersByTime(10_000)
    await flushPromises()

    expect(block.find('section').exists()).toBe(true)
  })
})
