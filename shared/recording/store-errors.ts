// The errors of a store for which a retry does not help. Any other error that it throws is worth a retry.

/** Thrown by a save whose snapshot or event is larger than the store takes (DynamoDB: 400 KB). Nothing was saved. */
export class TooLargeToStoreError extends Error {
  override readonly name = 'TooLargeToStoreError';
  readonly groupId: number;
  readonly bytes: number;

  constructor(groupId: number, bytes: number) {
    super(`Group ${groupId} takes ${bytes} bytes to store, which is more than the store accepts.`);
    this.groupId = groupId;
    this.bytes = bytes;
  }
}
