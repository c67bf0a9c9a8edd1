// The shell commands that enrol parts.
import type { PartKind } from '../../api/types'

/** The kinds of parts, in the order of the form. */
export const PART_KINDS: readonly PartKind[] = ['agent', 'probe', 'proxy', 'organizer']

/** Returns a text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Returns the command that starts a part of this kind and enrols it. */
export function enrolCommand(kind: PartKind, code: string): string {
  const given = `--enrol ${quoted(code)}`
  switch (kind) {
    case 'agent':
      return `sudo ./komainu agent ${given} --data /var/lib/komainu-agent`
    case 'probe':
      return `sudo ./komainu agent --capture-only --interface eth1 ${given} --data /var/lib/komainu-probe`
    case 'proxy':
      return `sudo ./komainu proxy --config proxy.yaml ${given} --data /var/lib/komainu-proxy`
    case 'organizer':
      return `sudo ./komainu organizer --config organizer.yaml ${given}`
  }
}

/**
 * Returns the command that makes a code on the host of the central service. The name of a host comes from its reports: a name with other characters than those of
 * host names is left out, because the reader copies the command into a shell.
 */
export function codeCommand(kind: PartKind, node: string | null | undefined): string {
  const named = node && /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(node) ? ` --node ${node}` : ''
  return `./komainu enrol --kind ${kind}${named}`
}
