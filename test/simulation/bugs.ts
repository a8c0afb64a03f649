// Deliberate bugs of the feed, which find-bugs.ts builds into the simulation. Each must be found in a few hundred seeds.
import type { Profile } from './plan.ts';

export interface Edit {
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly search: string;
  readonly replace: string;
}

export interface Bug {
  /** The bug in one line. */
  readonly name: string;
  readonly edits: readonly Edit[];
  /** A seed that finds it, run first: the others are run if it no longer does. */
  readonly seed?: number;
  /** @default 'plausible' */
  readonly profile?: Profile | 'webhooks';
  /** The tests that find it, where the simulation does not judge what it breaks. */
  readonly test?: string;
}

/** @param foundBy a seed, or the path of tests */
function bug(name: string, file: string, search: string, replace: string, foundBy?: number | string): Bug {
  const finder =
    foundBy === undefined ? {} : typeof foundBy === 'string' ? { test: foundBy } : { seed: foundBy };
  return { name, edits: [{ file, search, replace }], ...finder };
}

/** The weaknesses that the attack on the design found. */
const WEAKNESSES: readonly Bug[] = [
  bug(
    'the range before a crowd reaches up to it, and reads it again and again',
    'shared/reading/cut-range.ts',
    'const BEFORE_CROWD = 2 * SECOND;',
    'const BEFORE_CROWD = 0 * SECOND;',
    119,
  ),
  bug(
    'the cursor rests on the last change instead of two seconds behind it',
    'shared/position/position.ts',
    'known.stamp + AFTER_STAMP',
    'known.stamp',
    1,
  ),
  bug(
    'the end of a list behind a full answer counts as the end of the range',
    'shared/reading/round-reader.ts',
    'if (isWhole) return complete(range, shown, page);',
    'const offset = page.rows.length;\n' +
      '    const behind = isWhole || offset === 0 ? undefined : await ask(range, { limit, offset });\n' +
      '    if (isWhole || behind?.rows.length === 0) return complete(range, shown, page);',
    17,
  ),
  bug(
    'the stacks of rounds are not kept over ticks',
    'shared/lanes/start-tick.ts',
    'withSettings({ ...state, lease, lastSlot: tick.slot }, run)',
    'withSettings({ ...state, lease, lastSlot: tick.slot, lanes: { late: { ...state.lanes.late, round: undefined }, ' +
      'recent: { ...state.lanes.recent, round: undefined }, older: { ...state.lanes.older, round: undefined } } }, run)',
    1,
  ),
  bug(
    'a range that fails is never cut',
    'shared/reading/cut-on-failure.ts',
    'failures >= FAILURES_TO_CUT &&',
    'failures >= 1_000_000 &&',
    12,
  ),
  bug(
    'a place that fails is not set aside, and its round counts',
    'shared/reading/cut-on-failure.ts',
    'if (failing > 0) setAside(reader, range, reason);',
    'if (failing > 0) void setAside;',
    12,
  ),
  bug(
    'the bucket is filled with the whole budget a minute, beside what it holds',
    'shared/pacing/bucket.ts',
    'const perUnit = (requestsPerMinute - depth + 1) / WINDOW;',
    'const perUnit = requestsPerMinute / WINDOW;',
    'test/shared/pacing/bucket.test.ts',
  ),
  bug(
    'pieces of a walk end inside a second',
    'shared/lanes/walk-lanes.ts',
    'if (end === undefined && secondOf(group.createdAt) > secondOf(last)) end = secondOf(last) + SECOND;',
    'if (end === undefined && group.createdAt > last) end = last + 1;',
    52,
  ),
  bug(
    'a walk is judged by the brake however long ago the last one ended',
    'shared/guarding/brake.ts',
    'now - readAt <= Math.max(JUDGED_WITHIN, twoWalks)',
    'now >= readAt',
    7,
  ),
];

const READING: readonly Bug[] = [
  bug(
    'a limit that is refused looks like a row that fails',
    'shared/reading/cut-on-failure.ts',
    'if (await lowerRefusedLimit(run, lane, failed.isSlow)) return;',
    'void lowerRefusedLimit;',
    'test/shared/reading/page-limit.test.ts',
  ),
  bug(
    'a 404 is an empty list while the list shows rows',
    'shared/reading/not-found.ts',
    'const TIMES = 5;',
    'const TIMES = 0;',
    'test/shared/reading/not-found.test.ts',
  ),
  bug(
    'a cut drops the rows between its two parts',
    'shared/reading/cut-range.ts',
    '{ from: start, to: cuts[index] ?? to }',
    '{ from: start && index ? start + 3_600 * SECOND : start, to: cuts[index] ?? to }',
    12,
  ),
  bug(
    'an answer as long as the longest one counts as complete',
    'shared/reading/room.ts',
    'if (rows >= limit || rows >= Math.max(FEWEST_ROWS, most.rows)) return false;\n' +
      '  if (countGroups(page.rows) >= Math.max(FEWEST_ROWS, most.groups)) return false;',
    'if (rows > limit || rows > Math.max(FEWEST_ROWS, most.rows)) return false;\n' +
      '  if (countGroups(page.rows) > Math.max(FEWEST_ROWS, most.groups)) return false;',
    8,
  ),
  bug(
    'a page whose save failed counts as recorded, and the cursor moves without the save',
    'shared/reading/round-reader.ts',
    'await run.recorder.record(page, lane, known);',
    'await run.recorder\n      .record(page, lane, known)\n      .catch(() => ({ shown: new Set<number>(), passed: [] as number[] }));',
    'test/shared/lanes/poll-lanes.test.ts',
  ),
  bug(
    'the cursor follows the newest stamp at once, without the lookback',
    'shared/position/position.ts',
    'const before = asOf - lookback - settle - AFTER_STAMP;',
    'const before = asOf;',
    324,
  ),
  bug(
    'a range that fails is left out of its round',
    'shared/reading/cut-on-failure.ts',
    'context.update((before) => putBack(before, range, failed));',
    'void putBack;\n  context.update((before) => replaceRange(before, range));',
    12,
  ),
  {
    name: 'polls never read what shows late',
    edits: ['to: Math.max(now, newest ?? now, cursor)', 'to: Math.max(now + PLAUSIBLE_AHEAD, cursor)'].map(
      (to) => ({
        file: 'shared/position/position.ts',
        search: `from: cursor, ${to}`,
        replace: `from: Math.max(cursor, Math.min(newest ?? now, now) - OVERLAP), ${to}`,
      }),
    ),
    seed: 76,
  },
  bug(
    'walks do not miss the groups that a range lacks',
    'shared/lanes/list-check.ts',
    'if (suspects.length === 0) return 0;',
    'if (suspects.length >= 0) return 0;',
    5,
  ),
  bug(
    'a place that was set aside is never read again',
    'shared/position/places.ts',
    'const LEFT_OUT_FOR = 10 * MINUTE;',
    'const LEFT_OUT_FOR = 100_000 * MINUTE;',
    48,
  ),
  bug(
    'a process that takes the lease begins with a full bucket',
    'shared/lanes/start-tick.ts',
    'if (known !== undefined) requests.empty();',
    '',
    154,
  ),
];

const COMPARING: readonly Bug[] = [
  bug(
    'a reading that differs is published however soon after the last reading it comes',
    'shared/comparing/stale-reads.ts',
    'return sentAt >= receivedAt + settle;',
    'return sentAt + settle >= receivedAt;',
    10,
  ),
  bug(
    'digests hide what the lists of a group hold, but for its length',
    'shared/comparing/digest.ts',
    'for (const element of value) mixValue(element, lanes);',
    'void 0;',
    2,
  ),
  bug(
    'a group with a missing entity has a digest, which hides the note',
    'shared/comparing/make-save.ts',
    '...(isWhole ? { digest',
    '...(isWhole || next ? { digest',
    85,
  ),
  bug(
    'a silent source announces entities that are older than the feed',
    'shared/recording/compare-page.ts',
    'emits: isEmitting,',
    'emits: true,',
    'test/shared/recording/record-page.test.ts',
  ),
  bug(
    'events of a shipment leave out its last item',
    'shared/comparing/event-context.ts',
    'of on.slice(0, MAX_ITEMS))',
    'of on.slice(0, Math.min(MAX_ITEMS, on.length - 1)))',
    1,
  ),
  bug(
    'events of an item show another shipment than its own',
    'shared/comparing/event-context.ts',
    '(shipment_id === null ? undefined : shipments.get(shipment_id)) ?? naming.get(id)',
    '[...shipments.values()].at(-1) ?? naming.get(id)',
    2,
  ),
  bug(
    'what existed before the feed began is published without saying so',
    'shared/comparing/compare-reading.ts',
    'announceGroup(projection, isOld)',
    'announceGroup(projection, isOld && reading.updatedAt < 0)',
    3,
  ),
  bug(
    'a change names all fields that were ever watched as changed',
    'shared/comparing/make-event.ts',
    'changed: Object.keys(change.previous)',
    'changed: [...Object.keys(change.previous), "status"]',
    1,
  ),
];

/** Values of other kinds than documented, and absent ones. */
const VALUES: readonly Bug[] = [
  bug(
    'a list that holds an entity that can’t be read shows that others are gone',
    'shared/comparing/change-set.ts',
    'if (seen.length < now.length) {',
    'if (now.length < 0) {',
    'test/shared/comparing/left-out-values.test.ts',
  ),
  bug(
    'an absent field is null, though answers show it everywhere or nowhere',
    'shared/comparing/known-fields.ts',
    'isRecent(asNull) || (isRecent(at) && !isRecent(inPart))',
    'isRecent(asNull) && at === inPart',
    'test/shared/recording/record-page.test.ts',
  ),
];

const GUARDING: readonly Bug[] = [
  bug(
    'answers to an unproved token are trusted',
    'shared/guarding/identity.ts',
    'if (cell.state.seenWith === accessHash) return true;',
    'if (accessHash !== undefined) return true;',
    49,
  ),
  bug(
    'a group is published as removed after one look-up',
    'shared/lanes/look-ups.ts',
    'if (absentSince === undefined)\n' +
      '      return change(groupId, { absentSince: page.receivedAt, dueAt: page.receivedAt + settle });\n' +
      '    const early = absentSince + settle - page.sentAt;\n' +
      '    if (early > 0) return change(groupId, { dueAt: run.now() + early });\n' +
      '    await remove(groupId, page, absentSince);',
    'await remove(groupId, page, absentSince ?? page.sentAt);',
    486,
  ),
  bug(
    'a mass change is held for ever',
    'shared/guarding/brake.ts',
    "if (hold?.phase !== 'holding' || now < hold.since + MASS_CHANGE_HOLD) return state;",
    "if (hold?.phase !== 'holding' || now > 0) return state;",
    55,
  ),
  {
    name: 'a mass change that was held long enough trips the brake again',
    edits: [
      {
        file: 'shared/guarding/brake.ts',
        search: "return { ...setPhase(state, hold, 'publishing', now), lanes };",
        replace: 'return { ...state, lanes, holds: state.holds.filter((each) => each !== hold) };',
      },
      {
        file: 'shared/guarding/brake.ts',
        search: "holdBack({ ...state, compared: '' },",
        replace: 'holdBack({ ...state, compared },',
      },
    ],
    seed: 55,
  },
  bug(
    'adopt forgets what was published',
    'shared/comparing/changes.ts',
    'if (quiet) filled[field] = published;',
    'if (quiet && adopts) continue;\n    if (quiet) filled[field] = published;',
    3129,
  ),
];

const DISPATCHING: readonly Bug[] = [
  bug(
    'the dispatcher leaves out one source in a thousand',
    'shared/dispatching/plan-minute.ts',
    'const planned = sources.map(',
    'const planned = sources.filter((_, at) => at % 1_000 !== 499).map(',
    'test/simulation-of-sources/many-sources.test.ts',
  ),
  bug(
    'in a shard one source that fails makes the others fail',
    'functions/poller/poll-shard.ts',
    "log.warn('A quick tick failed; a long one follows.', { source: to.source, error });",
    'throw error;',
    'test/functions/dispatcher/dispatcher.test.ts',
  ),
];

const QUICK_TICKS: readonly Bug[] = [
  bug(
    'a quick tick saves without the lease',
    'shared/poll-quickly.ts',
    'await take();\n      return store.save(key, save);',
    'return store.save(key, save);',
    'test/shared/poll-quickly.test.ts',
  ),
  bug(
    'a quick tick that finds no new row writes nothing, whatever else it found',
    'shared/poll-quickly.ts',
    'return JSON.stringify(lastingOf(before)) === JSON.stringify(lastingOf(state));',
    'return true;',
    'test/shared/poll-quickly.test.ts',
  ),
];

const PUBLISHING: readonly Bug[] = [
  {
    name: 'a reader gets the state of before with the number of after',
    edits: [
      ['if (now?.version !== snapshot.version) continue;', 'if (now === undefined) continue;'],
      [
        'makeReturnMessage(key, snapshot, changes)',
        'makeReturnMessage(key, { ...snapshot, sequence: now.sequence }, changes)',
      ],
    ].map(([search = '', replace = '']) => ({
      file: 'shared/whole-returns/read-return.ts',
      search,
      replace,
    })),
    test: 'test/contract/pulled-returns.test.ts',
  },
  bug(
    'a page of whole returns that is full moves past the next one',
    'shared/pulling/reader-page.ts',
    'endsAt: position - 1',
    'endsAt: position',
    'test/contract/pulled-returns.test.ts',
  ),
  bug(
    'an entry that a batch could not send counts as sent',
    'shared/publishing/relay.ts',
    'if (result?.sent) {',
    "if (result?.sent || result?.cause === 'failed') {",
    3,
  ),
  bug(
    'positions commit out of order at the end of the pull feed',
    'functions/adapters/dynamodb-position-writer.ts',
    'const failed = await writeTogether(options, writes, randomUUID());',
    'const failed =\n' +
      '          (await writeTogether(options, writes.slice(0, 1), randomUUID())) ??\n' +
      '          (await writeTogether(options, writes.slice(1), randomUUID()));',
    'test/contract/dynamodb-positions.test.ts',
  ),
];

/** What the feed claims to have read, and whether it lies. */
const CLAIMS: readonly Bug[] = [
  bug(
    'places that were left out are not asked for, and count as read',
    'shared/lanes/poll-lanes.ts',
    'const stack = [...cutAt(range, lane().cuts), ...asked];',
    'const stack = cutAt(range, lane().cuts);',
    12,
  ),
  bug(
    'a place ends with any round that begins after its ten minutes',
    'shared/position/places.ts',
    'leftOutUntil(known) <= asOf && (isInside(known, range) || (asks && known.isLeftOut));',
    'leftOutUntil(known) <= asOf;',
    415,
  ),
  bug(
    'places do not count as left out',
    'shared/position/claims.ts',
    'fields.length + position.places.length',
    'fields.length',
    12,
  ),
  bug(
    'missing groups that are still looked up do not count as left out',
    'shared/position/claims.ts',
    'position.places.length + unknown.length',
    'position.places.length',
    'test/shared/position/claims.test.ts',
  ),
  bug(
    'held changes do not count as held',
    'shared/position/claims.ts',
    'sum + Math.max(1, count), 0)',
    'sum + 0 * count, 0)',
    55,
  ),
  bug(
    'a round stands for the moment of its end',
    'shared/position/position.ts',
    'Math.max(before, asOf) : asOf;',
    'Math.max(before, now) : now;',
    1,
  ),
  bug(
    'walks over recent groups begin 45 days before now, whenever older ones were walked',
    'shared/position/position.ts',
    'Math.min(readAt.older ?? now, now) - RECENT',
    'now - RECENT',
    182,
  ),
  bug(
    'the feed begins by the local clock',
    'shared/position/position.ts',
    'const { low, high } = newest ?? { low: empty, high: empty };',
    'const [low, high] = [now, now];',
    72,
  ),
  bug(
    'polls that are set back are moved on by the stamps that were known before',
    'shared/position/position.ts',
    'newest, newestAt: [], passed: [] };',
    'newest, passed: [] };',
    'test/shared/position/position.test.ts',
  ),
  bug(
    'the newest stamp never falls',
    'shared/position/position.ts',
    'const newest = newestOf([position.newest, ...stamps], at);',
    'const newest = Math.max(position.newest ?? 0, ...stamps.filter((stamp) => isPlausible(stamp, at)));',
    'test/shared/position/position.test.ts',
  ),
  bug(
    'the brake judges within four hours, however rare walks are',
    'shared/guarding/brake.ts',
    'Math.max(JUDGED_WITHIN, twoWalks)',
    'JUDGED_WITHIN',
    'test/shared/guarding/brake.test.ts',
  ),
];

/** How old answers are. */
const AGES: readonly Bug[] = [
  bug(
    'an answer that a cache has kept is as new as any',
    'shared/pacing/requests.ts',
    '{ sentAt: sentAt - age - SECOND, receivedAt: receivedAt - age }',
    '{ sentAt: sentAt - 0 * SECOND, receivedAt }',
    59,
  ),
  bug(
    'a stamp before the known one counts as that does',
    'shared/comparing/compare-reading.ts',
    'if (isOlder(reading, snapshot) && !options.acceptsOlder)',
    'if (isOlder(reading, snapshot) && options.settle < 0)',
    166,
  ),
  bug(
    'groups that answers show with older stamps do not count as left out',
    'shared/position/claims.ts',
    '(absentSince ?? olderSince) !== undefined',
    'absentSince !== undefined && olderSince !== 0',
    'test/shared/position/claims.test.ts',
  ),
  bug(
    'look-ups are answered by caches',
    'shared/lanes/look-ups.ts',
    '{ tries: TRIES, skipsCaches: true }',
    '{ tries: TRIES }',
    'test/shared/lanes/look-ups.test.ts',
  ),
  bug(
    'two look-ups of a missing group ask the same of a cache',
    'shared/lanes/look-ups.ts',
    'return limit - (minutes % Math.ceil(limit / 2));',
    'return minutes < 0 ? limit : undefined;',
    'test/shared/lanes/look-ups.test.ts',
  ),
  bug(
    'an older stamp is news an hour later, whatever shows between',
    'shared/recording/look-up-queue.ts',
    'olderSince <= at && known.has(groupId)',
    'olderSince < 0 && known.has(groupId)',
    'test/shared/lanes/look-ups.test.ts',
  ),
  bug(
    'a mass change that is over publishes what a copy shows that lags',
    'shared/recording/compare-page.ts',
    "const since = phase === 'holding' ? lookedUp : snapshot.receivedAt;",
    "const since = phase === 'holding' ? lookedUp : 0;\n    if (phase !== 'holding') return true;",
    'test/shared/recording/record-page.test.ts',
  ),
  bug(
    'the cursor moves by the beginning of a round, however old its answers are',
    'shared/position/position.ts',
    'moveCursor(closed, asOf, reach)',
    'moveCursor(closed, startedAt, reach)',
    'test/shared/position/position.test.ts',
  ),
];

/** How often the feed reads, and which request comes first. Measured by tests: the simulation judges no delay. */
const PACE: readonly Bug[] = [
  bug(
    'a piece that lacks a group teaches how long pages are',
    'shared/lanes/list-check.ts',
    'if (missing.length > 1 && shown.size >= FEWEST_ROWS)\n' +
      '    run.update((state) => ({ ...state, room: forgetRoom(state.room) }));',
    'const planned = Math.max(FEWEST_ROWS, shown.size);\n' +
      '  run.update((state) => ({ ...state, room: { ...forgetRoom(state.room), planned } }));',
    'test/shared/lanes/requests-of-removals.test.ts',
  ),
  bug(
    'polls of the newest changes forget what they left',
    'shared/lanes/poll-lanes.ts',
    'fresh.left = rest.length <= MOST_LEFT ? rest : [];',
    'fresh.left = rest.length < 0 ? rest : [];',
    'test/shared/lanes/poll-lanes.test.ts',
  ),
  bug(
    'polls of the newest changes begin behind the newest stamp of any page',
    'shared/lanes/poll-lanes.ts',
    'newest ??= newestOf([fresh.newest,',
    'newest = newestOf([newest, fresh.newest,',
    'test/shared/lanes/poll-lanes.test.ts',
  ),
  bug(
    'walks before their time have a share of the budget for certain',
    'shared/pacing/turns.ts',
    "order === 'overdue' || order === 'due';",
    "order !== 'first';",
    'test/shared/pacing/turns.test.ts',
  ),
  bug(
    'nothing of the budget is kept for polls of the newest changes',
    'shared/pacing/bucket.ts',
    'kept: Math.floor(depth / 2),',
    'kept: 0,',
    'test/shared/pacing/turns.test.ts',
  ),
  bug(
    'walks keep their rhythm, however cheap they are',
    'shared/source/rhythms.ts',
    'return Math.min(promised, Math.max(pace.intervalMs * MILLISECOND, cheap));',
    'return Math.max(promised, 0 * cheap);',
    'test/shared/source/rhythms.test.ts',
  ),
  bug(
    'a pause that the service does not time takes 15 seconds',
    'shared/pacing/requests.ts',
    'SHORTEST_PAUSE_MS * 2 ** (untimedPauses - 1)',
    '15 * SHORTEST_PAUSE_MS',
    'test/shared/pacing/requests.test.ts',
  ),
];

export const BUGS: readonly Bug[] = [
  ...WEAKNESSES,
  ...READING,
  ...COMPARING,
  ...VALUES,
  ...GUARDING,
  ...DISPATCHING,
  ...QUICK_TICKS,
  ...PUBLISHING,
  ...CLAIMS,
  ...AGES,
  ...PACE,
];
