import { describe, expect, it } from 'vitest';
import { defaultKnobs, FAULT_KINDS, KNOBS } from '../../../local/reference-service/knobs.ts';
import { KnobError, listKnobs, readKnobs } from '../../../local/reference-service/read-knobs.ts';

describe('knobs on a command line', () => {
  it('accept both spellings of their name', () => {
    const knobs = readKnobs(['limit-max=37', 'limitOver=refuse', 'new-fields=true', 'fault-rate=0.2']);

    expect(knobs).toEqual({ limitMax: 37, limitOver: 'refuse', newFields: true, faultRate: 0.2 });
  });

  it('accept spans, lists, and stamp forms', () => {
    const knobs = readKnobs([
      'late-seconds=0-90',
      'latency-ms=20',
      'touches=return_group,return_line_item',
      'fault-kinds=none',
      'stamp-form=none:-05:00',
    ]);

    expect(knobs).toEqual({
      lateSeconds: { least: 0, most: 90 },
      latencyMs: { least: 20, most: 20 },
      touches: ['return_group', 'return_line_item'],
      faultKinds: [],
      stampForm: 'none:-05:00',
    });
    expect(readKnobs(['fault-kinds=all'])).toEqual({ faultKinds: FAULT_KINDS });
  });

  it('are rejected with all problems at once, and the accepted values', () => {
    const read = () =>
      readKnobs(['order=sideways', 'limit-mx=3', 'limit-max', 'stale-share=2', 'late-seconds=9-3']);

    expect(read).toThrow(KnobError);
    expect(read).toThrow(/knob order does not take "sideways"; it takes updated_at:desc \|/);
    expect(read).toThrow(/there is no knob "limit-mx"\. Did you mean "limit-max"/);
    expect(read).toThrow(/knob "limit-max" has no value: write name=value/);
    expect(read).toThrow(/knob stale-share does not take "2"; it takes a fraction from 0 to 1/);
    expect(read).toThrow(/late-seconds does not take "9-3"/);
  });

  it('of strange services are not taken: only tests turn them', () => {
    expect(() => readKnobs(['page-bytes=1'])).toThrow('there is no knob "page-bytes"');
  });

  it('with a mistyped name are rejected with the nearest name', () => {
    expect(() => readKnobs(['ordr='])).toThrow(
      'there is no knob "ordr". Did you mean "order"? --help lists them',
    );
    expect(() => readKnobs(['zzz=1'])).toThrow('there is no knob "zzz". --help lists them');
  });

  it('are all listed with a default that they accept', () => {
    const list = listKnobs();

    expect(list).toHaveLength(Object.keys(KNOBS).length);
    for (const { name, byDefault } of list) {
      const [value] = Object.entries(readKnobs([`${name}=${byDefault}`]));
      expect(value?.[1], name).toEqual(defaultKnobs()[value?.[0] as keyof typeof KNOBS]);
    }
    expect(list.every(({ description, values }) => description.length > 10 && values.length > 0)).toBe(true);
  });
});
