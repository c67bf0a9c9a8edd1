export const FLOWCHART: { version: string; nodes: { id: string; kind: string; title: { en: string; ja: string } }[]; edges: { from: string; to: string; answer: string }[] }
