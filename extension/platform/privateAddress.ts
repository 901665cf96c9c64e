import { BlockList, isIP } from 'node:net';
import { lazily } from '../base/lazily';

/** Loopback, private, link-local, multicast and other ranges that are not the public internet (IANA special-purpose registries). */
const ranges: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

const blockList = lazily(() => {
  const list = new BlockList();
  for (const [net, prefix, family] of ranges) list.addSubnet(net, prefix, family);
  return list;
});

/** @param host an address, IPv6 with or without brackets; names are never private by themselves, resolve them first */
export function isPrivateAddress(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(address);
  const blocked = blockList();
  if (family === 4) return blocked.check(address, 'ipv4');
  if (family !== 6) return false;
  const inner = embeddedIpv4(address);
  return blocked.check(address, 'ipv6') || (inner !== undefined && blocked.check(inner, 'ipv4'));
}

/** IPv4 inside `::ffff:0:0/96` and `64:ff9b::/96`, as WHATWG URL writes them (hex) or dotted. */
function embeddedIpv4(address: string): string | undefined {
  const match = address.toLowerCase().match(/^(?:::ffff:(?:0:)?|64:ff9b::)(?:([\d.]+)|([\da-f]{1,4}):([\da-f]{1,4}))$/);
  if (!match) return undefined;
  if (match[1] !== undefined) return isIP(match[1]) === 4 ? match[1] : undefined;
  const [high, low] = [Number.parseInt(match[2] ?? '0', 16), Number.parseInt(match[3] ?? '0', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
