// Installs the OpenID provider of the tests, only if the lock file differs from that of the last installation. No script of a package runs.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (process.env.SKIP_TESTS === 'true') process.exit(0)
const room = dirname(fileURLToPath(import.meta.url))
const stamp = join(room, 'node_modules', '.installed-from')
const wanted = createHash('sha256')
  .update(readFileSync(join(room, 'package-lock.json')))
  .digest('hex')

if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0)
console.log('tests: installing the locked OpenID provider (npm ci)')
const done = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: room, stdio: 'inherit' })
if (done.status !== 0) {
  console.error(done.error ? `npm: ${done.error.message} (expected: npm on the PATH)` : 'npm ci failed')
  process.exit(done.status ?? 1)
}
writeFileSync(stamp, wanted)
