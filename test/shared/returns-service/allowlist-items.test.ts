import { describe, expect, it } from 'vitest';
import { iterateAllowlistItems } from '../../../shared/returns-service/allowlist-items.ts';
import { createReturnsServiceClient } from '../../../shared/returns-service/client.ts';
import { UnreadableAnswerError } from '../../../shared/returns-service/errors.ts';
import type { HttpTransport } from '../../../shared/returns-service/http-transport.ts';

interface Page {
  readonly items: readonly unknown[];
  readonly before?: string;
}

/** A client of a service that returns pages by their cursor. */
function clientOf(pages: Readonly<Record<string, Page>>) {
  const requested: string[] = [];
  const transport: HttpTransport = async ({ url }) => {
    const { pathname, search, searchParams } = new URL(url);
    requested.push(`${pathname}${search}`);
    const body = new TextEncoder().encode(JSON.stringify(pages[searchParams.get('before') ?? 'first']));
    return { status: 200, headers: {}, body, requestMs: 1 };
  };
  const client = createReturnsServiceClient({
    baseUrl: 'https://example.com/api',
    token: 'token',
    transport,
  });
  return { client, requested };
}

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const collected: unknown[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

function read(answer: unknown) {
  const { items, before } = answer as Page;
  return { items, before };
}

describe('allowlist items', () => {
  it('are returned unchanged, page by page, until a page without a cursor', async () => {
    const { client, requested } = clientOf({
      first: { items: [{ id: 3 }, 'two'], before: 'c+1' },
      'c+1': { items: [null] },
    });

    expect(await collect(iterateAllowlistItems(client, { read, limit: 2 }))).toEqual([
      { id: 3 },
      'two',
      null,
    ]);
    expect(requested).toEqual([
      '/api/v2/allowlist-items?limit=2',
      '/api/v2/allowlist-items?before=c%2B1&limit=2',
    ]);
  });

  it('end with an empty page, whatever cursor it has', async () => {
    const { client, requested } = clientOf({ first: { items: [], before: 'more' } });

    expect(await collect(iterateAllowlistItems(client, { read }))).toEqual([]);
    expect(requested).toHaveLength(1);
  });

  it('end with an error if the cursor does not advance', async () => {
    const { client } = clientOf({ first: { items: [1], before: 'a' }, a: { items: [2], before: 'a' } });

    await expect(collect(iterateAllowlistItems(client, { read }))).rejects.toThrow(UnreadableAnswerError);
  });

  it('are returned one page at a time, in the shape of the service', async () => {
    const { client } = clientOf({ first: { items: [1] } });

    expect(await client.listAllowlistItems()).toEqual({
      answer: { items: [1] },
      bytes: '{"items":[1]}'.length,
      requestMs: 1,
    });
  });
});
