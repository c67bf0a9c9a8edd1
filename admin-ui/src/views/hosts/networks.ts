// Lists of addresses and blocks, as users type and read them.

/** Returns the addresses and blocks of a typed list: divided by spaces, lines or commas, also those of a Japanese keyboard. */
export function networksOf(text: string): string[] {
  return text.split(/[\s,,、]+/).filter(Boolean)
}

/** Returns a block as it is read: one of a single address without its length. */
export function readable(network: string): string {
  return network.replace(network.includes(':') ? /\/128$/ : /\/32$/, '')
}
