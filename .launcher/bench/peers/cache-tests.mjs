// The public suite of HTTP cache tests (http-tests/cache-tests) against one address, over HTTP/1.1 or over HTTP/2.
//
//   node cache-tests.mjs --suite DIR --base URL --out FILE [--ca FILE] [--http2]
//
// The directory DIR contains the suite, and its parent directory contains node_modules/undici. Writes the result of each test, as the suite's
// own cli does, together with the test's kind: {"ID": {"kind": "required", "result": true or [NAME, MESSAGE]}}.
//
// The suite creates its client itself (the global fetch, and undici's Agent for interim responses). This runner replaces both with the same
// undici, set to the protocol and to the bench's certificate: both protocols are then tested with one client.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pathToFileURL } from 'node:url'

const { values: given } = parseArgs({
  options: {
    suite: { type: 'string' },
    base: { type: 'string' },
    out: { type: 'string' },
    ca: { type: 'string' },
    http2: { type: 'boolean', default: false },
  },
})
if (!given.suite || !given.base || !given.out) {
  console.error('usage: node cache-tests.mjs --suite DIR --base URL --out FILE [--ca FILE] [--http2]')
  process.exit(2)
}
const suite = resolve(given.suite)
const require = createRequire(join(suite, 'package.json'))
const undici = require('undici')

// Requests over HTTP/2 whose interim responses somebody collects, by the request's key.
const collected = new Map()

const keyOf = (path, headers) => {
  const number = Object.entries(headers).find(([name]) => name.toLowerCase() === 'req-num')
  return `${path} ${number ? (number[1].value ?? number[1]) : ''}`
}

class BenchAgent extends undici.Agent {
  constructor(options = {}) {
    super({ ...options, allowH2: given.http2, connect: given.ca ? { ca: readFileSync(given.ca) } : {} })
  }

  dispatch(options, handler) {
    if (given.http2 && handler.onResponseStart) {
      collected.set(keyOf(options.path, options.headers), handler)
    }
    return super.dispatch(options, handler)
  }
}

// undici 7 does not read interim responses over HTTP/2; Node's session does, and reports them to the stream as 'headers'. Nothing is paused for
// them: fetch leaves them out.
const unpaused = { pause() {}, resume() {}, abort() {} }
if (given.http2) {
  const http2 = require('node:http2')
  const { connect } = http2
  http2.connect = (...connecting) => {
    const session = connect(...connecting)
    const request = session.request.bind(session)
    session.request = (headers, ...more) => {
      const stream = request(headers, ...more)
      const key = keyOf(headers[':path'], headers)
      const handler = collected.get(key)
      collected.delete(key)
      stream.on('headers', ({ ':status': status, ...fields }) => handler?.onResponseStart(unpaused, status, fields, ''))
      return stream
    }
    return session
  }
}

undici.Agent = BenchAgent
undici.setGlobalDispatcher(new BenchAgent())
globalThis.fetch = undici.fetch
if ((await import(pathToFileURL(require.resolve('undici')))).Agent !== BenchAgent) {
  throw new Error('undici: the suite would load another client than the one set here (expected: one copy)')
}

const load = (file) => import(pathToFileURL(join(suite, file)))
const { default: tests } = await load('tests/index.mjs')
const { runTests, getResults } = await load('test-engine/client/runner.mjs')
await runTests(tests, false, given.base)

const kinds = new Map(tests.flatMap((group) => group.tests).map((test) => [test.id, test.kind ?? 'required']))
const results = Object.entries(getResults()).map(([id, result]) => [id, { kind: kinds.get(id), result }])
writeFileSync(given.out, JSON.stringify(Object.fromEntries(results), null, 1) + '\n')
// Connections that stay open do not keep this process alive.
process.exit(0)
