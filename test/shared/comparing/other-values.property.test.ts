// Rows of which one value is any other JSON: what can't be read costs its field or entity, never another one.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntityEvent, EVENT_SCHEMAS } from '../../../shared/contract/event.ts';
import { MINUTE } from '../../../shared/instant.ts';
import { DOCUMENTED_RESOURCES } from '../../../shared/returns-service/documented-resources.ts';
import { parseReturnGroup } from '../../../shared/returns-service/parse-return-group.ts';
import { runs } from '../../property-runs.ts';
import { arbitraryOf } from '../returns-service/arbitrary-of-schema.ts';
import { read, snapshotOf, take } from './a-reading.ts';

type Fields = Record<string, unknown>;
type Path = readonly string[];

const KINDS: Readonly<Record<string, string>> = {
  returns: 'return_line_item',
  shipments: 'shipment',
  exchange_line_items: 'exchange_line_item',
  refund_transactions: 'refund_transaction',
};

const wholeRows = arbitraryOf(DOCUMENTED_RESOURCES.ReturnGroup)
  .map((row) => row as Fields)
  .filter((row) => {
    const parsed = parseReturnGroup(row);
    return parsed.kind === 'readable' && parsed.faults.length === 0;
  });

const likely = fc.constantFrom<unknown>(
  ...[
    null,
    '',
    [],
    [null],
    {},
    [{}],
    0,
    1,
    -1,
    1.5,
    2 ** 53,
    true,
    '7',
    '1.50',
    '007',
    '1e3',
    'yesterday',
    [7],
    ['7'],
  ],
  ...['2026-11-20T10:15:03Z', { amount: '1' }, { id: 7, status: 'OPEN' }],
);

interface Changed {
  readonly row: Fields;
  readonly other: Fields;
  readonly path: Path;
}

const changedRows: fc.Arbitrary<Changed> = fc
  .tuple(wholeRows, fc.nat(), fc.oneof(likely, fc.jsonValue()))
  .map(([row, choice, value]) => {
    const places = [...placesIn(row)];
    const path = places[choice % places.length] ?? [];
    const other = structuredClone(row);
    const holder = path.slice(0, -1).reduce<Fields>((inner, name) => inner[name] as Fields, other);
    // A service may leave a value out as well.
    if (value === '') delete holder[path.at(-1) ?? ''];
    else holder[path.at(-1) ?? ''] = value;
    return { row, other, path };
  });

function* placesIn(value: unknown, path: Path = []): Generator<Path> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* placesIn(inner, [...path, name]);
}

/** Whether an event is of the changed place: of its field, or of its entity if that is another one. */
function isOfPlace({ type, data }: EntityEvent, { row, other, path }: Changed): boolean {
  const [list = '', index = '', field] = path;
  const changed: readonly string[] = 'changed' in data ? data.changed : [];
  const kind = KINDS[list];
  if (kind === undefined) return type === 'return_group.updated' && changed.every((name) => name === list);
  if (!type.startsWith(`${kind}.`)) return false;
  if (index === '' || kind === 'refund_transaction') return true;
  const ids = [row, other].map((each) => (each[list] as Fields[])[Number(index)]?.id);
  const isItsEntity = ids.some((id) => String(id) === String(Reflect.get(data.object, 'id')));
  const isItsField = changed.length > 0 && changed.every((name) => name === field);
  return isItsEntity && (field === undefined || field === 'id' || isItsField);
}

describe('a row with another value at one place', () => {
  it('can be read if its id and `created_at` can, and makes no event of any other place', {
    timeout: 600_000,
  }, () => {
    fc.assert(
      fc.property(changedRows, fc.boolean(), (changed, isStamped) => {
        const { row, other } = changed;
        const parsed = parseReturnGroup(other);
        if (parsed.kind === 'unreadable') {
          expect(['id', 'created_at']).toContain(changed.path[0]);
          return;
        }
        if (parsed.group.id !== row.id) return;
        const shown = isStamped && typeof other.updated_at === 'string' ? withStamp(other) : other;

        const first = snapshotOf(read(row));
        const second = take(first, read(shown, 2 * MINUTE));
        const third = take(second.snapshot, read(shown, 4 * MINUTE));
        const back = take(third.snapshot, read({ ...row, updated_at: LATER }, 6 * MINUTE));

        for (const event of [...second.events, ...third.events, ...back.events]) {
          expect(isOfPlace(event, changed)).toBe(true);
          EVENT_SCHEMAS[event.type].parse(event);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('has events of the documented form at first sight', () => {
    fc.assert(
      fc.property(changedRows, ({ other }) => {
        if (parseReturnGroup(other).kind === 'unreadable') return;

        const { events } = take(undefined, read(other), { emits: true });

        for (const event of events) EVENT_SCHEMAS[event.type].parse(event);
      }),
      { numRuns: runs(300) },
    );
  });
});

const LATER = '2026-11-21T10:15:03Z';

function withStamp(row: Fields): Fields {
  return { ...row, updated_at: '2026-11-21T10:15:02Z' };
}
