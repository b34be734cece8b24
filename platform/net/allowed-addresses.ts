import { isIP } from "node:net";
import { isPublicAddress } from "./address-rules.ts";
import { beforeAbort } from "./deadline.ts";
import type { ResolveNames } from "./name-resolver.ts";
import { OutboundFailure } from "./outbound-failure.ts";

export interface AddressParts {
  readonly rules: { readonly allowPrivate: boolean };
  readonly resolve: ResolveNames;
}

/** So that a name with very many addresses is no way to have them all tried. */
const maxAddresses = 8;

/**
 * The addresses of a host that may be connected to, at least one and at most 8; the host may be an address itself,
 * without brackets. Looks a name up once. Rejects with an OutboundFailure, or with the signal's reason.
 */
export async function allowedAddresses(
  host: string,
  { rules, resolve }: AddressParts,
  signal: AbortSignal,
): Promise<string[]> {
  const found = isIP(host) === 0 ? await beforeAbort(lookUp(host, resolve), signal) : [host];
  const allowed = found.filter((address) => rules.allowPrivate || isPublicAddress(address));
  if (allowed.length === 0) throw new OutboundFailure("refused-address", "The host has no public address.");
  return allowed.slice(0, maxAddresses);
}

async function lookUp(host: string, resolve: ResolveNames): Promise<string[]> {
  const addresses = await addressesOf(host, resolve);
  // Only addresses: a name would be looked up again when connecting, and could be another one by then.
  const usable = addresses.filter((address) => isIP(address) !== 0);
  if (usable.length === 0) throw new OutboundFailure("dns", "The host name does not resolve.");
  return usable;
}

async function addressesOf(host: string, resolve: ResolveNames): Promise<string[]> {
  try {
    return (await resolve(host)).map(({ address }) => address);
  } catch {
    return [];
  }
}
