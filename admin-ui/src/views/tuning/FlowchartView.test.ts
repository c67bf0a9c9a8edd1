import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import en from '../../locales/en.json'
import type { Diagnosis, Flowchart } from '../../api/types'
import FlowchartView from './FlowchartView.vue'
import { walk } from './walk'

const text = (words: string) => ({ en: words, ja: words })
const flowchart: Flowchart = {
  version: '1',
  nodes: [
    { id: 'start', kind: 'start', title: text('Start') },
    { id: 'short', kind: 'decision', title: text('Too few workers?') },
    { id: 'more', kind: 'action', title: text('More workers') },
  ],
  edges: [
    { from: 'start', to: 'short', answer: 'next' },
    { from: 'short', to: 'more', answer: 'yes' },
  ],
}
const diagnosis: Diagnosis = {
  service: 's',
  at: '2026-11-21T01:00:00Z',
  state: 'saturated/processes',
  flowchart: '1',
  path: ['start', 'short', 'more'],
  decisions: [{ node: 'short', verdict: 'yes', evidence: [] }],
  advice: [],
}

describe('flowchart view', () => {
  it('mounted_withTheDiagnosisAlreadyThere_drawsThePathAndItsAnswers', () => {
    const view = mount(FlowchartView, {
      props: { flowchart, walk: walk(flowchart, diagnosis), selected: 'more', strip: true },
      global: { plugins: [createI18n({ legacy: false, locale: 'en', messages: { en } })] },
    })
    expect(view.findAll('.node.taken').map((each) => each.attributes('data-node'))).toEqual(['start', 'short', 'more'])
    expect(view.get('[data-node=short]').text()).toContain('Yes')
  })
})
