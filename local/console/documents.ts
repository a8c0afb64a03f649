// Links from problems to the sections of the documents that explain them. The console serves its own copy
// (document-page.ts), so that the links work without a network and fit the release that runs.
import type { Concern } from '../status/judge-feed.ts';
import { type Html, html } from './html.ts';

/** A section of a document. */
export interface Section {
  /** For instance `docs/runbook.md`. */
  readonly file: string;
  readonly heading: string;
}

const TROUBLESHOOTING = 'docs/troubleshooting.md';
const RUNBOOK = 'docs/runbook.md';
const RECEIVER: Section = { file: TROUBLESHOOTING, heading: 'A receiver gets nothing' };

export const SECTIONS = {
  stopped: { file: TROUBLESHOOTING, heading: 'A source is stopped' },
  failing: { file: TROUBLESHOOTING, heading: 'A source is failing' },
  held: { file: TROUBLESHOOTING, heading: 'A source is held' },
  left_out: { file: RUNBOOK, heading: 'Why a source is degraded' },
  set_aside: { file: RUNBOOK, heading: 'Return groups are set aside' },
  receiver_failing: RECEIVER,
  receiver_paused: RECEIVER,
  receiver_dropped: RECEIVER,
  behind: { file: RUNBOOK, heading: 'A return group is behind' },
  dead_letters: { file: RUNBOOK, heading: 'An ordered subscriber has dead letters' },
  reader_behind: { file: RUNBOOK, heading: 'A reader is behind' },
  command_fails: { file: TROUBLESHOOTING, heading: 'A command fails' },
  access_denied: { file: 'SECURITY.md', heading: 'Operators' },
} as const satisfies Record<Concern['kind'] | 'command_fails' | 'access_denied', Section>;

export function documentLink(about: keyof typeof SECTIONS): Html {
  const { file, heading } = SECTIONS[about];
  return html`<a href="${addressOf(file, anchorOf(heading))}">${heading}</a>`;
}

/** @param anchor of a section; undefined for the whole document */
export function addressOf(file: string, anchor?: string): string {
  return `/documents/${file}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
