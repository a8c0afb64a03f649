// Saves a page while the next one is being asked for: one page at a time and in their order, so that no more than
// two are ever held. Nothing counts as covered before the last one was saved.
import type { Page } from '../reading/page.ts';

export interface SaveAhead {
  /** Resolves when the page before was saved. */
  take(page: Page): Promise<void>;
  /**
   * Runs the work and waits for what it has left to save, also where it fails.
   *
   * @throws what the work throws, else what saving throws
   */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createSaveAhead(save: (page: Page) => Promise<void>): SaveAhead {
  let saving: Promise<void> = Promise.resolve();
  return {
    async take(page) {
      await saving;
      saving = save(page);
      // Who waits for it hears of a failure; until then it must not count as unheard.
      saving.catch(() => {});
    },
    async during(work) {
      const outcome = await work().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      if ('error' in outcome) {
        await saving.catch(() => {});
        throw outcome.error;
      }
      await saving;
      return outcome.result;
    },
  };
}
