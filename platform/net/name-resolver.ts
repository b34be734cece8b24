import { lookup, Resolver } from "node:dns/promises";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a name, those to be tried first in front. Rejects when there are none, or no answer. */
export type ResolveNames = (host: string) => Promise<readonly ResolvedAddress[]>;

const queryMs = 2_000;
const tries = 2;

/**
 * RFC 2606 and RFC 6761 keep these for examples. Descriptions of interfaces are full of them, and what somebody tries out
 * with one shall reach nobody.
 */
const exampleDomains = ["example", "example.com", "example.net", "example.org", "invalid"] as const;

export const isExample = (host: string): boolean =>
  exampleDomains.some((domain) => `.${host.toLowerCase()}`.endsWith(`.${domain}`));

/**
 * Asks the name servers of the system themselves. The system's own look-up would try the search domains of a cluster,
 * and keep one of few threads while a customer's name server is silent. Only where private addresses are allowed is it
 * used, for names in the hosts file. Names that are kept for examples are asked for nowhere. Rejects when no address is
 * found; gives up after a few tries of 2 s.
 */
export const createNameResolver = (
  options: { readonly allowPrivate: boolean },
  resolve: ResolveNames = systemResolver(options),
): ResolveNames => {
  return async (host) => {
    if (isExample(host)) throw new Error("the name is kept for examples");
    return resolve(host);
  };
};

function systemResolver({ allowPrivate }: { readonly allowPrivate: boolean }): ResolveNames {
  if (allowPrivate) return async (host) => (await lookup(host, { all: true, order: "ipv4first" })).map(withFamily);
  const resolver = new Resolver({ timeout: queryMs, tries });
  return async (host) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    if (ipv4.status === "rejected" && ipv6.status === "rejected") throw ipv4.reason;
    // IPv4 first: many clusters have no way out for IPv6.
    return [ipv4, ipv6].flatMap((answer, index) =>
      answer.status === "rejected"
        ? []
        : answer.value.map((address) => withFamily({ address, family: index === 0 ? 4 : 6 })),
    );
  };
}

const withFamily = ({ address, family }: { address: string; family: number }): ResolvedAddress => ({
  address,
  family: family === 4 ? 4 : 6,
});
