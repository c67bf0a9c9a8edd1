// The sections of the settings page: their addresses and the order of their buttons.
export const SECTION_NAMES = ['account', 'sessions', 'sources', 'hosts', 'labels', 'users', 'tokens', 'audit', 'backups', 'telemetry'] as const

export type SectionName = (typeof SECTION_NAMES)[number]
