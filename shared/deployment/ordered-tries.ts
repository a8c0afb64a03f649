/** How often an ordered subscriber gets an event before the event goes to the dead-letter queue. */
export const ORDERED_TRIES = 10;
