import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { codeCommand, enrolCommand, PART_KINDS, quoted } from './commands'

const CODE = 'https://[2001:db8::1]:7600#hV0m2mPZ1Qx7sYb3Jc9uLr4kTt8aWn6E.47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'

/** Returns the words that a shell makes of a command's options. */
const words = (command: string): string[] => execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' }).trimEnd().split('\n')

describe('quoted', () => {
  it.each([CODE, "it's", '$(id) `id` "x" \\ # ; & | *', '-n', ' ', 'あ'])('a shell reads %s as one word', (text) => {
    expect(words(quoted(text))).toEqual([text.trimEnd()])
  })
})

describe('enrolCommand', () => {
  it.each(PART_KINDS)('%s_codeWithHash_reachesTheProgramWhole', (kind) => {
    const given = words(enrolCommand(kind, CODE))
    expect(given[given.indexOf('--enrol') + 1]).toBe(CODE)
    expect(given[2]).toBe(kind === 'probe' ? 'agent' : kind)
  })

  it('probe_readsPacketsOnly', () => {
    expect(words(enrolCommand('probe', CODE))).toContain('--capture-only')
  })
})

describe('codeCommand', () => {
  it('hostName_isNamed', () => {
    expect(codeCommand('agent', 'web-01.example')).toBe('./komainu enrol --kind agent --node web-01.example')
  })

  it.each([null, '', 'a b', '$(id)', "a'b", '--data=/x', 'a\nb', 'a\u001b[201~b'])('nameThatIsNoHostName_%j_isLeftOut', (node) => {
    expect(codeCommand('proxy', node)).toBe('./komainu enrol --kind proxy')
  })
})
