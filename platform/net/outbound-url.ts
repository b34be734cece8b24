import { BlockList, isIP } from "node:net";
import { createNameResolver, type ResolveNames } from "./name-resolver.ts";
import type { NamedReceivers } from "./receiver-settings.ts";

/** Where requests to addresses of customers may go. */
export interface OutboundRules {
  /** For trying things out: http, every port, and addresses that are not public are allowed too. */
  readonly allowPrivate: boolean;
  /** Besides 443. */
  readonly ports?: readonly number[];
  /** Inside the operator's own network; none when absent. */
  readonly named?: NamedReceivers | undefined;
}

const maxLength = 2_048;
const maxNameLength = 253;
const lookUpMs = 2_000;

const notPublic = "must name a public host";

/**
 * Undefined when events may be sent to the URL, otherwise what is wrong with it, in words for the customer that go on
 * after the name of the field. Pure: which addresses a name has is looked up at each attempt. Never throws.
 */
export function outboundUrlProblem(url: string, rules: OutboundRules): string | undefined {
  const parsed = url.length > maxLength ? null : URL.parse(url);
  return (
    spellingProblem(url) ??
    (parsed === null || !isAbsolute(url, parsed, rules) ? absoluteProblem(rules) : undefined) ??
    (parsed === null ? undefined : (hostProblem(parsed, rules) ?? portProblem(parsed, rules)))
  );
}

/**
 * Like outboundUrlProblem, and looks the name up (at most `timeoutMs`): for registration. A name that does not resolve
 * in that time is no problem, it may later; one of which no address is public is. Never rejects.
 */
export async function resolvedUrlProblem(
  url: string,
  rules: OutboundRules,
  resolver: ResolveNames = createNameResolver(rules),
  timeoutMs: number = lookUpMs,
): Promise<string | undefined> {
  const problem = outboundUrlProblem(url, rules);
  const parsed = URL.parse(url);
  if (problem !== undefined || parsed === null || rules.allowPrivate || isIP(hostOf(parsed)) !== 0) return problem;
  const target = { host: hostOf(parsed), port: portOf(parsed) };
  const addresses = await inTime(resolver, target.host, timeoutMs);
  const isClosed = addresses.length > 0 && !addresses.some(({ address }) => isOpenAddress(address, target, rules));
  if (!isClosed) return undefined;
  // Only the operator's own receivers have other ports.
  return addresses.some(({ address }) => isPublicAddress(address)) ? portProblem(parsed, publicOnly(rules)) : notPublic;
}

/** Whether a request to this host may go to this address. */
export const isOpenAddress = (
  address: string,
  { host, port }: { readonly host: string; readonly port: number },
  rules: OutboundRules,
): boolean =>
  isPublicAddress(address) ? isUsualPort(port, rules) : rules.named?.hasAddress(host, port, address) === true;

const isUsualPort = (port: number, { ports = [] }: OutboundRules): boolean => port === 443 || ports.includes(port);

export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);

/** The host of a URL as it is looked up and named in TLS: without brackets and without the dot of the root. */
export const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.$/, "");

/** Programs read these in different ways, so none of them may decide where a request goes. */
function spellingProblem(url: string): string | undefined {
  if (url.length > maxLength) return "must have at most 2,048 characters";
  if (Array.from(url).some(isBlankOrControl) || url.includes("\\")) {
    return "must not contain blanks, control characters or backslashes";
  }
  // An empty fragment or user name is gone after parsing.
  if (url.includes("#")) return "must not have a fragment";
  const authority = url.slice(url.indexOf("://") + 3).split(/[/?]/, 1)[0] ?? "";
  return authority.includes("@") ? "must not contain a user name or password" : undefined;
}

function isBlankOrControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code <= 0x20 || (code >= 0x7f && code <= 0xa0);
}

/** Parsing also takes `https:example.com` and `https:///example.com`. */
const isAbsolute = (url: string, { protocol }: URL, { allowPrivate }: OutboundRules): boolean =>
  (protocol === "https:" || (protocol === "http:" && allowPrivate)) &&
  url.startsWith("//", protocol.length) &&
  !url.startsWith("/", protocol.length + 2);

const absoluteProblem = ({ allowPrivate }: OutboundRules): string =>
  allowPrivate ? "must be an absolute http or https URL" : "must be an absolute https URL";

const publicOnly = (rules: OutboundRules): OutboundRules => ({ ...rules, named: undefined });

function portProblem(url: URL, rules: OutboundRules): string | undefined {
  const { allowPrivate, ports = [], named } = rules;
  const port = portOf(url);
  if (allowPrivate || isUsualPort(port, rules) || named?.hasPort(hostOf(url), port) === true) return undefined;
  return ports.length === 0 ? "must use port 443" : `must use port ${[443, ...ports].join(" or ")}`;
}

function hostProblem(url: URL, rules: OutboundRules): string | undefined {
  const host = hostOf(url);
  const target = { host, port: portOf(url) };
  if (isIP(host) !== 0) return rules.allowPrivate || isOpenAddress(host, target, rules) ? undefined : notPublic;
  const labels = host.split(".");
  if (host.length > maxNameLength || labels.some((label) => label === "")) return "must have a valid host name";
  const isOpen = labels.length > 1 && !isInternal(host);
  return rules.allowPrivate || isOpen || rules.named?.hasName(host, target.port) === true ? undefined : notPublic;
}

/** Names that mean something else in every network, or in a cluster. */
const internalSuffixes = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "lan",
  "home.arpa",
  "cluster.local",
  "svc",
] as const;

const isInternal = (host: string): boolean => internalSuffixes.some((suffix) => `.${host}`.endsWith(`.${suffix}`));

/** No addresses when there is no answer in time. */
async function inTime(resolver: ResolveNames, host: string, timeoutMs: number) {
  const timeout = Promise.withResolvers<[]>();
  const timer = setTimeout(() => timeout.resolve([]), timeoutMs);
  try {
    return await Promise.race([resolver(host), timeout.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

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
