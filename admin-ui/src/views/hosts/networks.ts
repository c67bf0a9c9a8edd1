// Lists of addresses and blocks, as users type and read them.

/** Returns the addresses and blocks of a typed list: divided by spaces, lines or commas, also those of a Japanese keyboard. */
export function networksOf(text: string): string[] {
  return text.split(/[\s,,、]+/).filter(Boolean)
}

/** Returns a block as it is read: an IPv6 address with `::` (RFC 5952 section 4.2), and a single address without its length. */
export function readable(network: string): string {
  if (!network.includes(':')) return network.replace(/\/32$/, '')
  const [address, length] = network.split('/') as [string, string | undefined]
  return shortened(address) + (length && length !== '128' ? `/${length}` : '')
}

/** Shortens the first of the longest runs of at least two groups that are zero. */
function shortened(address: string): string {
  if (address.includes('::')) return address
  const [longest] = [...address.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)].sort((one, other) => other[0].length - one[0].length)
  if (!longest) return address
  return `${address.slice(0, longest.index).replace(/:$/, '')}::${address.slice(longest.index + longest[0].length).replace(/^:/, '')}`
}
