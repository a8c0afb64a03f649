// The bounds of the feed that more than one file needs, each with its reason. Promised values (lookback, settle,
// budget) come from the source's settings; the bounds here are not for users to change. R1 to R7 are the rules of
// reading in docs/architecture.md.
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';

/** Groups requested at once: more than any known page. If a service sends fewer, reading follows it. */
export const PAGE_LIMIT = 200;
/** Rows of the previous page that a page repeats, so that a shift of the list shows (R2). */
export const SEAM_ROWS = 3;
/** Repeated rows in a range of creation, which rows almost never leave: there one shows a shift as well as three. */
export const SEAM_ROWS_BY_CREATION = 1;
/** A page below both of these ends a poll's list: no service cuts a page that small (R1). */
export const SHORT_PAGE_ROWS = 10;
export const SHORT_PAGE_BYTES = 64 * 1024;
/** Pages of one range. A longer one takes so long that too many rows leave it while it is read (R3). */
export const MAX_RANGE_PAGES = 50;
/**
 * Pages of a range at least, even if a tick manages few requests: in shorter ranges seams and proofs take almost all.
 */
export const FEWEST_RANGE_PAGES = 8;
/** Pages of a range of a walk over all groups, which rows almost never leave: what a tick has the budget for (R3). */
export const MAX_WALK_PAGES = 160;
/** A walk's range with time for fewer pages is left to the next tick: finding its end takes four requests. */
export const FEWEST_WALK_PAGES = 20;
/** Pages of a range that is too narrow to be cut: rows that changed all at once have to be read all at once. */
export const MAX_CROWD_PAGES = 1_000;
/** Pages of a poll that is read at once, up to its open end, because little is expected. */
export const MAX_OPEN_PAGES = 5;
/** Requests of a poll that found little: one page and its proof. After one with more, news are read first. */
export const LITTLE_REQUESTS = 3;
/** Pages of an open tail: it is read for its news only, closed ranges do the covering. */
export const MAX_TAIL_PAGES = 20;
/** A range is closed if it ends at least this long before the stamps' clock (R3). */
export const CLOSED_AFTER = 10 * SECOND;
/** A range that ends longer ago than any clock or time zone can be off is closed whatever the stamps say (R3). */
export const CLOSED_FOR_SURE_AFTER = 26 * HOUR;
/** How far stamps may run ahead of `Date` before it is learned; polls request further ahead than this anyway. */
export const SMALLEST_LEAD = 30 * MINUTE;
/** Neighbouring ranges share a second, for bounds that exclude and stamps that are rounded (R4). */
export const RANGE_OVERLAP = SECOND;
/** A range this narrow is no longer cut by time (R5). */
export const NARROWEST_RANGE = 4 * SECOND;
/** Requests for a range that keeps changing, cut into pieces; after these the rest is left to the next try (R5). */
export const MAX_COVER_REQUESTS = 1_000;
/** Requests for a piece that keeps changing and can't be cut; after these it stays unproved and is tried later (R5). */
export const MAX_COUNTING_REQUESTS = 1_000;

/** How far beyond the service's time, plus the stamps' lead, polls read: so no stamp a little ahead is missed. */
export const ASK_AHEAD = HOUR;
/** How far polls read ahead while stamps have no zone and the service's offset is not known yet. */
export const ASK_AHEAD_WITHOUT_ZONE = 15 * HOUR;

/** Groups whose events are saved at the same time; more would only queue up in the store's client. */
export const SAVES_AT_ONCE = 16;
/** Entries of one SendMessageBatch or PutEvents call. */
export const MAX_BATCH_ENTRIES = 10;

/** Events of one group that a relay reads at once. */
export const RELAY_READ_EVENTS = 100;
/**
 * Times that one run of a relay tries to send an event that the destination does not take; then its record comes again.
 */
export const SEND_ATTEMPTS = 5;
/** The longest pause before the second try; it doubles before each further one (full jitter). */
export const SEND_PAUSE_MS = 100;
/** Times that a sender of a webhook tries to save the endpoint's state, which other senders save as well. */
export const ENDPOINT_SAVE_ATTEMPTS = 8;
/** A gap in the ledger that is the same after this time is no half-visible transaction: those last milliseconds. */
export const GAP_IS_LOST_AFTER_MS = 60_000;
/** Groups whose marks a sweep reads at once: twice the connections that the SDK keeps. */
export const SWEEP_GROUPS = 100;
/** Gaps that a sweep looks at again, in all and of one group; more are left to the next sweep. */
export const SWEEP_GAPS = 10_000;
export const MAX_GAPS_PER_GROUP = 5;
/** Numbers tried for an event of the feed; one is taken when another process has just appended an event. */
export const MAX_APPEND_ATTEMPTS = 20;

/**
 * Bytes of one answer, decompressed: 200 groups of 80 KB each. Together with the next two bounds they keep what one
 * answer takes below 150 MB (answer-memory.test.ts).
 */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/**
 * What an answer may hold; entities are its rows' shipments, items and refunds. 16 MiB of groups with all fields hold
 * 2,600 rows, 42,000 entities and 830,000 values, and 200 groups of 500 refunds 100,000 entities.
 */
export const ANSWER_BOUNDS = { rows: 20_000, entities: 120_000, values: 1_000_000 };
/** What a row may hold: a group of 500 line items has 14,000 objects and 40,000 values. */
export const ROW_BOUNDS = { entities: 10_000, objects: 50_000, values: 150_000, levels: 64 };
/** Characters (code points) of a name, a reason or a customer's address in an event; the rest is cut off. */
export const MAX_CONTEXT_CHARACTERS = 1_000;
/** Characters of an id or a code. A longer one is something else: cut it would be another, so it counts as absent. */
export const MAX_CODE_CHARACTERS = 1_024;
/** Time limit of a request by default. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** How long the ledger keeps events. A destination that was away longer has lost some, and gets a report of it. */
export const LEDGER_RETENTION = 30 * 24 * HOUR;
/**
 * How long it keeps a report of what is read, which is stale a minute later: as long as the stream keeps its records.
 */
export const READ_RETENTION = DAY;

/** A source counts as degraded if nothing was settled for this long or three intervals, whichever is longer. */
export const DEGRADED_AFTER = 5 * MINUTE;

/**
 * A slot is never this far ahead unless a clock was wrong: ticks are due within a minute of being sent, wait for ten
 * minutes at most, and clocks of machines are minutes apart at most.
 */
export const SLOT_TOO_FAR_AHEAD = HOUR;
/**
 * How far the clocks of two senders of a webhook are apart at most: receivers reject signatures that are more than five
 * minutes from their time. A moment further in the future comes from a wrong clock.
 */
export const CLOCKS_APART = 10 * MINUTE;

/** Groups recorded as set aside. Every walk reads each of them again; the record is for operators. */
export const MAX_SET_ASIDE = 500;
/** Set-aside groups are reported again once there are more than this many times the number last reported. */
export const ANOTHER_SET_ASIDE_TIMES = 2;
/** Findings of drift reported for a source; a service with more has another document. */
export const MAX_DRIFT_REPORTED = 200;

/** Groups created within this time are reconciled often: nearly all that are still open are among them. */
export const RECENT = 45 * DAY;
/** Share of the budget that a walk over all groups may take and still be done in every cycle. */
export const WHOLE_WALK_SHARE = 0.5;
/** Share of the budget that the walk over all groups keeps to if it takes longer than a cycle. */
export const SLOW_WALK_SHARE = 0.2;
/** Share of the budget that the walk over older open groups keeps to: in ten minutes nearly five hundred of them. */
export const OPEN_WALK_SHARE = 0.2;
/** Pages of open groups are read only if they take at least this many requests less than the groups' look-ups. */
export const REQUESTS_SAVED_BY_PAGES = 3;
/**
 * Groups, or entities, that may be gone in one cycle, or this share of all groups if that is more; still more look like
 * a fault.
 */
export const MAX_REMOVALS = 20;
export const MAX_REMOVAL_SHARE = 0.01;
/** Known groups of a range that shows none of them; fewer may have been removed together, as a test order's are. */
export const FEWEST_OF_EMPTY_RANGE = 5;
/** Known groups that are looked up before a source counts as another store: any of them may have been removed. */
export const MAX_CANARIES = 5;
/** How far a known group's creation may have moved, by whole zones, and still be the same group. */
export const SAME_CREATION_WITHIN = 15 * HOUR;
/** Improbable: more than half of the groups of a range or walk, and more than a few, differ without a newer stamp. */
export const IMPROBABLE_SHARE = 0.5;
export const FEWEST_IMPROBABLE = 20;
/** And more than this many times as many differ as usually do in the same time. */
export const UNUSUAL_TIMES = 4;
/** The usual rate is the highest of the last days: it halves in this time. */
export const USUAL_HALVES_IN = DAY;
/** Changes that wait for their range to be judged: about 15 MB. With more, it is judged by the changes so far. */
export const MAX_WAITING_CHANGES = 5_000;
/** A hold that grows beyond so many times its size is another one, which an old command must not release. */
export const ANOTHER_HOLD_TIMES = 2;
/** Suspects of a hold that are shown to the operator who decides, and characters of a value. */
export const MAX_HOLD_SAMPLES = 10;
export const MAX_SAMPLE_VALUE = 60;
/** Width of a walk's first range: more than the age of any service's groups. The range itself has no start. */
export const FIRST_WIDTH = 32 * 365 * DAY;

/** Minutes and return groups of a source's stored activity: what a page shows, and 2 KB hold. */
export const MAX_ACTIVE_MINUTES = 60;
export const MAX_RECENT_GROUPS = 50;
/** While a source is at work, its activity is written at most this often, which is enough for the console. */
export const ACTIVITY_EVERY_MS = 5_000;
