// The console's only script, sent to browsers unchanged. It updates pages and copies texts; pages also work without it. A
// message replaces the page's content, or, if it is a `row`, is added at the top of the list of events, unless its reader
// has paused the list or scrolled into it. A hidden window sends no requests.
export const SCRIPT = `'use strict';
const MAX_ROWS = 300;
const SILENCE_MS = 10000;
const main = document.getElementById('main');
const freshness = document.getElementById('freshness');
const outage = document.getElementById('outage');
const problems = document.getElementById('problems');
const worst = document.getElementById('worst');
let source;
let heardAt = 0;
const held = [];
let isPaused = false;

function say(text) { if (freshness && freshness.textContent !== text) freshness.textContent = text; }

function warn(text) {
  if (outage.textContent !== text) outage.textContent = text;
  outage.hidden = text === '';
}

function heard() { heardAt = Date.now(); warn(''); say('Kept up to date.'); }

setInterval(() => {
  if (!source || Date.now() - heardAt < SILENCE_MS) return;
  const since = new Date(heardAt).toTimeString().slice(0, 8);
  warn('Nothing was heard from the console since ' + since + ': this page is out of date. Is the console still running? ' +
    'If not, start it again and open the address that it prints.');
  say('Not up to date.');
}, 1000);

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

function add(markup) {
  const list = document.getElementById('events');
  list.insertAdjacentHTML('afterbegin', markup);
  // The stream may repeat an event that the page already shows.
  const twins = list.querySelectorAll('#' + CSS.escape(list.firstElementChild.id));
  if (twins.length > 1) { list.firstElementChild.remove(); return; }
  list.firstElementChild.classList.add('fresh');
  while (list.children.length > MAX_ROWS) list.lastElementChild.remove();
  const empty = document.getElementById('no-events');
  if (empty) empty.remove();
}

function isReading() {
  const list = document.getElementById('events');
  return list.getBoundingClientRect().top < 0 || list.contains(document.activeElement) || isBusy();
}

function prepend(markup) {
  held.push(markup);
  if (held.length > MAX_ROWS) held.shift();
  if (!isPaused && !isReading()) showHeld();
  else announce();
}

function showHeld() { for (const markup of held.splice(0)) add(markup); announce(); }

function announce() {
  const button = document.getElementById('news');
  if (!button) return;
  button.hidden = held.length === 0;
  button.textContent = 'Show ' + held.length + ' new';
}

function listen() {
  if (!main.dataset.stream || document.hidden || source) return;
  heardAt = Date.now();
  source = new EventSource(main.dataset.stream + '&position=' + encodeURIComponent(main.dataset.position));
  source.onopen = heard;
  source.onmessage = ({ data }) => replace(data);
  source.addEventListener('row', ({ data, lastEventId }) => { main.dataset.position = lastEventId; prepend(data); });
  source.addEventListener('problems', ({ data }) => { problems.textContent = data; });
  source.addEventListener('worst', ({ data }) => { if (worst) worst.innerHTML = data; });
  source.addEventListener('problem', ({ data }) => { heardAt = Date.now(); warn(data); say('Not up to date.'); });
  source.addEventListener('well', heard);
  source.onerror = () => say('Not up to date: the console does not answer.');
}

function pause() { if (source) { source.close(); source = undefined; } }

document.addEventListener('visibilitychange', () => (document.hidden ? pause() : listen()));
// Pages from the browser's back/forward cache need their stream again.
window.addEventListener('pagehide', pause);
window.addEventListener('pageshow', listen);

for (const each of document.querySelectorAll('[data-needs-script]')) each.hidden = false;

document.addEventListener('click', async ({ target }) => {
  if (target.id === 'pause') {
    isPaused = !isPaused;
    target.setAttribute('aria-pressed', String(isPaused));
    if (!isPaused) showHeld();
  }
  if (target.id === 'news') { showHeld(); window.scrollTo(0, 0); }
  const button = target.closest('[data-copy], [data-copy-of]');
  if (!button) return;
  const text = button.dataset.copy ?? document.getElementById(button.dataset.copyOf).textContent;
  await navigator.clipboard.writeText(text);
  const before = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = before; }, 1500);
});
`;
