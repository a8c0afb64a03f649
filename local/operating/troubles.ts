// The parts that a page could not load. The rest of the page is shown, with a sentence for each part that is missing,
// which names the right where AWS refused it.

/** Loads a part of a page. @returns `otherwise` where it can't be loaded, which is noted */
export type Attempt = <Part, Otherwise>(
  what: string,
  load: () => Promise<Part>,
  otherwise: Otherwise,
) => Promise<Part | Otherwise>;

export interface Troubles {
  /** Each once, in the order in which they were noted. */
  readonly sentences: readonly string[];
  note(sentence: string): void;
  readonly attempt: Attempt;
}

export function createTroubles(): Troubles {
  const sentences: string[] = [];
  const note = (sentence: string) => {
    if (!sentences.includes(sentence)) sentences.push(sentence);
  };
  return {
    sentences,
    note,
    async attempt(what, load, otherwise) {
      try {
        return await load();
      } catch (error) {
        note(describeTrouble(what, error));
        return otherwise;
      }
    },
  };
}

/** A sentence, whatever the message ends with. */
export function describeTrouble(what: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${what} can't be shown: ${message.replace(/\.?$/, '.')}`;
}
