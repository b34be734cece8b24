export interface NatsServers {
  /** `host:port` each. */
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly tls?: Record<string, never>;
}

/** Reads `nats://[user:password@]host:port`, or `tls://…` for TLS; several servers of one cluster with commas between. */
export function parseNatsUrl(text: string): NatsServers {
  const urls = text.split(",").map((part) => new URL(part.trim()));
  const login = urls.find((url) => url.username !== "");
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || "4222"}`),
    ...(login !== undefined && { user: decodeURIComponent(login.username), pass: decodeURIComponent(login.password) }),
    ...(urls.some((url) => url.protocol === "tls:") && { tls: {} }),
  };
}
