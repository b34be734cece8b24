import { isIP } from "node:net";
import type { Client } from "@connectrpc/connect";
import type { Request, RequestHandler } from "express";
import { LRUCache } from "lru-cache";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import type { Logger } from "#platform/logger.ts";
import { exchangeOf, type PageHost } from "./http/exchange.ts";

/** Knows whose a host name is, for some seconds. */
export interface PageHosts {
  /** Undefined for names that no organization has, without a look-up where that is clear from the name. */
  of(host: string | undefined): Promise<PageHost | undefined> | undefined;
}

const freshMs = 5_000;
const answerMs = 1_000;
const remembered = 10_000;

interface PageHostDeps {
  readonly sign: Pick<Client<typeof SignService>, "resolvePageHost">;
  /** Where clients reach the API; may be empty. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

export function createPageHosts({ sign, publicUrl, logger }: PageHostDeps): PageHosts {
  const ownHost = URL.parse(publicUrl)?.hostname;
  const fresh = new LRUCache<string, Promise<PageHost | undefined>>({ max: remembered, ttl: freshMs });
  // Without the service that knows, a host stays whose it was: nothing else is ever shown there.
  const last = new LRUCache<string, PageHost>({ max: remembered });
  const load = async (host: string): Promise<PageHost | undefined> => {
    try {
      const { organizationId } = await sign.resolvePageHost({ host }, { timeoutMs: answerMs });
      const found = organizationId === "" ? undefined : { host, organizationId };
      if (found === undefined) last.delete(host);
      else last.set(host, found);
      return found;
    } catch (error) {
      logger.warn({ err: error }, "whose a host name is could not be read");
      return last.get(host);
    }
  };
  return {
    of: (given) => {
      const host = hostNameIn(given);
      if (host === undefined || host === ownHost) return undefined;
      const found = fresh.get(host) ?? load(host);
      if (!fresh.has(host)) fresh.set(host, found);
      return found;
    },
  };
}

/** Names that an organization can prove have a dot and no address. */
function hostNameIn(given: string | undefined): string | undefined {
  const name = (given ?? "")
    .toLowerCase()
    .replace(/:\d{1,5}$/, "")
    .replace(/\.+$/, "");
  return name.length <= 253 && /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(name) && isIP(name) === 0 ? name : undefined;
}

/** What people open by their links, and what those pages load. */
const shownThere = /^\/(?:signing\/|v1\/click\/render\/(?:sessions\/[^/]+(?:\/pdf)?$|embed\.[^/]+\.js$))/;

/** At the host of an organization there are its pages alone; everything else does not exist there. */
export const admitPageHosts =
  (hosts: PageHosts): RequestHandler =>
  (req, res, next) => {
    const asked = hosts.of(req.host);
    if (asked === undefined) return next();
    asked.then((pageHost) => {
      if (pageHost !== undefined) {
        exchangeOf(res).pageHost = pageHost;
        if (!isShownAt(pageHost, req)) return next(new DomainError("NOT_FOUND"));
      }
      next();
    }, next);
  };

const isShownAt = ({ organizationId }: PageHost, { path }: Pick<Request, "path">): boolean =>
  path === "/healthz" || shownThere.test(path) || path.startsWith(`/brand-images/${organizationId}/`);
