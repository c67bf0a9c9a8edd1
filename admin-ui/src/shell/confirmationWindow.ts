// The message from the window in which an external user logged in at the provider again, to the page that waits for it.
// It is only a hint: the service decides whether the session is confirmed.
const CHANNEL = 'komainu-confirmation'

/** Tells all pages of this console how the login ended. @param refused locale key of the reason; null after a success */
export function tellConfirmed(refused: string | null): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(refused)
  channel.close()
}

/** Calls an action at each end of such a login. @returns a function that ends this */
export function whenConfirmed(action: (refused: string | null) => void): () => void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = (message: MessageEvent<unknown>) => action(typeof message.data === 'string' ? message.data : null)
  return () => channel.close()
}
