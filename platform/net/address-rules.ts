import { BlockList, isIP } from "node:net";

/** Special-purpose networks of IPv4: the IANA registry, and what else never belongs to a customer. */
const closedIpv4 = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT; some clouds have their metadata there
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // what the hosts of one large cloud talk to, although it looks public
  ["169.254.0.0", 16], // link-local, with the metadata of most clouds
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
] as const;

/**
 * Public IPv6 addresses are all in 2000::/3 (RFC 4291), so what is outside is closed as a whole. That covers ::/96,
 * mapped IPv4 (::ffff:0:0/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), 100::/64, 5f00::/16, fc00::/7, fe80::/10,
 * fec0::/10 and ff00::/8.
 */
const closedIpv6 = [
  ["::", 3],
  ["4000::", 2],
  ["8000::", 1],
  ["2001::", 23], // protocol assignments, with Teredo: it has an IPv4 address inside
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: it has an IPv4 address inside
  ["3fff::", 20], // documentation
] as const;

// One list per family: a list compares IPv4 addresses with networks of IPv6 as well, and ::/3 holds all mapped ones.
const ipv4 = listOf(closedIpv4, "ipv4");
const ipv6 = listOf(closedIpv6, "ipv6");

/**
 * Whether an IP address, in any spelling that Node takes as one, may belong to a public host. False for everything
 * else: names, brackets, zones (`fe80::1%eth0`), IPv4 in octal. Addresses of IPv6 that carry one of IPv4 are never
 * public. Never throws.
 */
export function isPublicAddress(ip: string): boolean {
  const family = isIP(ip);
  if (family === 4) return !ipv4.check(ip, "ipv4");
  return family === 6 && !ip.includes("%") && !ipv6.check(ip, "ipv6");
}

function listOf(networks: readonly (readonly [string, number])[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
}
