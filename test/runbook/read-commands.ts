// The commands of a page, as somebody would copy them: in blocks of code and within sentences, over line ends. What names
// a command without an option or anything to fill in is about it, and not to be run.

export interface PageCommand {
  /** In one line, with its `<names>` as they stand there. */
  readonly text: string;
  /** Of the page, counted from 1. */
  readonly line: number;
}

const CODE = /^```\w*\n(.*?)^```$|`([^`]+)`/gms;
const COMMAND = /^\s*(npx returns-feed|aws) .*(--|<)/s;

export function readCommands(page: string): PageCommand[] {
  return [...page.matchAll(CODE)].flatMap(({ index, 1: block, 2: inline = '' }) => {
    const line = page.slice(0, index).split('\n').length;
    const texts = block === undefined ? [inline] : block.replaceAll('\\\n', ' ').split('\n');
    return texts
      .filter((it) => COMMAND.test(it))
      .map((it) => ({ text: it.replace(/\s+/g, ' ').trim(), line }));
  });
}

/** Its words, as a shell would cut them, with each name filled in. @param fill throws for a name that nobody knows */
export function fillIn(command: string, fill: (name: string) => string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, single, double]) =>
    (single ?? double ?? word).replace(/<([^<>]+)>/g, (_, name: string) => fill(name)),
  );
}
