import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, type EffectScope } from 'vue'
import type { CreatedEnrolmentCode, Part } from '../../api/types'

const get = vi.fn()
vi.mock('../../api/client', async (original) => ({ ...(await original<object>()), api: { GET: (...given: unknown[]) => get(...given) } }))

const { arrived, useArrivals } = await import('./arrivals')

const part = (id: string, more: Partial<Part> = {}): Part => ({ id, kind: 'agent', source: `agent@${id}`, node: id, networks: [], enrolled: '2026-11-28T10:00:30Z', code: 'c', certificateEnds: '2026-12-28T10:00:30Z', state: 'valid', ...more })
const CODE: CreatedEnrolmentCode = { id: 'c', code: 'https://h:1#s.f', kinds: ['agent', 'proxy'], node: null, networks: [], uses: 2, used: 0, created: '2026-11-28T10:00:00.700Z', createdBy: 'admin', expires: '2026-11-28T10:10:00.700Z' }

describe('arrived', () => {
  it('newParts_comeInTheOrderOfTheirEnrolment', () => {
    expect(arrived([part('b', { enrolled: '2026-11-28T10:00:40Z' }), part('a')], CODE).map((each) => each.id)).toEqual(['a', 'b'])
  })

  it.each([
    ['of another open code of the same kinds', part('a', { code: 'd' })],
    ['recognized by its certificate', part('a', { code: null })],
    ['revoked meanwhile', part('a', { state: 'revoked' })],
  ])('part %s does not count', (_reason, one) => {
    expect(arrived([one], CODE)).toEqual([])
  })
})

describe('useArrivals', () => {
  let scope: EffectScope
  let parts: Part[]
  beforeEach(() => {
    vi.useFakeTimers()
    scope = effectScope(true)
    parts = []
    get.mockReset()
    get.mockImplementation(() => Promise.resolve({ data: { parts }, response: { ok: true, status: 200 } }))
  })
  afterEach(() => {
    scope.stop()
    vi.useRealTimers()
  })
  const polled = async (seconds: number): Promise<void> => {
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    await flushPromises()
  }

  it('polling_endsWithTheLastUse', async () => {
    const { arrivals, usedUp } = scope.run(() => useArrivals(CODE, () => 500))!
    await polled(2)
    expect(arrivals.value).toEqual([])
    parts = [part('a')]
    await polled(2)
    expect(arrivals.value.map((each) => each.id)).toEqual(['a'])
    expect(usedUp.value).toBe(false)
    parts = [part('a'), part('b', { kind: 'proxy' })]
    await polled(2)
    expect(usedUp.value).toBe(true)
    await polled(20)
    expect(get).toHaveBeenCalledTimes(3)
  })

  it('polling_outlastsTheCodeByItsGrace_andEnds', async () => {
    let left = 1
    const { arrivals } = scope.run(() => useArrivals(CODE, () => left))!
    await polled(2)
    left = -3
    parts = [part('a')]
    await polled(2)
    expect(arrivals.value).toHaveLength(1)
    left = -11
    await polled(20)
    expect(get).toHaveBeenCalledTimes(2)
  })

  it('failedRequest_isTold_andTheNextOneIsSent', async () => {
    get.mockImplementationOnce(() => Promise.reject(new TypeError('network')))
    const { arrivals, failure } = scope.run(() => useArrivals(CODE, () => 500))!
    await polled(2)
    expect(failure.value?.status).toBe(0)
    parts = [part('a')]
    await polled(2)
    expect(failure.value).toBeNull()
    expect(arrivals.value).toHaveLength(1)
  })

  it('closedDialog_polls_noMore', async () => {
    scope.run(() => useArrivals(CODE, () => 500))
    await polled(2)
    scope.stop()
    await polled(20)
    expect(get).toHaveBeenCalledTimes(1)
  })
})
