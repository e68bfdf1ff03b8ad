// Starts everything.

const { sections, ...common } = JSON.parse(document.getElementById('data').textContent);
for (const [id, data] of Object.entries(sections)) new Section(document.getElementById(id), data, common);

// A link to what is folded opens it; paper shows everything.
function unfold() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (!target) return;
  const fold = target.closest('details') || target.querySelector(':scope > details');
  if (fold) fold.open = true;
  target.scrollIntoView();
}
addEventListener('hashchange', unfold);
unfold();

let folded = [];
addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('details.card:not([open]), .stream > details:not([open])')];
  for (const fold of folded) fold.open = true;
});
addEventListener('afterprint', () => { for (const fold of folded) fold.open = false; });

for (const copy of document.querySelectorAll('button.copy')) copy.addEventListener('click', async event => {
  const button = event.currentTarget;
  const code = button.previousElementSibling;
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(code);
    button.textContent = 'Press Ctrl-C';
  }
});
