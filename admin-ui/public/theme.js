// Runs before the first paint. "system" leaves the choice to the browser's preference.
try {
  var theme = localStorage.getItem('komainu.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage refused: the browser's preference decides.
}
