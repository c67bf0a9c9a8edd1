// Builds the console for Maven, only if a source file changed since the last build.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const room = dirname(dirname(fileURLToPath(import.meta.url)))
const output = join(room, 'target', 'classes', 'META-INF', 'resources', 'index.html')
const stamp = join(room, 'target', 'built-from')

function filesBelow(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
}

const sources = ['src', 'public', 'index.html', 'package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts', '../docs/api/openapi.yaml']
const hash = createHash('sha256')
for (const file of sources.flatMap((name) => filesBelow(join(room, name)))) {
  if (file.endsWith('schema.d.ts')) continue // generated from openapi.yaml
  hash.update(relative(room, file)).update('\0').update(readFileSync(file))
}
const wanted = hash.digest('hex')

if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
  process.exit(0)
}
console.log('console: generating the client, checking types, bundling')
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const done = spawnSync(npm, ['run', '--silent', 'build', '--', '--logLevel', 'warn'], {
  cwd: room,
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
if (done.status !== 0) process.exit(done.status ?? 1)
mkdirSync(dirname(stamp), { recursive: true })
writeFileSync(stamp, wanted)
