// The client of the REST service. The compiler checks paths, parameters and responses against the contract.
import createClient from 'openapi-fetch'
import type { Problem } from './types'
import type { paths } from './schema'

/** The address that the console was loaded from, without a trailing slash. The console also works below a path prefix. */
export const base = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

/** A rejected or failed request: the server's problem details (RFC 9457), or status 0 without a response. */
export class RequestFailed extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem | null,
  ) {
    super(problem?.detail ?? problem?.title ?? (status === 0 ? 'no answer' : `HTTP ${status}`))
  }
}

let csrfToken = ''
let onLoggedOut: () => void = () => {}
let onOutcome: (responded: boolean) => void = () => {}

/** Stores the CSRF value that every write sends. It comes with the session and changes at login. */
export function useCsrfToken(token: string): void {
  csrfToken = token
}

/** Registers the action for a response with status 401: the session has ended. */
export function whenLoggedOut(action: () => void): void {
  onLoggedOut = action
}

/** Registers the action for each outcome of a request: a response with any status, or none. */
export function whenEnded(action: (responded: boolean) => void): void {
  onOutcome = action
}

export const api = createClient<paths>({
  baseUrl: base,
  credentials: 'same-origin',
  querySerializer: { array: { style: 'form', explode: true } },
})

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', csrfToken)
    return request
  },
  onResponse({ request, response }) {
    const login = /\/api\/v1\/session(\/code)?$/.test(request.url)
    if (response.status === 401 && !login) onLoggedOut()
  },
})

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'title' in value
}

/** Returns the JSON body of a response (the contract also offers some lists as CSV text), or throws {@link RequestFailed}. */
export async function body<T>(pending: Promise<Answer<T>>): Promise<Exclude<T, string>> {
  let answer: Answer<T>
  try {
    answer = await pending
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    onOutcome(false)
    throw new RequestFailed(0, null)
  }
  onOutcome(true)
  if (!answer.response.ok) {
    throw new RequestFailed(answer.response.status, isProblem(answer.error) ? answer.error : null)
  }
  return answer.data as Exclude<T, string>
}
