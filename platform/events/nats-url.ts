export interface NatsServers {
  /** `host:port` each. */
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly tls?: { readonly caFile?: string };
}

/**
 * Reads `nats://[user:password@]host:port`, or `tls://…` for TLS; several servers of one cluster with commas between.
 * `?ca=/path` names a PEM file of the authority that their certificates must come from, instead of those that Node trusts.
 */
export function parseNatsUrl(text: string): NatsServers {
  const urls = text.split(",").map((part) => new URL(part.trim()));
  const caFile = urls.map((url) => url.searchParams.get("ca")).find(Boolean) ?? undefined;
  const isTls = caFile !== undefined || urls.some((url) => url.protocol === "tls:");
  const login = urls.find((url) => url.username !== "");
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || "4222"}`),
    ...(login !== undefined && { user: decodeURIComponent(login.username), pass: decodeURIComponent(login.password) }),
    ...(isTls && { tls: caFile === undefined ? {} : { caFile } }),
  };
}
