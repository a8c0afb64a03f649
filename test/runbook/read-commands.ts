// The commands of a page that a reader would copy: in code blocks and within sentences, across line ends. A command
// without an option or a placeholder counts as a mention, and is not run.

export interface PageCommand {
  /** The command in one line, with its `<names>` unchanged. */
  readonly text: string;
  /** The line of the page, from 1. */
  readonly line: number;
}

const CODE = /^```\w*\n(.*?)^```$|`([^`]+)`/gms;
const COMMAND = /^\s*(npx --no returns-feed|aws) .*(--|<)/s;

export function readCommands(page: string): PageCommand[] {
  return [...page.matchAll(CODE)].flatMap(({ index, 1: block, 2: inline = '' }) => {
    const line = page.slice(0, index).split('\n').length;
    const texts = block === undefined ? [inline] : block.replaceAll('\\\n', ' ').split('\n');
    return texts
      .filter((it) => COMMAND.test(it))
      .map((it) => ({ text: it.replace(/\s+/g, ' ').trim(), line }));
  });
}

/** The words of a command, split like a shell, with each name filled in. @param fill throws for an unknown name */
export function fillIn(command: string, fill: (name: string) => string): string[] {
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, single, double]) =>
    (single ?? double ?? word).replace(/<([^<>]+)>/g, (_, name: string) => fill(name)),
  );
}
