// The addresses of a name, checked. A URL may name a machine inside the network: without the check its owner could
// reach machines that only the sender can reach. The check is made on the addresses that the connection uses: one
// resolution, all of its answers, so that a name can't show one address to the check and another to the connection.
import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import {
  type AddressRange,
  forbiddenAddress,
  isAllowedAddress,
} from '../../shared/deployment/address-range.ts';

/** Looks a name up like node:dns, and fails unless every address that it has is allowed. */
export function createCheckedLookup(range: AddressRange, resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      const wrong = addresses.find(({ address }) => !isAllowedAddress(address, range));
      if (wrong !== undefined) return callback(forbiddenAddress(wrong.address), '');
      const [first] = addresses as readonly LookupAddress[];
      if (options.all === true) return callback(null, addresses);
      return callback(null, first?.address ?? '', first?.family);
    });
  };
}
