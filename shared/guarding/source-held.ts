/**
 * Thrown when a source may not be read: until known groups are found again, until its hold is released, or for the rest of
 * a tick in which the token keeps changing.
 */
export class SourceHeld extends Error {
  override readonly name = 'SourceHeld';
}
