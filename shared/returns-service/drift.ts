// Finds where a service deviates from its document. The feed works all the same (unknown values are passed on, unknown
// fields left out, values of another kind converted or set aside), but operators should know. A finding holds only names of
// fields and values of enumerations, and only if they look like one: everything else in a row may be personal.
import {
  type DocumentedField,
  type DocumentedResource,
  documentedReturnGroup,
} from './documented-resource.ts';
import {
  CREDIT_METHODS,
  EXCHANGE_STATUSES,
  RETURN_OUTCOMES,
  RETURN_STATUSES,
  SHIPMENT_STATUSES,
} from './enumerations.ts';
import { isNullAlone, type Lenient, shown, UNREADABLE } from './field-kinds.ts';
import { isJsonObject, type JsonObject, kindOf } from './json.ts';
import type { ReturnGroup } from './read-row.ts';

/** The most findings of one row, and of a page's unlisted values; a service with more deviations is another service. */
const MAX_FINDINGS = 40;
/**
 * The form of a field's name: snake_case or camelCase. A map with free keys, such as one by customer, has keys with
 * blanks, signs, dots, initial capitals or many digits. They may be names, addresses and numbers of people, so they are
 * reported without being shown.
 */
const FIELD_NAME = /^[a-z][A-Za-z0-9_]{0,39}$/;
/**
 * The form of an enumeration's value, like the listed ones: one word of one case. Free text, including names of people,
 * has blanks or mixed case, and is reported without being shown. An unlisted constant in mixed case is not shown
 * either: the event carries it anyway, and drift only has to report that there is one.
 */
const CONSTANT = /^(?:[A-Z][A-Z0-9_-]{0,39}|[a-z][a-z0-9_+-]{0,39})$/;
/** More digits may be a person's number. */
const MAX_DIGITS = 4;

type Findings = Set<string>;

/**
 * The deviations of a row from its document, such as `shipment.status=LOST` (an unlisted value), `shipment.locker_code`
 * (an unlisted field) and `order.name is a whole number` (a value of another kind). Walks the whole row: use it for a
 * few rows of a page, and {@link findUnlistedValues} for all of them.
 *
 * @param raw the element of the answer that `group` was read from
 */
export function findDrift(raw: unknown, group: ReturnGroup): string[] {
  const findings: Findings = new Set();
  compareResource(documentedReturnGroup(), raw, group, findings);
  return [...findings];
}

/** @param read undefined if nothing of the resource is read: only undocumented fields and values are then found */
function compareResource(
  resource: DocumentedResource,
  raw: unknown,
  read: unknown,
  findings: Findings,
): void {
  if (!isJsonObject(raw) || findings.size >= MAX_FINDINGS) return;
  const known = isJsonObject(read) ? read : {};
  const unlisted: string[] = [];
  for (const name of Object.keys(raw)) {
    const field = resource.fields.get(name);
    if (field === undefined) unlisted.push(name);
    else compareField(resource, name, field, raw[name], known, findings);
  }
  noteUnlistedFields(resource, raw, unlisted, findings);
}

/** If most fields are unlisted, the object is a map with free keys: none of them is shown. */
function noteUnlistedFields(
  { name: resource, fields }: DocumentedResource,
  raw: JsonObject,
  unlisted: readonly string[],
  findings: Findings,
): void {
  const listed = Object.keys(raw).filter((name) => name !== 'type' && fields.has(name)).length;
  if (unlisted.length > listed) {
    add(findings, `${resource} has more unlisted fields than listed ones`);
    return;
  }
  for (const name of unlisted) {
    const isName = FIELD_NAME.test(name) && hasFewDigits(name);
    add(findings, isName ? `${resource}.${name}` : `${resource} has a field with an odd name`);
  }
}

function hasFewDigits(text: string): boolean {
  return text.replace(/\D/g, '').length <= MAX_DIGITS;
}

function compareField(
  { name: resource }: DocumentedResource,
  name: string,
  field: DocumentedField,
  value: unknown,
  known: JsonObject,
  findings: Findings,
): void {
  if (value === null || value === undefined) return;
  if (Object.hasOwn(known, name)) {
    const deviation = deviationOf(value, known[name]);
    if (deviation !== undefined) add(findings, `${resource}.${name} ${deviation}`);
  }
  if (field.values !== undefined) noteUnlisted(findings, `${resource}.${name}`, value, field.values);
  if (field.resource !== undefined) compareAll(field.resource, value, known[name], findings);
}

/** How a value differs in kind from what was read of it; undefined if it does not. */
function deviationOf(value: unknown, read: unknown): string | undefined {
  if (!Array.isArray(value) || !Array.isArray(read))
    return typeof value === typeof read && read !== UNREADABLE ? undefined : `is ${kindOf(value)}`;
  const isComparable = value.length === read.length || isNullAlone(value);
  const other = isComparable ? value.findIndex((each, index) => typeof each !== typeof read[index]) : -1;
  return other === -1 ? undefined : `holds ${kindOf(value[other])}`;
}

function compareAll(resource: DocumentedResource, raw: unknown, read: unknown, findings: Findings): void {
  if (!Array.isArray(raw)) {
    compareResource(resource, raw, read, findings);
    return;
  }
  // A list that shows an entity twice is read without the copy: its places are others.
  const elements: readonly unknown[] = Array.isArray(read) && read.length === raw.length ? read : [];
  for (const [index, element] of raw.entries()) compareResource(resource, element, elements[index], findings);
}

const CREDIT_METHOD_SET: ReadonlySet<string> = new Set(CREDIT_METHODS);
const RETURN_OUTCOME_SET: ReadonlySet<string> = new Set(RETURN_OUTCOMES);
const SHIPMENT_STATUS_SET: ReadonlySet<string> = new Set(SHIPMENT_STATUSES);
const RETURN_STATUS_SET: ReadonlySet<string> = new Set(RETURN_STATUSES);
const EXCHANGE_STATUS_SET: ReadonlySet<string> = new Set(EXCHANGE_STATUSES);

/**
 * The part of {@link findDrift} that is cheap enough for every row: unlisted watched values. Methods and RMA platforms
 * of partners are left out: the document has placeholders for them, so any real one is unlisted.
 */
export function findUnlistedValues(group: ReturnGroup, findings: Findings = new Set()): Findings {
  noteUnlisted(findings, 'return_group.credit_method', group.credit_method, CREDIT_METHOD_SET);
  noteUnlisted(findings, 'return_group.return_outcome', group.return_outcome, RETURN_OUTCOME_SET);
  noteStatuses(findings, 'shipment.status', group.shipments, SHIPMENT_STATUS_SET);
  noteStatuses(findings, 'return_line_item.status', group.returns, RETURN_STATUS_SET);
  noteStatuses(findings, 'exchange_line_item.status', group.exchange_line_items, EXCHANGE_STATUS_SET);
  return findings;
}

function noteStatuses(
  findings: Findings,
  place: string,
  entities: Lenient<readonly ({ readonly status: string } | false)[]>,
  listed: ReadonlySet<string>,
): void {
  if (!shown(entities)) return;
  for (const entity of entities)
    if (entity !== UNREADABLE) noteUnlisted(findings, place, entity.status, listed);
}

function noteUnlisted(findings: Findings, place: string, value: unknown, listed: ReadonlySet<string>): void {
  if (typeof value !== 'string' || listed.has(value)) return;
  const isConstant = CONSTANT.test(value) && hasFewDigits(value);
  add(findings, isConstant ? `${place}=${value}` : `${place} has an odd value`);
}

function add(findings: Findings, finding: string): void {
  if (findings.size < MAX_FINDINGS) findings.add(finding);
}
