// Installs the locked packages, only if the lock file differs from that of the last installation. A rebuild of the
// whole project then costs nothing here. No script of a package runs: none needs one, and it would have all rights of the builder.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const room = dirname(dirname(fileURLToPath(import.meta.url)))
const stamp = join(room, 'node_modules', '.installed-from')
const wanted = createHash('sha256')
  .update(readFileSync(join(room, 'package-lock.json')))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex')

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
  process.exit(0)
}
console.log('console: installing locked packages (npm ci)')
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const done = spawnSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
  cwd: room,
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
if (done.status !== 0) {
  console.error(done.error ? `npm: ${done.error.message} (expected: npm on the PATH, which comes with Node 20.19 or later)` : 'npm ci failed')
  process.exit(done.status ?? 1)
}
writeFileSync(stamp, wanted)
