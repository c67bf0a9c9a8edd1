// Which lines of a chart are shown.

/**
 * Returns the hidden lines after a press on one item of the legend. A plain press shows that line alone, and all lines when it
 * already stands alone; with `more`, it shows or hides that line only. At least one line stays.
 */
export function pressed(hidden: ReadonlySet<string>, names: readonly string[], name: string, more: boolean): Set<string> {
  if (more) {
    const next = new Set(hidden)
    if (!next.delete(name)) next.add(name)
    return next.size < names.length ? next : new Set(hidden)
  }
  const alone = !hidden.has(name) && hidden.size === names.length - 1
  return alone ? new Set() : new Set(names.filter((each) => each !== name))
}
