// The frame of every page: navigation with the number of problems, the worst of them, the search box, the bar that shows
// that the page is no longer up to date, and the part that the stream updates.
import type { NextStep } from '../status/source-status.ts';
import { documentLink } from './documents.ts';
import { type Content, type Html, html } from './html.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** The position of the page's last event: the stream continues after it. */
  readonly position?: string;
  /** Whether the page is not updated, although others at its path are. */
  readonly isFixed?: boolean;
  /** The address that the browser loads next, at once, for the rest of a slow answer. */
  readonly continuesAt?: string;
  /** The text that was searched for. It stays in the box, to be corrected. */
  readonly searched?: string;
}

export interface Frame {
  /** Path of the page's entry in the navigation. */
  readonly path: string;
  /** The place of the feed, for instance `--data state`. */
  readonly place: string;
  /** The address of the page's stream; undefined for a page without updates. */
  readonly stream: string | undefined;
  /** A sentence for each problem, the worst first. */
  readonly problems: readonly string[];
}

const ENTRIES = [
  ['/', 'Overview'],
  ['/live', 'Live'],
  ['/stuck', 'Stuck'],
  ['/catalogue', 'Events'],
] as const;

/** The pages that are about problems. */
const SHOW_PROBLEMS: ReadonlySet<string> = new Set(['/', '/stuck']);

export function layOut(
  { title, body, continuesAt, position, searched = '' }: Page,
  { path, place, stream, problems }: Frame,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · returns-feed</title>
${continuesAt !== undefined && html`<meta http-equiv="refresh" content="0; url=${continuesAt}">`}
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/console.css">
<script src="/console.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="brand">returns-feed <span class="place">${place}</span></p>
<nav aria-label="Pages">${ENTRIES.map(([to, name]) => entry(to, name, path, problems.length))}</nav>
<form class="find" action="/find" role="search">
<label for="q">Find</label>
<input id="q" name="q" type="search" value="${searched}" required maxlength="200" autocomplete="off"
 placeholder="tracking number, order, id">
<button>Find</button>
</form>
${!SHOW_PROBLEMS.has(path) && html`<a id="worst" href="/stuck">${worstOf(problems)}</a>`}
</header>
<p id="outage" role="alert" hidden></p>
<main id="main" tabindex="-1"${stream === undefined ? '' : html` data-stream="${stream}" data-position="${position ?? ''}"`}>${body}</main>
${stream !== undefined && html`<footer><p id="freshness" role="status">Kept up to date.</p></footer>`}
</body>
</html>
`;
}

/** The worst problem, and how many more there are; empty if there is none. */
export function worstOf([worst, ...others]: readonly string[]): string {
  if (worst === undefined) return '';
  return others.length === 0 ? worst : `${worst} (And ${others.length} more.)`;
}

function entry(to: string, name: string, path: string, problems: number): Html {
  const count = to === '/stuck' && html`<span id="problems" class="count">${problems || ''}</span>`;
  return html`<a href="${to}"${to === path ? html` aria-current="page"` : ''}>${name}${count}</a>`;
}

/** The tone of a badge. Each has a colour and a sign, so that colour is not the only difference. */
export type Tone = 'good' | 'busy' | 'bad' | 'idle';

const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', busy: '…', bad: '!', idle: '–' };

export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${text}</span>`;
}

/** A table that scrolls on its own if it is wider than the screen; on a phone, a block for each row. @param name for screen readers */
export function table(name: string, columns: readonly string[], rows: readonly (readonly Content[])[]): Html {
  return html`<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table>
<thead><tr>${columns.map((column) => (column === '' ? html`<td></td>` : html`<th scope="col">${column}</th>`))}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell, index) => html`<td data-column="${columns[index]}">${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

/** A notice that lists the parts of the page that could not be loaded; false if there are none. */
export function problemList(problems: readonly string[]): Html | false {
  return (
    problems.length > 0 &&
    html`<div class="notice bad"><p>${badge('bad', 'Not everything can be shown')}</p>
<ul>${problems.map((each) => html`<li>${each}</li>`)}</ul><p>What to do: ${documentLink('command_fails')}</p></div>`
  );
}

/** The advice, and the command to paste if there is one. */
export function nextStep({ text, command: toPaste }: NextStep): Html {
  return html`<p>${text} ${toPaste !== null && command(toPaste)}</p>`;
}

/** A command to paste, with a button that copies it. */
function command(text: string): Html {
  return html`<span class="command"><code>${text}</code> <button type="button" data-copy="${text}">Copy</button></span>`;
}
