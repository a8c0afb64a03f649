// Uses the console on a deployment like a person: reads every page, and uses every button.
import type { ReadConsole, ReadPage } from '../console/read-console.ts';
import type { Situations, Values } from './situations.ts';

/** Words that the service does not find, so that the search continues in the tables. */
export const UNFOUND = 'none';

/** Reads the pages with data, up to the first that shows the text. @returns the pages that were read */
export async function readPages(
  console: ReadConsole,
  { source, group }: Values,
  until = /$^/,
): Promise<ReadPage[]> {
  const asks = [
    ...['/', '/stuck', '/live', `/find?q=${UNFOUND}&in=service`, `/returns/${source}/${group}`].map(
      (path) => () => console.read(path),
    ),
    () => console.send(`/returns/${source}/${group}/ask`),
  ];
  const pages: ReadPage[] = [];
  for (const ask of asks) {
    const page = await ask();
    pages.push(page);
    if (until.test(page.text)) break;
  }
  return pages;
}

/** For each button, by name, the situation that it is for, and the form that it sends. */
export const BUTTONS = {
  release: {
    situation: 'release',
    form: ({ source, hold }: Values) => ['release', { source, hold, confirmed: 'yes' }],
  },
  'redrive to the bus': {
    situation: 'redrive',
    form: ({ source, group }: Values) => ['redrive', { source, group, to: 'bus' }],
  },
  'redrive to the ordered subscribers': {
    situation: 'redrive',
    form: ({ source, group }: Values) => ['redrive', { source, group, to: 'ordered' }],
  },
  'redrive to a webhook': {
    situation: 'redrive',
    form: ({ source, group, webhook }: Values) => ['redrive', { source, group, to: webhook }],
  },
  skip: {
    situation: 'redrive --skip',
    form: ({ source, group, number }: Values) => [
      'skip',
      { source, group, to: 'ordered', skip: number, confirmed: 'yes' },
    ],
  },
  resume: {
    situation: 'webhooks resume',
    form: ({ webhook }: Values) => ['resume', { webhook }],
  },
} as const;

export type ButtonName = keyof typeof BUTTONS;

export const NAMES_OF_BUTTONS = Object.keys(BUTTONS) as ButtonName[];

export async function press(
  console: ReadConsole,
  situations: Situations,
  name: ButtonName,
): Promise<ReadPage> {
  const { situation, form } = BUTTONS[name];
  const [action, fields] = form(await situations.before(situation));
  return console.send(`/act/${action}`, fields as Readonly<Record<string, string>>);
}
