// The documents as pages of the console, and the links to them.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PageNotFound } from '../../local/console/console-server.ts';
import { createDocumentPage } from '../../local/console/document-page.ts';
import { anchorOf, documentLink, SECTIONS } from '../../local/console/documents.ts';
import { textOf } from '../../local/console/html.ts';

const page = createDocumentPage();
const DOCUMENTS = readdirSync(fileURLToPath(new URL('../../docs/', import.meta.url)), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);

async function read(file: string): Promise<string> {
  const shown = await page.render({ params: { file }, fields: {} });
  return 'body' in shown ? textOf(shown.body) : '';
}

describe('a document', () => {
  it.each(Object.entries(SECTIONS))(
    'has the section that a link leads to: %s',
    async (about, { file, heading }) => {
      const link = textOf(documentLink(about as keyof typeof SECTIONS));

      expect(link).toContain(`href="/documents/${file}#${anchorOf(heading)}"`);
      expect(await read(file)).toContain(` id="${anchorOf(heading)}">${heading}</h`);
    },
  );

  it('leads to other documents and their sections, and to nothing that is no document', async () => {
    const dead: string[] = [];

    for (const from of DOCUMENTS)
      for (const [, to = ''] of (await read(from)).matchAll(/href="\/documents\/([^"]+)"/g)) {
        const [file = '', anchor] = to.split('#');
        const target = await read(file).catch(() => '');
        if (anchor === undefined ? target === '' : !target.includes(` id="${anchor}"`))
          dead.push(`${from}: ${to}`);
      }

    expect(dead).toEqual([]);
  });

  it.each(DOCUMENTS)('names each table for screen readers, and no column with nothing: %s', async (file) => {
    const shown = await read(file);

    const names = [...shown.matchAll(/role="region" aria-label="([^"]*)"/g)].map(([, name]) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(shown).not.toContain('<th scope="col"></th>');
  });

  it.each([
    'package.json',
    '../SECURITY.md',
    'docs/../../x.md',
    'node_modules/hono/README.md',
    'docs/none.md',
  ])('is only one of the feed: %s', async (file) => {
    await expect(page.render({ params: { file }, fields: {} })).rejects.toThrow(PageNotFound);
  });
});
