// Starts everything.

const { sections, ...common } = JSON.parse(document.getElementById('data').textContent);
for (const [id, data] of Object.entries(sections)) new Section(document.getElementById(id), data, common);

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
