// Noon by every clock.
import { SECOND } from '../../../shared/instant.ts';
import { UNKNOWN_STAMPS } from '../../../shared/reading/stamps-clock.ts';
import type { StampsState } from '../../../shared/source/source-state.ts';
import { NOON } from './worlds.ts';

/** A clock of the stamps that shows noon at noon. */
export const STAMPS: StampsState = { ...UNKNOWN_STAMPS, newest: NOON, newestReceivedAt: NOON };
/** The end of the closed time. */
export const CLOSED = NOON - 10 * SECOND;
