// Light or dark, before anything is painted: the reader's choice, else the system's.
(() => {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  let chosen = null;
  try { chosen = localStorage.getItem('shrubs-theme'); } catch { /* storage may be forbidden */ }
  const apply = () => { root.dataset.theme = chosen || (system.matches ? 'dark' : 'light'); };
  system.addEventListener('change', apply);
  apply();
  document.addEventListener('click', event => {
    if (!event.target.closest('#theme')) return;
    chosen = root.dataset.theme === 'dark' ? 'light' : 'dark';
    try { localStorage.setItem('shrubs-theme', chosen); } catch { /* then it lasts for this visit */ }
    apply();
  });
})();
