// Runs the console's unit tests for Maven, unless -DskipTests leaves them out.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (process.env.SKIP_TESTS === 'true') process.exit(0)
const room = dirname(dirname(fileURLToPath(import.meta.url)))
const done = spawnSync(process.execPath, [join('node_modules', 'vitest', 'vitest.mjs'), 'run'], { cwd: room, stdio: 'inherit' })
process.exit(done.status ?? 1)
