// Labels of services, and selectors such as `team=shop,tier=web`, as the central service matches them. Pure.
export type Labels = Record<string, string>

/** Returns `KEY=VALUE` of each label. */
export function texts(labels: Labels): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`)
}

/** Returns whether the labels contain all of a selector. */
export function matches(selector: string, labels: Labels): boolean {
  return selector.split(',').every((part) => {
    const [key = '', ...value] = part.trim().split('=')
    return labels[key] === value.join('=')
  })
}

/**
 * Returns the labels that more than one service has, by key: `unit` or `container` of each single service makes no group.
 */
export function shared(services: readonly { labels: Labels }[]): [string, string[]][] {
  const counts = new Map<string, Map<string, number>>()
  for (const { labels } of services) {
    for (const [key, value] of Object.entries(labels)) {
      const values = counts.get(key) ?? new Map<string, number>()
      counts.set(key, values.set(value, (values.get(value) ?? 0) + 1))
    }
  }
  return [...counts]
    .map(([key, values]): [string, string[]] => [key, [...values].filter(([, count]) => count > 1).map(([value]) => `${key}=${value}`).sort()])
    .filter(([, values]) => values.length > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))
}
