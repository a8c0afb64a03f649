// Collects the parts of a page that could not be loaded, as one sentence each. The rest of the page is shown. If AWS
// denied a request, the sentence names the missing permission.
import { messageOf } from '../cli/failures.ts';

/** Loads a part of a page. @returns `otherwise` if it can't be loaded, after noting a sentence */
export type Attempt = <Part, Otherwise>(
  what: string,
  load: () => Promise<Part>,
  otherwise: Otherwise,
) => Promise<Part | Otherwise>;

export function createProblems() {
  const sentences: string[] = [];
  /** Adds a sentence, unless it is there already. */
  const note = (sentence: string) => {
    if (!sentences.includes(sentence)) sentences.push(sentence);
  };
  const attempt: Attempt = async (what, load, otherwise) => {
    try {
      return await load();
    } catch (error) {
      note(describeProblem(what, error));
      return otherwise;
    }
  };
  return { sentences, note, attempt };
}

/** Returns one sentence, which ends with a single full stop. */
export function describeProblem(what: string, error: unknown): string {
  return `${what} can't be shown: ${messageOf(error).replace(/\.?$/, '.')}`;
}
