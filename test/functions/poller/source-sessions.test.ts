import { describe, expect, it } from 'vitest';
import { createSourceSessions } from '../../../functions/poller/source-sessions.ts';
import type { SourceSession } from '../../../shared/source/source-session.ts';
import { sourceSettings } from '../../../shared/source/source-settings.ts';

function setUp() {
  let opened = 0;
  const sessionOf = createSourceSessions(() => {
    opened += 1;
    return { number: opened } as unknown as SourceSession;
  });
  return { sessionOf };
}

function aSource({ place = 'secret acme', ...settings } = {} as Record<string, unknown>) {
  return {
    settings: sourceSettings.parse({ name: 'acme', baseUrl: 'https://returns.example/api', ...settings }),
    secret: { place: String(place), read: async () => 'token' },
  };
}

describe('the session of a source', () => {
  it('is kept from tick to tick, also when the source is looked up again', () => {
    const { sessionOf } = setUp();

    expect(sessionOf(aSource())).toBe(sessionOf(aSource()));
  });

  it('is replaced when the settings have changed', () => {
    const { sessionOf } = setUp();
    const before = sessionOf(aSource());

    const after = sessionOf(aSource({ requestsPerMinute: 60 }));

    expect(after).not.toBe(before);
    expect(sessionOf(aSource({ requestsPerMinute: 60 }))).toBe(after);
  });

  it('is replaced when the token is kept at another place', () => {
    const { sessionOf } = setUp();
    const before = sessionOf(aSource());

    const after = sessionOf(aSource({ place: 'secret acme-2' }));

    expect(after).not.toBe(before);
    expect(sessionOf(aSource({ place: 'secret acme-2' }))).toBe(after);
  });

  it('is not shared with another source', () => {
    const { sessionOf } = setUp();

    expect(sessionOf(aSource({ name: 'other' }))).not.toBe(sessionOf(aSource()));
  });

  it('is forgotten when a thousand others were used since, and knows how many share its memory', () => {
    const counts: (() => number)[] = [];
    const sessionOf = createSourceSessions((_, count) => ({ number: counts.push(count) }));
    const first = sessionOf(aSource({ name: 'first' }));
    const second = sessionOf(aSource({ name: 'second' }));
    for (let at = 0; at < 998; at++) sessionOf(aSource({ name: `s${at}` }));
    const firstAgain = sessionOf(aSource({ name: 'first' }));

    sessionOf(aSource({ name: 'last' }));

    expect(counts[0]?.()).toBe(1_000);
    expect(firstAgain).toBe(first);
    expect(sessionOf(aSource({ name: 'second' }))).not.toBe(second);
    expect(sessionOf(aSource({ name: 'first' }))).toBe(first);
  });
});
