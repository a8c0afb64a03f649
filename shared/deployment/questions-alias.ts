/**
 * The alias of the poller that operators invoke. Invoked by it, the poller answers questions and takes no ticks, so the
 * right to ask is not the right to make it poll.
 */
export const QUESTIONS_ALIAS = 'questions';
