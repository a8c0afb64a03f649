// Saves a page while the next one is requested: one at a time and in order, so that memory holds at most two. Nothing
// counts as covered before the last page is saved.
import type { Page } from '../reading/page.ts';

export interface SaveAhead {
  /** Begins to save a page. Resolves when the previous one is saved. */
  take(page: Page): Promise<void>;
  /**
   * Runs the work and waits for its last save, even if the work fails.
   *
   * @throws the error of the work, else that of the save
   */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createSaveAhead(save: (page: Page) => Promise<void>): SaveAhead {
  let saving: Promise<void> = Promise.resolve();
  return {
    async take(page) {
      await saving;
      saving = save(page);
      // The next wait rethrows a failure; until then it must not count as unhandled.
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
