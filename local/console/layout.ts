// The frame of every page: navigation, the search box, and the part that is kept up to date.
import { type Content, type Html, html } from './html.ts';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Up to where the page shows what its stream sends, so that the stream begins there. */
  readonly position?: string;
  /** The address that the browser goes on to at once, for the rest of an answer that takes longer. */
  readonly continuesAt?: string;
}

export interface Frame {
  /** Path of the page's entry in the navigation. */
  readonly path: string;
  /** Names the place of the feed, for instance `--data state`. */
  readonly place: string;
  /** Where the page's updates come from; undefined if it stays as it is. */
  readonly stream: string | undefined;
}

const ENTRIES = [
  ['/', 'Overview'],
  ['/live', 'Live'],
  ['/stuck', 'Stuck'],
  ['/catalogue', 'Events'],
] as const;

export function layOut({ title, body, continuesAt, position }: Page, { path, place, stream }: Frame): Html {
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
<nav aria-label="Pages">${ENTRIES.map(([to, name]) => entry(to, name, path))}</nav>
<form class="find" action="/find" role="search">
<label for="q">Find</label>
<input id="q" name="q" type="search" required maxlength="200" autocomplete="off"
 placeholder="tracking number, order, id">
<button>Find</button>
</form>
</header>
<main id="main" tabindex="-1"${stream === undefined ? '' : html` data-stream="${stream}" data-position="${position ?? ''}"`}>${body}</main>
${stream !== undefined && html`<footer><p id="freshness" role="status">Kept up to date.</p></footer>`}
</body>
</html>
`;
}

function entry(to: string, name: string, path: string): Html {
  return html`<a href="${to}"${to === path ? html` aria-current="page"` : ''}>${name}</a>`;
}

/** A state in words and as a coloured sign. */
export type Tone = 'good' | 'busy' | 'bad' | 'idle';

const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', busy: '…', bad: '!', idle: '–' };

export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge ${tone}"><span aria-hidden="true">${SIGNS[tone]}</span> ${text}</span>`;
}

/** A table that scrolls by itself where it is wider than the screen. @param name for screen readers */
export function table(name: string, columns: readonly string[], rows: readonly (readonly Content[])[]): Html {
  return html`<div class="scroll" role="region" aria-label="${name}" tabindex="0"><table>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

/** What the page lacks, in sentences; nothing if it lacks nothing. */
export function troubleList(troubles: readonly string[]): Html | false {
  return (
    troubles.length > 0 &&
    html`<div class="notice"><p>${badge('bad', 'Not everything can be shown')}</p>
<ul>${troubles.map((each) => html`<li>${each}</li>`)}</ul></div>`
  );
}

/** A command to paste, with a button that copies it. */
export function command(text: string): Html {
  return html`<span class="command"><code>${text}</code> <button type="button" data-copy="${text}">Copy</button></span>`;
}
