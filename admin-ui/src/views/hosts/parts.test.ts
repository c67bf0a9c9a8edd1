import { expect, it } from 'vitest'
import type { Part } from '../../api/types'
import { divided } from './parts'

const part = (id: string, source: string, state: Part['state']): Part => ({ id, kind: 'agent', source, node: 'h', networks: [], enrolled: '2026-11-28T10:00:00Z', certificateEnds: '2026-12-28T10:00:00Z', state })
const ids = (parts: Part[]): string => parts.map((each) => each.id).join(' ')

it('endedIdentity_isPresent_untilItsSourceEnrolledAgain', () => {
  const ended = part('1', 'agent@a', 'expired')
  expect(ids(divided([ended, part('2', 'agent@b', 'valid')]).present)).toBe('1 2')
  const after = divided([ended, part('2', 'agent@a', 'valid')])
  expect([ids(after.present), ids(after.former)]).toEqual(['2', '1'])
})

it('revokedAndReplacedOnes_areFormer', () => {
  expect(ids(divided([part('1', 'agent@a', 'revoked'), part('2', 'agent@b', 'replaced'), part('3', 'agent@c', 'valid')]).former)).toBe('1 2')
})
