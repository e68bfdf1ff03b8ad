// Starts everything.

const { streams, ...common } = JSON.parse(document.getElementById('data').textContent);
for (const node of document.querySelectorAll('section.stream')) {
  new Section(node, streams[node.dataset.stream], common);
}

document.getElementById('copy')?.addEventListener('click', async event => {
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
