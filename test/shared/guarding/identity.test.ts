// Whether an address and a token show the source: known groups are looked up by their ids.
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MILLISECOND, MINUTE } from '../../../shared/instant.ts';
import { VIRTUAL_START } from '../../fakes/virtual-clock.ts';
import { createListWorld } from '../list-world.ts';
import { readRound } from '../reading/read-round.ts';

/** A source that knows groups of a year, and whose token was replaced. */
async function setUp(count = 30, apart = 12 * DAY, age = 0) {
  const world = createListWorld();
  world.addMany(count, apart, world.now() - age);
  const run = world.begin();
  await world.time.run(readRound(run, [{ axis: 'created' }]));
  world.list.requests.length = 0;
  const trusts = (accessHash: string) => world.time.run(run.identity.isTrusted(accessHash));
  const lookedUp = () => world.list.requests.flatMap(({ returnGroupId }) => returnGroupId ?? []);
  return { ...world, run, trusts, lookedUp, proof: run.state.seenWith ?? '' };
}

describe('another address or token', () => {
  it('is trusted if a known group is found by its id', async () => {
    const { run, trusts, lookedUp, proof } = await setUp();
    run.update((state) => ({ ...state, seenWith: 'the token before' }));

    const isTrusted = await trusts(proof);

    expect(isTrusted).toBe(true);
    expect(lookedUp()).toHaveLength(1);
    expect(run.state.seenWith).toBe(proof);
  });

  it('is looked for by groups of all its past, as many as five, because each may have been removed', async () => {
    const { run, list, trusts, lookedUp, proof } = await setUp();
    run.update((state) => ({ ...state, seenWith: undefined }));
    const old = Math.min(...list.groups.keys());
    for (const id of list.groups.keys()) if (id !== old) list.groups.delete(id);

    const isTrusted = await trusts(proof);

    expect(isTrusted).toBe(true);
    expect(new Set(lookedUp()).size).toBeGreaterThan(1);
    expect(lookedUp()).toContain(old);
  });

  it('is looked for by several groups as well where all are older than a year: one may fail for ever', async () => {
    const { run, list, trusts, lookedUp, proof } = await setUp(6, HOUR, 400 * DAY);
    run.update((state) => ({ ...state, seenWith: undefined }));
    const failing = Math.min(...list.groups.keys());
    list.knobs.failing = new Set([failing]);

    await expect(trusts(proof)).resolves.toBe(true);

    // One that hangs would take a whole tick, if it was tried again before another one.
    expect(lookedUp().filter((id) => id === failing).length).toBeLessThan(2);
  });

  it('shows another store if none is found: the source is held', async () => {
    const { run, list, trusts, proof } = await setUp();
    run.update((state) => ({ ...state, seenWith: undefined }));
    list.groups.clear();

    await expect(trusts(proof)).rejects.toMatchObject({ name: 'SourceHeld' });

    expect(run.state).toMatchObject({
      seenWith: undefined,
      holds: [{ kind: 'other_store', accessHash: proof }],
    });
  });

  it('shows another store if ticks with time for one look-up find none of five', async () => {
    const { run, list, begin, time, lookedUp, proof } = await setUp();
    const { session, state } = run;
    list.groups.clear();
    const ends: (string | boolean)[] = [];
    for (let ticks = 0; ticks < 5; ticks += 1) {
      const { identity } = begin({ ...state, seenWith: undefined }, session);
      session.deadline = time.elapsed() + MILLISECOND;
      ends.push(await time.run(identity.isTrusted(proof)).catch(({ name }: Error) => name));
    }

    expect(ends).toEqual([...Array(4).fill('DeadlineReached'), 'SourceHeld']);
    expect(new Set(lookedUp()).size).toBe(5);
  });

  it('shows another store if groups of these ids were created at other times', async () => {
    const { run, list, trusts, proof } = await setUp();
    run.update((state) => ({ ...state, seenWith: undefined }));
    for (const [id, { createdAt }] of [...list.groups]) list.add(id, createdAt + MINUTE);

    await expect(trusts(proof)).rejects.toMatchObject({ name: 'SourceHeld' });
  });

  it('is trusted again once a known group is found', async () => {
    const { run, list, time, trusts, proof } = await setUp();
    run.update((state) => ({ ...state, seenWith: undefined }));
    const all = [...list.groups];
    list.groups.clear();
    await expect(trusts(proof)).rejects.toThrow();

    for (const [id, group] of all) list.groups.set(id, group);
    await time.run(run.identity.prove());

    expect(run.state).toMatchObject({ seenWith: proof, holds: [] });
  });

  it('is trusted, and saved, while nothing is known yet: whatever is shown is the source', async () => {
    const { run, state, trusts, proof } = await setUp(0);
    run.update((before) => ({ ...before, seenWith: undefined }));

    expect(await trusts(proof)).toBe(true);
    // Else the first groups that are saved would have to prove it after a crash.
    expect(await state()).toMatchObject({ seenWith: proof });
  });

  it('is not judged while look-ups fail', async () => {
    const { run, list, trusts, proof } = await setUp();
    run.update((state) => ({ ...state, seenWith: undefined }));
    list.knobs.isDown = true;

    await expect(trusts(proof)).rejects.toThrow('500');

    expect(run.state.holds).toEqual([]);
  });

  it('is not judged if known groups show in a form that can’t be read', async () => {
    const { run, list, trusts, proof } = await setUp();
    run.update((state) => ({ ...state, seenWith: undefined }));
    for (const group of list.groups.values()) group.more = { created_at: 'yesterday' };

    await expect(trusts(proof)).rejects.toMatchObject({ name: 'UnreadableAnswerError' });

    expect(run.state.holds).toEqual([]);
  });
});

describe('the proof before a removal', () => {
  it('is made once since a moment, and not by the groups that are missing', async () => {
    const { run, time, lookedUp, now } = await setUp(3, HOUR);
    const missing = new Set([3]);
    await time.advance(MINUTE);
    const moment = now();

    await time.run(run.identity.proveSince(moment, missing));
    await time.run(run.identity.proveSince(moment, missing));
    const once = lookedUp();
    await time.advance(MINUTE);
    await time.run(run.identity.proveSince(now(), missing));

    expect(once).toHaveLength(1);
    expect(once).not.toContain(3);
    expect(lookedUp()).toHaveLength(2);
  });

  it('is an answer of the list that shows a known group as well', async () => {
    const { run, time, lookedUp, now } = await setUp(3, HOUR);
    await time.advance(MINUTE);
    const moment = now();
    await time.run(readRound(run, [{ axis: 'created' }]));

    await time.run(run.identity.proveSince(moment, new Set([3])));

    expect(lookedUp()).toEqual([]);
  });

  it('needs no other group in a store so small that all that is missing may have been removed', async () => {
    const { run, list, time } = await setUp(2, HOUR);
    list.groups.clear();

    await time.run(run.identity.proveSince(time.now(), new Set([1, 2])));

    expect(run.state.holds).toEqual([]);
  });

  it('fails if five or more are missing and no other is known', async () => {
    const { run, list, time } = await setUp(5, HOUR);
    list.groups.clear();

    await expect(
      time.run(run.identity.proveSince(time.now(), new Set([1, 2, 3, 4, 5]))),
    ).rejects.toMatchObject({
      name: 'SourceHeld',
    });
    expect(VIRTUAL_START).toBeLessThan(time.now());
  });
});
