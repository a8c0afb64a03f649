/** Thrown when a source may not be read until known groups are found again, or its hold is released. */
export class SourceHeld extends Error {
  override readonly name = 'SourceHeld';
}
