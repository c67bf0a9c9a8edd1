import { describe, expect, it } from 'vitest'
import { isClearText } from './clearText'

describe('isClearText', () => {
  it.each([
    ['http:', '192.0.2.1'],
    ['http:', 'komainu.example'],
    ['http:', '127.0.0.1.example'],
    ['http:', 'localhost.example'],
    ['http:', '[2001:db8::1]'],
  ])('warns at %s//%s', (protocol, host) => {
    expect(isClearText(protocol, host)).toBe(true)
  })

  it.each([
    ['https:', 'komainu.example'],
    ['http:', 'localhost'],
    ['http:', '127.0.0.1'],
    ['http:', '[::1]'],
  ])('is silent at %s//%s', (protocol, host) => {
    expect(isClearText(protocol, host)).toBe(false)
  })
})
