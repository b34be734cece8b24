import { BlockList, isIP } from "node:net";
import { booleanSetting, listSetting, type Setting } from "../config.ts";

/** Read by whoever takes or uses addresses that customers name. */
export const privateReceiversSetting = booleanSetting(
  "Allows sending events over http, to any port and to private addresses. For development only: with it, customers can reach everything this process can reach.",
  false,
);

/** Receivers inside the operator's own network that customers may name. */
export interface NamedReceivers {
  /** Whether the name is one of them although it is no name of the internet. */
  hasName(host: string, port: number): boolean;
  /** Whether the port is that of one of them. */
  hasPort(host: string, port: number): boolean;
  /** Whether the host may have this address, which is not public. */
  hasAddress(host: string, port: number, address: string): boolean;
}

/** A list of hosts, domains and networks with their ports. */
export function namedPlacesSetting(doc: string): Setting<readonly string[]> {
  const list = listSetting(doc, []);
  return {
    ...list,
    parse: (text) => {
      const entries = list.parse(text);
      createNamedReceivers(entries);
      return entries;
    },
  };
}

/** Read by the same; what is not in it stays closed. */
export const namedReceiversSetting: Setting<readonly string[]> = namedPlacesSetting(
  "Receivers inside your own network that customers may name for webhooks, comma-separated: a host (`hooks.bank.internal`), all hosts of a domain (`*.bank.internal`) or a network (`10.20.0.0/16`), each with its port where it is not 443. Still by https only, never to this machine or link-local addresses. All other private destinations stay refused.",
);

interface Entry {
  readonly port: number;
  readonly hasHost: (host: string) => boolean;
  /** Undefined: whatever the name resolves to in private networks. */
  readonly network: ((address: string) => boolean) | undefined;
}

/** Throws with words that go on after the name of the setting. */
export function createNamedReceivers(list: readonly string[]): NamedReceivers {
  const entries = list.map(entryOf);
  const matching = (host: string, port: number): Entry[] =>
    entries.filter((entry) => entry.port === port && entry.hasHost(host.toLowerCase()));
  return {
    hasName: (host, port) => matching(host, port).some(({ network }) => network === undefined),
    hasPort: (host, port) => matching(host, port).length > 0,
    hasAddress: (host, port, address) =>
      inPrivateNetworks(address) &&
      matching(host, port).some(({ network }) => network === undefined || network(address)),
  };
}

const shape = /^(?:\[(?<bracketed>[0-9a-f:.]+)\]|(?<name>[^:[\]/]+))(?:\/(?<prefix>\d{1,3}))?(?::(?<port>\d{1,5}))?$/i;
/** Its last label is no number, which a mistyped address would end with. */
const hostName = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*(?!\d+$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

function entryOf(part: string): Entry {
  const found = shape.exec(part)?.groups;
  const name = (found?.bracketed ?? found?.name ?? "").toLowerCase();
  const port = Number(found?.port ?? 443);
  const family = isIP(name);
  const bits = family === 4 ? 32 : 128;
  const prefix = found?.prefix === undefined ? bits : Number(found.prefix);
  if (port < 1 || port > 65_535 || prefix > bits || (family === 0 && found?.prefix !== undefined)) throw refusal(part);
  if (family === 0) {
    if (!hostName.test(name)) throw refusal(part);
    const isNamed = name.startsWith("*.")
      ? (host: string) => isIP(host) === 0 && host.endsWith(name.slice(1))
      : (host: string) => host === name;
    return { port, hasHost: isNamed, network: undefined };
  }
  const network = networkOf([[name, prefix]]);
  // Any name may lead there, and an address is named by itself.
  return { port, hasHost: (host) => isIP(host) === 0 || network(host), network };
}

const refusal = (part: string): Error =>
  new Error(`must list hosts, *.domains or networks with their ports, such as 10.20.0.0/16:8443; not ${part}`);

/** Whether an address, written in either family, lies in one of these networks of its own family. */
function networkOf(networks: ReadonlyArray<readonly [string, number]>): (address: string) => boolean {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const [network, prefix] of networks) {
    if (isIP(network) === 4) lists[4].addSubnet(network, prefix, "ipv4");
    else lists[6].addSubnet(network, prefix, "ipv6");
  }
  return (address) =>
    isIP(address) === 6 ? lists[6].check(address, "ipv6") : isIP(address) === 4 && lists[4].check(address, "ipv4");
}

/** RFC 1918, RFC 6598 and RFC 4193: never loopback, link-local (where clouds have their metadata) or multicast. */
const isPrivate = networkOf([
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["100.64.0.0", 10],
  ["fc00::", 7],
]);

/** What three large clouds tell their machines stands in private networks. */
const isMetadata = networkOf([
  ["100.100.100.200", 32],
  ["fd00:ec2::", 32],
  ["fd20:ce::", 32],
]);

const inPrivateNetworks = (address: string): boolean =>
  !address.includes("%") && isPrivate(address) && !isMetadata(address);
