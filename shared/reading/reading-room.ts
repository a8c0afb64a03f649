// How many requests a range may take in all: one that is read in pieces takes more of them than it has pages, and what
// the tick's end cuts off would be read anew from its start. So it stops before, and goes on from what it has proved.
import type { Reader } from './reader.ts';

/** The same with room for as many requests as there may be pages. */
export function withRoom<Options extends Pick<Reader, 'fetch' | 'maxPages'>>(
  options: Options,
): Options & Required<Pick<Reader, 'hasRoom'>> {
  let left = options.maxPages;
  return {
    ...options,
    hasRoom: () => left > 0,
    fetch(request) {
      left -= 1;
      return options.fetch(request);
    },
  };
}
