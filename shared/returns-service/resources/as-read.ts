// How the feed reads a resource, as a type: fewer fields than the document promises, and less trust in them. Fields
// that are never published (addresses, notes, answers, tags, most amounts) are not read at all.

/** A field that may be absent, undefined or null: all three say nothing. */
export type Lenient<Value> = Value | null | undefined;

/** The needed fields as documented, the others if they are there. */
export type Read<Documented, Needed extends keyof Documented, Other extends keyof Documented> = {
  readonly [Field in Needed]: Documented[Field];
} & {
  readonly [Field in Other]?: Lenient<Documented[Field]>;
};
