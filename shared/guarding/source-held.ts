/** Thrown where nothing of a source may be read until it was seen to be itself again, or was released. */
export class SourceHeld extends Error {
  override readonly name = 'SourceHeld';
}
