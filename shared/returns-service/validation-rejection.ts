// The body of a 422 (returns-data-service.md, "Errors") in words. Does not rely on the documented shape: parts that are
// missing are left out.
import { isJsonObject } from './json.ts';
import type { Redact } from './redaction.ts';
import { HARMLESS_PARAMETERS } from './return-groups-query.ts';

const MAX_ITEMS = 5;
const MAX_MESSAGE_CHARACTERS = 160;
/** Longer texts are no message, and not worth the time to search. */
const MAX_READ_CHARACTERS = 1_000;
const PARAMETER_NAME = /^[A-Za-z0-9_.-]{1,60}$/;
const ERROR_TYPE = /^[A-Za-z0-9_.-]{1,60}$/;

/**
 * Returns one sentence without a full stop; empty if the body says nothing.
 *
 * @param body the decoded body; undefined if it was not JSON
 */
export function describeValidationRejection(body: unknown, redact: Redact): string {
  const detail = isJsonObject(body) && Array.isArray(body.detail) ? body.detail : [];
  const items = detail.slice(0, MAX_ITEMS).filter(isJsonObject);
  return items.map((item) => describe(item, parameterOf(item.loc, redact), redact)).join('; ');
}

function parameterOf(loc: unknown, redact: Redact): string | undefined {
  if (!Array.isArray(loc)) return undefined;
  const name: unknown = loc.findLast((step) => typeof step === 'string');
  return typeof name === 'string' && PARAMETER_NAME.test(name) && redact(name) === name ? name : undefined;
}

/**
 * Keeps the service's own words for parameters whose value is a number or a stamp from the feed. For other parameters
 * they may repeat an e-mail address, in any form, so only the error's type is shown.
 */
function describe(
  item: Readonly<Record<string, unknown>>,
  parameter: string | undefined,
  redact: Redact,
): string {
  const place = parameter ?? 'a parameter';
  const { msg, type } = item;
  const isHarmless = parameter !== undefined && HARMLESS_PARAMETERS.has(parameter);
  if (isHarmless && typeof msg === 'string' && msg.length <= MAX_READ_CHARACTERS) {
    return `${place}: ${shorten(redact(msg.replace(/[\s\p{C}]+/gu, ' ').trim()))}`;
  }
  return typeof type === 'string' && ERROR_TYPE.test(type) ? `${place} (${redact(type)})` : place;
}

function shorten(text: string): string {
  return text.length <= MAX_MESSAGE_CHARACTERS ? text : `${text.slice(0, MAX_MESSAGE_CHARACTERS - 1)}…`;
}
