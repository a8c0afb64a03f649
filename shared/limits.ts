// The bounds of the feed that more than one file needs, each with its reason. Promised values (lookback, settle,
// budget) come from the source's settings; the bounds here are not for users to change.
import { DAY, HOUR, MINUTE } from './instant.ts';

/** Groups requested at once: more than any known page. If a service sends fewer, reading follows it. */
export const PAGE_LIMIT = 200;

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
/** Bytes of the items that an event of a shipment lists, as JSON: with them the largest event fits every destination. */
export const MAX_ITEMS_BYTES = 64 * 1024;
/** Order tags in an event, where settings include them. */
export const MAX_TAGS = 50;
/** Characters of a tag, or of a part of an address. */
export const MAX_INCLUDED_CHARACTERS = 200;
/** Characters of an id or a code. A longer one is something else: cut it would be another, so it counts as absent. */
export const MAX_CODE_CHARACTERS = 1_024;
/**
 * Characters of a list of ids in an event, twice where the list changed: 1,700 ids of 16 digits. A row with a longer list
 * is set aside. With the bounds above no event has more than 600,000 bytes, whatever its characters, and every
 * destination takes 1 MiB (largest-event.test.ts).
 */
export const MAX_ID_LIST_CHARACTERS = 32_000;
/** Time limit of a request by default. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** How long the ledger keeps events. A destination that was away longer has lost some, and gets a report of it. */
export const LEDGER_RETENTION = 30 * 24 * HOUR;
/**
 * How long it keeps a report of what is read, which is stale a minute later: as long as the stream keeps its records.
 */
export const READ_RETENTION = DAY;

/**
 * How far the clocks of two senders of a webhook are apart at most: receivers reject signatures that are more than five
 * minutes from their time. A moment further in the future comes from a wrong clock.
 */
export const CLOCKS_APART = 10 * MINUTE;

/** Groups recorded as set aside. Every walk reads each of them again; the record is for operators. */
export const MAX_SET_ASIDE = 500;
/** Findings of drift reported for a source; a service with more has another document. */
export const MAX_DRIFT_REPORTED = 200;
