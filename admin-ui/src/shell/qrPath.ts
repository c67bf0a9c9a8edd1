// A grid of dark and light modules as one SVG path: each run of dark modules in a row is a rectangle.
export function qrPath(rows: readonly (readonly boolean[])[]): string {
  const parts: string[] = []
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; ) {
      let end = x
      while (row[end]) end += 1
      if (end > x) parts.push(`M${x} ${y}h${end - x}v1h${x - end}z`)
      x = end + 1
    }
  })
  return parts.join('')
}
