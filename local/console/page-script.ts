// The console's only script, sent to browsers unchanged. It updates pages and copies texts; pages also work without it. A
// message replaces the page's content, or, if it is a `row`, is added at the top of the list of events. A hidden window
// sends no requests.
export const SCRIPT = `'use strict';
const MAX_ROWS = 300;
const main = document.getElementById('main');
const freshness = document.getElementById('freshness');
let source;

function say(text) { if (freshness && freshness.textContent !== text) freshness.textContent = text; }

function isBusy() {
  const active = document.activeElement;
  const isTyping = active && main.contains(active) && active.matches('input, select, textarea');
  return isTyping || !document.getSelection().isCollapsed;
}

function replace(markup) {
  if (isBusy()) return;
  const open = [...main.querySelectorAll('details[open][id]')].map(({ id }) => id);
  const focused = main.contains(document.activeElement) ? document.activeElement.id : '';
  main.innerHTML = markup;
  for (const id of open) { const each = document.getElementById(id); if (each) each.open = true; }
  if (focused) { const each = document.getElementById(focused); if (each) each.focus({ preventScroll: true }); }
}

function prepend(markup) {
  const list = document.getElementById('events');
  if (!list) return;
  list.insertAdjacentHTML('afterbegin', markup);
  // The stream may repeat an event that the page already shows.
  const twins = list.querySelectorAll('#' + CSS.escape(list.firstElementChild.id));
  if (twins.length > 1) { list.firstElementChild.remove(); return; }
  list.firstElementChild.classList.add('fresh');
  while (list.children.length > MAX_ROWS) list.lastElementChild.remove();
  const empty = document.getElementById('no-events');
  if (empty) empty.remove();
}

function listen() {
  if (!main.dataset.stream || document.hidden || source) return;
  source = new EventSource(main.dataset.stream + '&position=' + encodeURIComponent(main.dataset.position));
  source.onopen = () => say('Kept up to date.');
  source.onmessage = ({ data }) => replace(data);
  source.addEventListener('row', ({ data, lastEventId }) => { main.dataset.position = lastEventId; prepend(data); });
  source.addEventListener('problem', ({ data }) => say(data));
  source.addEventListener('well', () => say('Kept up to date.'));
  source.onerror = () => say('Not up to date: the console does not answer. Is it still running?');
}

function pause() { if (source) { source.close(); source = undefined; } }

document.addEventListener('visibilitychange', () => (document.hidden ? pause() : listen()));
// Pages from the browser's back/forward cache need their stream again.
window.addEventListener('pagehide', pause);
window.addEventListener('pageshow', listen);

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy], [data-copy-of]');
  if (!button) return;
  const text = button.dataset.copy ?? document.getElementById(button.dataset.copyOf).textContent;
  await navigator.clipboard.writeText(text);
  const before = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = before; }, 1500);
});
`;
