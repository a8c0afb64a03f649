import { openSources, SourceError } from 'returns-change-feed/sources';

const sources = openSources({
  sourcesTable: String(process.env.SOURCES_TABLE),
  feedName: String(process.env.FEED_NAME),
  tokenKey: process.env.TOKEN_KEY,
});

/** @returns why the store's returns can't be read; undefined once it is added */
export async function onboard(store: {
  readonly name: string;
  readonly url: string;
  readonly token: string;
}) {
  try {
    await sources.add({ name: store.name, baseUrl: store.url, token: store.token });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return error.message;
  }
}
