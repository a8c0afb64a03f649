// Which addresses a webhook may reach, for the check of its options and for the check of each connection.
// https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry
// biome-ignore lint/style/noRestrictedImports: computes with addresses, and opens no connection
import { BlockList, isIP } from 'node:net';

/** `public`: only globally routable ones. `private`: those of private networks as well. `any`: on one machine. */
export type AddressRange = 'public' | 'private' | 'any';

/** Thrown instead of connecting; its code is in the reason of the failed attempt. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'ADDRESS_NOT_ALLOWED';
}

type Subnet = readonly [network: string, prefix: number];

const PRIVATE: readonly Subnet[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
];
const PRIVATE_V6: Subnet = ['fc00::', 7];
/** In it, but link-local in effect: where clouds serve a machine's credentials (AWS, Google). */
const CREDENTIALS_V6: readonly Subnet[] = [
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
];

/**
 * The IPv4 addresses that are not globally routable, or reserved for a protocol such as 6to4; without the private ones.
 */
const SPECIAL: readonly Subnet[] = [
  ['0.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Global unicast; forms that hold an IPv4 address (mapped, NAT64) are outside of it. */
const GLOBAL_V6: Subnet = ['2000::', 3];
/** In it, but not globally routable, or a way around the checks: Teredo, 6to4, AS112, documentation. */
const SPECIAL_V6: readonly Subnet[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const specialV4 = listOf('ipv4', SPECIAL);
const privateV4 = listOf('ipv4', PRIVATE);
const globalV6 = listOf('ipv6', [GLOBAL_V6]);
const specialV6 = listOf('ipv6', SPECIAL_V6);
const privateV6 = listOf('ipv6', [PRIVATE_V6]);
const credentialsV6 = listOf('ipv6', CREDENTIALS_V6);

export function isAllowedAddress(address: string, range: AddressRange): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  if (range === 'any') return true;
  if (family === 4) return !specialV4.check(address) && (range === 'private' || !privateV4.check(address));
  // A zone names an interface of this machine.
  if (address.includes('%')) return false;
  if (privateV6.check(address, 'ipv6')) return range === 'private' && !credentialsV6.check(address, 'ipv6');
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
}

/** Checks the host of a URL, if it is an address: Node does not look up addresses. @throws ForbiddenAddressError */
export function checkLiteralAddress(hostname: string, range: AddressRange): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isAllowedAddress(address, range)) throw forbiddenAddress(address);
}

export function forbiddenAddress(address: string): ForbiddenAddressError {
  return new ForbiddenAddressError(
    `The endpoint's address ${address} is not one that webhooks may reach: use a public address, or for one of a ` +
      'private network the option allowPrivateAddresses.',
  );
}

function listOf(type: 'ipv4' | 'ipv6', subnets: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, type);
  return list;
}
