import { describe, expect, it } from 'vitest'
import type { CacheChild } from '../../api/types'
import { crumbs, isFolder, orderOf, shares, urlOf } from './contents'

const child = (name: string, object = false): CacheChild => ({
  name,
  prefix: `h/${name}`,
  object,
  objects: 1,
  bytes: 1,
  hits: 0,
  stale: 0,
  oldestSeconds: 0,
  newestSeconds: 0,
})

describe('crumbs', () => {
  it('crumbs_ofAPath_eachLeadsToItsLevel', () => {
    expect(crumbs('h.example:8080/img/a.png')).toEqual([
      { label: 'h.example:8080/', prefix: 'h.example:8080/' },
      { label: 'img/', prefix: 'h.example:8080/img/' },
      { label: 'a.png', prefix: 'h.example:8080/img/a.png' },
    ])
  })

  it('crumbs_ofNothing_areNone', () => expect(crumbs('')).toEqual([]))

  it('crumbs_slashesOfAQuery_divideNothing', () => {
    expect(crumbs('h/a?next=/b/c').map((each) => each.label)).toEqual(['h/', 'a?next=/b/c'])
  })
})

describe('isFolder', () => {
  it('isFolder_nameEndsWithSlash_leadsOn', () => {
    expect(isFolder(child('img/'))).toBe(true)
    expect(isFolder(child('index.html', true))).toBe(false)
    expect(isFolder(child('a?to=/', true))).toBe(false)
  })
})

describe('urlOf', () => {
  it('urlOf_storedName_hasItsOwnScheme', () => {
    expect(urlOf('h/a?b=1')).toBe('http://h/a?b=1')
    expect(urlOf('h/a?b=1 https')).toBe('https://h/a?b=1')
  })
})

describe('orderOf', () => {
  it('orderOf_eachKind_namesExactlyOneThing', () => {
    expect(orderOf('url', ' h/a ', false)).toEqual({ url: 'http://h/a', soft: false })
    expect(orderOf('url', 'https://h/a', true)).toEqual({ url: 'https://h/a', soft: true })
    expect(orderOf('prefix', 'h/img/', false)).toEqual({ prefix: 'h/img/', soft: false })
    expect(orderOf('tags', 'sale, p1  p2,sale', false)).toEqual({ tags: ['sale', 'p1', 'p2'], soft: false })
    expect(orderOf('all', '', false)).toEqual({ all: true, soft: false })
  })

  it('orderOf_nothingNamed_isNoOrder', () => {
    expect(orderOf('url', '  ', false)).toBeNull()
    expect(orderOf('tags', '', false)).toBeNull()
  })
})

describe('shares', () => {
  it('shares_ofCounts_addUpToOne', () => {
    expect(shares({ hits: 3, misses: 1, stale: undefined })).toEqual([
      { key: 'hits', count: 3, share: 0.75 },
      { key: 'misses', count: 1, share: 0.25 },
      { key: 'stale', count: 0, share: 0 },
    ])
  })

  it('shares_ofNothing_areNone', () => expect(shares({ hits: 0 })).toEqual([]))
})
