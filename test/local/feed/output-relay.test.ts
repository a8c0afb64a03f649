import { expect, test } from 'vitest';
import { createOutputRelay } from '../../../local/feed/output-relay.ts';
import type { SendResult } from '../../../shared/ports.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { aKey } from '../../shared/publishing/an-event.ts';
import { createWorld, type Gate, openGate, range } from '../../shared/publishing/relay-world.ts';

const A = aKey(1);
const B = aKey(2);

function aRelay(gate: Gate = openGate) {
  const world = createWorld();
  const clock = createVirtualClock();
  const relay = createOutputRelay({
    ...world.ports(gate),
    presentGeneration: async () => A.generation,
    clock,
    random: () => 0,
  });
  return { world, clock, relay };
}

test('sends the events of the groups for which it was woken, in order', async () => {
  const { world, relay } = aRelay();
  world.show(A, 1, 2);
  world.show(B, 1);

  relay.wake([A, B]);
  await relay.idle();

  expect([world.numbersArrived(A), world.numbersArrived(B)]).toEqual([[1, 2], [1]]);
});

test('sends events that were written during a run', async () => {
  const { world, relay } = aRelay();
  world.show(A, 1);
  world.destination.answer = (event): SendResult => {
    if (event.data.sequence === 1) {
      world.show(A, 2);
      relay.wake([A]);
    }
    return { sent: true };
  };

  relay.wake([A]);
  await relay.idle();

  expect(world.numbersArrived(A)).toEqual([1, 2]);
});

test('retries a group, after a pause, until the destination accepts its events', async () => {
  let failures = 3;
  const { world, clock, relay } = aRelay(async (call, effect) => {
    if (call === 'destination.send' && failures-- > 0) throw new Error('no answer');
    return effect();
  });
  world.show(A, 1);

  relay.wake([A]);
  await clock.run(relay.idle());

  expect(world.numbersArrived(A)).toEqual([1]);
  expect(clock.elapsed()).toBe((100 + 200 + 400) * 1_000);
});

test('takes a bounded number of groups at a time, and a group that is woken again after all others', async () => {
  const { world, relay } = aRelay();
  const many = range(1, 150).map((id) => aKey(id));
  for (const key of many) world.show(key, 1);
  world.destination.answer = ({ id }) => {
    // Another event of the first group, as soon as its first is sent.
    if (id.endsWith('_1_1')) {
      world.show(aKey(1), 2);
      relay.wake([aKey(1)]);
    }
    return { sent: true };
  };

  relay.wake(many);
  await relay.idle();

  const order = world.destination.received.map(({ id }) => id.replace(/^acme_mi8x2k_/, ''));
  expect(order).toHaveLength(151);
  expect(order.at(-1)).toBe('1_2');
});

test('begins nothing after its end', async () => {
  const { world, relay } = aRelay();
  world.show(A, 1);

  await relay.stop();
  relay.wake([A]);

  await relay.idle();
  expect(world.numbersArrived(A)).toEqual([]);
});

test('ends a pause at once when it is stopped', async () => {
  const { world, clock, relay } = aRelay(async (call, effect) => {
    if (call === 'destination.send') throw new Error('no answer');
    return effect();
  });
  world.show(A, 1);
  relay.wake([A]);
  await clock.advance(1_000);

  await relay.stop();

  expect(clock.elapsed()).toBe(1_000);
});

test('hands over what an earlier process left, and begins behind numbers that have expired, without a wait', async () => {
  const { world, clock, relay } = aRelay();
  world.show(A, 3, 4);
  world.show(B, 1);

  await relay.sweep();

  expect([world.numbersArrived(A), world.numbersArrived(B)]).toEqual([[3, 4], [1]]);
  expect(clock.elapsed()).toBe(0);
});

test('a group that is named during a sweep is handed over after it, once', async () => {
  const { world, relay } = aRelay();
  world.show(A, 1);
  world.destination.answer = () => {
    relay.wake([A]);
    return { sent: true };
  };

  const sweeping = relay.sweep();
  relay.wake([A]);
  await relay.idle();
  await sweeping;

  expect(world.numbersArrived(A)).toEqual([1]);
});

test('tries a group again that stopped at an event when an operator may have skipped it', async () => {
  const { world, relay } = aRelay();
  world.show(A, 1, 2);
  let rejects = true;
  world.destination.answer = ({ data }): SendResult =>
    rejects && data.sequence === 1 ? { sent: false, cause: 'rejected', reason: 'too large' } : { sent: true };
  relay.wake([A]);
  await relay.idle();
  const before = world.numbersArrived(A);
  rejects = false;

  relay.retryStopped();
  await relay.idle();

  expect([before, world.numbersArrived(A)]).toEqual([[], [1, 2]]);
});
