// Starts everything.

const { streams, diagrams = [], ...common } = JSON.parse(document.getElementById('data').textContent);
for (const node of document.querySelectorAll('section.stream')) {
  new Section(node, streams[node.dataset.stream], common);
}

for (const host of document.querySelectorAll('.chart[data-diagram]')) {
  new Diagram(host, diagrams[host.dataset.diagram]);
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
