/** Reports whether this page came over a network in clear text: its password and cookie can be read on the way. */
export function isClearText(protocol: string, host: string): boolean {
  const loopback = host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
  return protocol === 'http:' && !loopback
}
