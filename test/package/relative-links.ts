// Where the Markdown documents of a folder link to.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface RelativeLink {
  /** Both from the folder. */
  readonly from: string;
  readonly to: string;
  /** There is no such file or folder. */
  readonly isDead: boolean;
}

/** @returns all links but those to other hosts and within the document */
export async function relativeLinks(folder: string): Promise<readonly RelativeLink[]> {
  const files = await readdir(folder, { recursive: true });
  const documents = files.filter((file) => file.endsWith('.md'));
  const links = documents.map(async (from) => {
    const text = await readFile(join(folder, from), 'utf8');
    return targetsIn(text).map((target) => {
      const to = join(dirname(from), target);
      return { from, to, isDead: !existsSync(join(folder, to)) };
    });
  });
  return (await Promise.all(links)).flat();
}

/** Without anchors and titles. */
function targetsIn(markdown: string): string[] {
  return [...markdown.matchAll(/\]\(([^)\s#]+)/g)].flatMap(([, target = '']) =>
    /^[a-z]+:/.test(target) ? [] : [target],
  );
}
