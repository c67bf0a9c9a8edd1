export function standIn(size?: number, tls?: boolean): {
  server: import('node:http').Server
  answer(method: string, path: string, query: URLSearchParams, body?: unknown): { status: number; body?: unknown }
}
