// A chart as a picture file: title, legend and plot on one canvas.
import { token } from './plot'

const PADDING = 12
const ROW = 18

/** Returns the picture of a plot with its title above and its legend below the title, as a PNG. */
export function pictureOf(plot: HTMLCanvasElement, title: string, legend: readonly string[]): Promise<Blob | null> {
  const scale = devicePixelRatio
  const head = PADDING + ROW * 2 + 6
  const canvas = document.createElement('canvas')
  canvas.width = plot.width + 2 * PADDING * scale
  canvas.height = plot.height + (head + PADDING) * scale
  const ctx = canvas.getContext('2d')!
  ctx.fillStyle = token('--panel')
  ctx.fillRect(0, 0, canvas.width, canvas.height)
  ctx.scale(scale, scale)
  ctx.textBaseline = 'top'
  ctx.fillStyle = token('--ink')
  ctx.font = '600 14px system-ui, sans-serif'
  ctx.fillText(title, PADDING, PADDING)
  ctx.font = '12px system-ui, sans-serif'
  let x = PADDING
  legend.forEach((text, index) => {
    ctx.fillStyle = token(`--plot-${(index % 4) + 1}`)
    ctx.fillText(text, x, PADDING + ROW + 2)
    x += ctx.measureText(text).width + 16
  })
  ctx.setTransform(1, 0, 0, 1, 0, 0)
  ctx.drawImage(plot, PADDING * scale, head * scale)
  return new Promise((done) => canvas.toBlob(done, 'image/png'))
}
