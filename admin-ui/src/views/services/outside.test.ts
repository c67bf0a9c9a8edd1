import { describe, expect, it } from 'vitest'
import type { Outside } from '../../api/types'
import { rows, unseenFactor } from './outside'

const outside = (change: Partial<Outside>): Outside => ({
  service: 'gate:7680',
  originService: null,
  at: '2026-01-01T00:00:00Z',
  seconds: 60,
  hitRatio: null,
  trafficSaved: null,
  counted: 'requests',
  underLoss: false,
  clientSide: { connectionsPerSecond: 3, requestsPerSecond: 10 },
  originSide: null,
  own: null,
  log: null,
  ...change,
})

describe('rows', () => {
  it('rows_nobodyKnows_areLeftOut', () => {
    expect(rows(outside({})).map((row) => row.key)).toEqual(['connectionsPerSecond', 'requestsPerSecond'])
  })

  it('rows_zero_isAFigure', () => {
    const found = rows(outside({ originSide: { connectionsPerSecond: 0, requestsPerSecond: 4.5 } }))
    expect(found.map((row) => row.origin)).toEqual([0, 4.5])
  })

  it('own_isTheProxysCounterAndElseTheLog', () => {
    const log = { entriesPerSecond: 9, concurrentMean: 2, concurrentMax: 5, durationP50Millis: 1 }
    const requests = (change: Partial<Outside>) => rows(outside(change)).find((row) => row.key === 'requestsPerSecond')?.own
    expect(requests({ log })).toBe(9)
    expect(requests({ log, own: { requestsPerSecond: 9.5 } })).toBe(9.5)
  })
})

describe('unseenFactor', () => {
  it('comparesPacketsWithTheLog', () => {
    const log = { concurrentMean: 550 }
    expect(unseenFactor(outside({ clientSide: { connectionsPerSecond: 1, requestsPerSecond: 1, concurrentMean: 13_000 }, log }))).toBeCloseTo(23.6, 1)
  })

  it('isUnknownWithoutALogOrWithAnIdleOne', () => {
    expect(unseenFactor(outside({}))).toBeNull()
    expect(unseenFactor(outside({ clientSide: { connectionsPerSecond: 1, requestsPerSecond: 1, concurrentMean: 3 }, log: { concurrentMean: 0 } }))).toBeNull()
  })
})
