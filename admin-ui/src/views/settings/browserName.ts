// A short name for a browser from its User-Agent (RFC 9110 section 10.1.5).

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/\bChrome\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* .*\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]
const LONGEST = 60

/** Returns browser and system such as "Firefox 140, Linux"; for others the begin of the text itself. */
export function browserName(agent: string | null | undefined): string {
  if (!agent) return '–'
  for (const [pattern, name] of BROWSERS) {
    const version = pattern.exec(agent)?.[1]
    if (version) {
      const system = SYSTEMS.find(([each]) => each.test(agent))?.[1]
      return `${name} ${version}${system ? `, ${system}` : ''}`
    }
  }
  return agent.length > LONGEST ? `${agent.slice(0, LONGEST)}…` : agent
}
