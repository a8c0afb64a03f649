// The relative links of the Markdown documents in a folder.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface RelativeLink {
  /** `from` and `to` are relative to the folder. */
  readonly from: string;
  readonly to: string;
  /** Whether the target is missing. */
  readonly isDead: boolean;
}

/** @returns all links except those to other hosts and within the document */
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
