// Limits the requests of a range, and its time. Reading in pieces takes more requests than there are pages, and a range
// that the tick's end cuts off starts again from its beginning. So it stops before, and resumes from what it has proved.
import type { Reader } from './reader.ts';

/** Returns the options with room for at most `maxPages` requests, and for none while the given options have no room. */
export function withRoom<Options extends Pick<Reader, 'fetch' | 'maxPages' | 'hasRoom'>>(
  options: Options,
): Options & Required<Pick<Reader, 'hasRoom'>> {
  let left = options.maxPages;
  return {
    ...options,
    hasRoom: () => left > 0 && options.hasRoom?.() !== false,
    fetch(request) {
      left -= 1;
      return options.fetch(request);
    },
  };
}
