import { expect, it } from 'vitest';
import type { Page } from '../../../shared/reading/page.ts';
import { createSaveAhead } from '../../../shared/tick/save-ahead.ts';

const page = (bytes: number): Page => ({ rows: [], bytes, sentAt: 0, receivedAt: 0 });

/** Saves that end when the test resolves or rejects them. */
function heldSaves() {
  const begun: number[] = [];
  const ends: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const save = ({ bytes }: Page) => {
    begun.push(bytes);
    return new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
  };
  return { begun, ends, save };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('continues its work while one page is being saved, and takes no second page meanwhile', async () => {
  const { begun, ends, save } = heldSaves();
  const { take } = createSaveAhead(save);
  await take(page(1));
  let isTaken = false;

  const second = take(page(2)).then(() => {
    isTaken = true;
  });
  await turn();
  const whileFirst = { begun: [...begun], isTaken };
  ends[0]?.resolve();
  await second;

  expect(whileFirst).toEqual({ begun: [1], isTaken: false });
  expect(begun).toEqual([1, 2]);
});

it('returns the result of its work once the last page is saved', async () => {
  const { ends, save } = heldSaves();
  const saving = createSaveAhead(save);
  let isDone = false;

  const work = saving
    .during(async () => {
      await saving.take(page(1));
      return 'result';
    })
    .finally(() => {
      isDone = true;
    });
  await turn();
  const before = isDone;
  ends[0]?.resolve();

  expect(await work).toBe('result');
  expect(before).toBe(false);
});

it('rejects with the error of the last save', async () => {
  const { ends, save } = heldSaves();
  const saving = createSaveAhead(save);

  const work = saving.during(() => saving.take(page(1)));
  await turn();
  ends[0]?.reject(new Error('not saved'));

  await expect(work).rejects.toThrow('not saved');
});

it('rejects with the error of the work, once the save before it has ended', async () => {
  const { ends, save } = heldSaves();
  const saving = createSaveAhead(save);

  const work = saving.during(async () => {
    await saving.take(page(1));
    throw new Error('no page');
  });
  await turn();
  ends[0]?.reject(new Error('not saved'));

  await expect(work).rejects.toThrow('no page');
});
