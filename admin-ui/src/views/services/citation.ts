// The source of a threshold or of a question, in the words of the console.

/** Replaces "own" of the rules' files and the word "thesis" by the locale's texts; "own: set by …" is a user's threshold and stays. */
export function citation(source: string, t: (key: string) => string): string {
  return source.replace(/^own(?!\w|: set by)/, t('evidence.own')).replace(/\bthesis\b/g, t('evidence.thesis'))
}
