// What the infrastructure that makes the tables and the adapters that use them must agree on. A table is identified by
// its role; the deployment names it. Attribute names are one letter: they are stored, and paid for, with every item.

export type TableRole = 'snapshots' | 'ledger' | 'marks' | 'sources';

/** The name of each table in one deployment. */
export type TableNames = Readonly<Record<TableRole, string>>;

export interface KeyAttribute {
  readonly name: string;
  readonly type: 'S' | 'N';
}

/** An index that projects the keys. Items without its attributes are not in it. */
export interface IndexShape {
  readonly name: string;
  readonly partitionKey: KeyAttribute;
  readonly sortKey: KeyAttribute;
  /** Attributes that it projects besides the keys. */
  readonly includes?: readonly string[];
}

export interface TableShape {
  readonly partitionKey: KeyAttribute;
  readonly sortKey?: KeyAttribute;
  readonly index?: IndexShape;
  /** The attribute with the second, since 1970, after which an item may be deleted. */
  readonly timeToLive?: string;
  /** The part of a written item that the table's stream holds. */
  readonly stream?: 'NEW_IMAGE';
}

const KEY = { name: 'k', type: 'S' } as const;

export const TABLES = {
  /**
   * One item per group, under its {@link formatGroupKey key}. The index holds the groups that were not removed, by their
   * creation, with their digests.
   */
  snapshots: {
    partitionKey: KEY,
    index: {
      name: 'created',
      partitionKey: { name: 'i', type: 'S' },
      sortKey: { name: 'c', type: 'N' },
      includes: ['g'],
    },
  },
  /** An item per event or for several, under their group's key and the last number. The one table with a stream. */
  ledger: {
    partitionKey: KEY,
    sortKey: { name: 'n', type: 'N' },
    timeToLive: 'x',
    stream: 'NEW_IMAGE',
  },
  /**
   * One item per destination and group: `<destination>#<group key>`; also each webhook's `<id>#endpoint` and
   * `<id>#test`, and of the pull feed one per position, which alone expires. The index holds the groups that are behind, by destination, with all that is said about them: they are
   * few, and a list of them needs no other read.
   */
  marks: {
    partitionKey: KEY,
    index: {
      name: 'behind',
      partitionKey: { name: 'd', type: 'S' },
      sortKey: KEY,
      includes: ['n', 'r', 's'],
    },
    timeToLive: 'x',
  },
  /**
   * Of each source its entry (`directory/<name>`), its state (`source/<name>`), its operators' searches (`search/<name>`)
   * and its activity (`activity/<name>`); also the readers of the pull feed (`reader/<name>`). The index lists entries and
   * readers with all that is in them.
   */
  sources: {
    partitionKey: KEY,
    index: {
      name: 'directory',
      partitionKey: { name: 'd', type: 'S' },
      sortKey: KEY,
      includes: ['n', 'v', 'o', 'p', 'b'],
    },
  },
} as const satisfies Record<TableRole, TableShape>;
