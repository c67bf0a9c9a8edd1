import { describe, expect, it } from 'vitest'
import { citation } from './citation'

const words: Record<string, string> = { 'evidence.own': '本プロジェクトの既定値', 'evidence.thesis': '論文' }
const say = (source: string) => citation(source, (key) => words[key]!)

describe('citation', () => {
  it('citation_ownAndThesis_areSaidInTheLanguage', () => {
    expect(say('own')).toBe('本プロジェクトの既定値')
    expect(say('own, on thesis 3.4.2.1')).toBe('本プロジェクトの既定値, on 論文 3.4.2.1')
    expect(say('thesis 6.1')).toBe('論文 6.1')
  })

  it('citation_thresholdOfAUserOrAnotherWord_stays', () => {
    expect(say('own: set by admin')).toBe('own: set by admin')
    expect(say('owner; hypothesis')).toBe('owner; hypothesis')
  })
})
