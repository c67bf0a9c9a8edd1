import { describe, expect, it } from 'vitest'
import type { Series } from '../api/types'
import { aligned, append, beginning, bridged, losses, toCsv } from './series'

function series(times: number[], values: (number | null)[], stepSeconds = 1): Series {
  return { service: 's', stepSeconds, times: [...times], columns: { a: [...values] }, marks: [] }
}
const point = (time: number, a: number | null) => ({ service: 's', time, values: { a } })

describe('losses', () => {
  it('losses_stepsInARow_areOneStretch', () => {
    const kept = { ...series([10, 20, 30, 40, 50], [1, 1, 1, 1, 1], 10), underLoss: [false, true, true, false, true] }
    expect(losses(kept)).toEqual([{ from: 20, to: 40 }, { from: 50, to: 60 }])
  })

  it('losses_ofAServiceWhoseMonitorLosesNothing_areNone', () => {
    expect(losses(series([10], [1]))).toEqual([])
  })

  it('append_pointUnderLoss_marksItsStepAndStaysAsLongAsTimes', () => {
    const kept = { ...series([10, 11], [1, 2]), underLoss: [false, false] }
    append(kept, {}, { ...point(13, 4), underLoss: true }, 11)
    expect(kept.times).toEqual([11, 12, 13])
    expect(kept.underLoss).toEqual([false, false, true])
  })
})

describe('append', () => {
  it('append_nextSecond_addsAStep', () => {
    const kept = series([10, 11], [1, 2])
    expect(append(kept, {}, point(12, 3), 0)).toBe(true)
    expect(kept.times).toEqual([10, 11, 12])
    expect(kept.columns.a).toEqual([1, 2, 3])
  })

  it('append_secondsWithoutNews_stayAGap', () => {
    const kept = series([10], [1])
    append(kept, {}, point(13, 4), 0)
    expect(kept.columns.a).toEqual([1, null, null, 4])
  })

  it('append_pointsOfOneStep_keepTheirMean', () => {
    const kept = series([10], [1], 5)
    const weights = {}
    for (const [time, value] of [[15, 2], [16, 4], [17, 9]] as const) append(kept, weights, point(time, value), 0)
    expect(kept.times).toEqual([10, 15])
    expect(kept.columns.a).toEqual([1, 5])
  })

  it('append_nullValue_isNotZero', () => {
    const kept = series([10], [1])
    append(kept, {}, point(11, null), 0)
    expect(kept.columns.a).toEqual([1, null])
  })

  it('append_olderThanTheNewest_isRefused', () => {
    expect(append(series([10, 11], [1, 2]), {}, point(9, 1), 0)).toBe(false)
  })

  it('append_stepsBeforeTheRange_areDropped', () => {
    const kept = series([10, 11], [1, 2])
    append(kept, {}, point(12, 3), 11.5)
    expect(kept.times).toEqual([12])
    expect(kept.columns.a).toEqual([3])
  })
})

describe('bridged', () => {
  it('bridged_columnReportedEveryThirdStep_isDrawnThroughAndKeepsItsGap', () => {
    const column = [1, null, null, 2, null, null, 3, ...Array<null>(9).fill(null), 4]
    const drawn = bridged(column)
    expect(drawn.slice(0, 7)).toEqual([1, undefined, undefined, 2, undefined, undefined, 3])
    expect(drawn.slice(7, 16).every((value) => value === null)).toBe(true)
  })

  it('bridged_sourceThatNowReportsLessOften_isDrawnThroughFromThereOn', () => {
    const column = [...Array<number>(20).fill(1), null, 2, null, 3, null, 4, null, 5, null]
    expect(bridged(column).slice(20)).toEqual([undefined, 2, undefined, 3, undefined, 4, undefined, 5, null])
  })

  it('bridged_sourceThatReportsOftenAgain_keepsItsLaterGap', () => {
    const column = [1, null, null, 2, null, null, 3, null, null, 4, ...Array<number>(9).fill(5), null, 6, 7, 8, 9]
    const drawn = bridged(column)
    expect(drawn.slice(1, 9)).toEqual([undefined, undefined, 2, undefined, undefined, 3, undefined, undefined])
    expect(drawn[19]).toBeNull()
  })

  it('bridged_columnOfEverySecond_keepsEveryGap', () => {
    const column = [1, 2, null, 3, 4]
    expect(bridged(column)).toEqual(column)
  })
})

describe('toCsv', () => {
  it('toCsv_absentAndHostileNames_areHarmless', () => {
    expect(toCsv([0, 1], [{ name: '=SUM(A1),"x"', values: [1, null] }])).toBe(
      'time,"\'=SUM(A1),""x"""\r\n1970-01-01T00:00:00.000Z,1\r\n1970-01-01T00:00:01.000Z,\r\n',
    )
  })
})

describe('beginning', () => {
  it('beginning_youngService_isItsFirstFigure', () => {
    expect(beginning(series([100, 300, 301], [null, 1, 2]), 100, 1000)).toBe(300)
  })

  it('beginning_veryYoungService_leavesTwoMinutes', () => {
    expect(beginning(series([100, 990], [null, 1]), 100, 1000)).toBe(880)
  })

  it('beginning_olderThanTheRangeOrUnmeasured_isTheRange', () => {
    expect(beginning(series([90, 100], [1, 1]), 100, 1000)).toBe(100)
    expect(beginning(series([100], [null]), 100, 1000)).toBe(100)
  })
})

describe('the values that charts are compared with', () => {
  const other = { stepSeconds: 10, times: [100, 110, 120], columns: { a: [1, null, 3] } } as unknown as Series

  it('takes the value of the step in which the shifted time lies', () => {
    expect(aligned([1100, 1105, 1119, 1120, 1129], other, 'a', 1000)).toEqual([1, 1, null, 3, 3])
  })

  it('has no value before the first and after the last step, nor of an unknown index', () => {
    expect(aligned([99, 100, 129, 130], other, 'a', 0)).toEqual([null, 1, 3, null])
    expect(aligned([100], other, 'b', 0)).toEqual([null])
    expect(aligned([100], { ...other, times: [] }, 'a', 0)).toEqual([null])
  })
})
