import { hash } from "node:crypto";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { dashboardScopeMeanings, scopeMeanings } from "#api/scopes.ts";
import { type LoginService, UserRole as Role, type SessionPrincipal } from "#gen/assent/auth/v1/users_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import { parseOrgId } from "#platform/ids.ts";
import { createExpiringCache } from "../auth/key-set.ts";
import type { Principal, Scope, SessionUser, UserRole } from "../auth/principal.ts";
import type { Revocations } from "../auth/revocations.ts";

/** Who is signed in by a cookie. */
export interface FoundSession {
  readonly principal: Principal & { readonly user: SessionUser };
  /** To be put in the place of the cookie's value; undefined most of the time. */
  readonly newToken: string | undefined;
}

/** Where a request is from. */
export interface SessionVisit {
  readonly ip: string;
  readonly userAgent: string;
  readonly requestId: string;
  readonly traceparent: string;
}

export interface Sessions {
  /** Looks up the value of a cookie. Rejects with SESSION_ENDED. */
  authenticate(token: string, visit: SessionVisit): Promise<FoundSession>;
  /** Makes the next request of this session, or of all sessions of this user, ask again. */
  forget(id: string): void;
}

export interface SessionsDeps {
  readonly logins: Pick<Client<typeof LoginService>, "authenticateSession">;
  readonly revocations: Pick<Revocations, "requireKnown">;
  readonly clock: Clock;
  readonly monotonic: () => number;
}

const maxCached = 10_000;
/** Half of the precision with which the auth service writes when a session was last used. */
const foundMs = 30_000;
const endedMs = 5_000;
const tokenPattern = /^[\w-]{43}$/;

interface Remembered extends FoundSession {
  readonly askedAt: number;
}

/** Remembers for half a minute whose session it is; what changed meanwhile is asked again. */
export function createSessions({ logins, revocations, clock, monotonic }: SessionsDeps): Sessions {
  const known = createExpiringCache<Remembered>(clock, maxCached);
  const ended = createExpiringCache<true>(clock, maxCached);
  const asking = new Map<string, Promise<FoundSession>>();
  const forgotten = createForgotten(monotonic);

  const ask = async (token: string, digest: string, visit: SessionVisit): Promise<FoundSession> => {
    const now = clock.now().getTime();
    const askedAt = forgotten.now();
    try {
      const found = await lookUp(token, logins, visit);
      // An answer with a new token is for those who asked now: it has to reach the browser.
      if (found.newToken === undefined) known.set(digest, { ...found, askedAt }, now + foundMs);
      return found;
    } catch (error) {
      if (fromConnectError(error)?.code === "SESSION_ENDED") ended.set(digest, true, now + endedMs);
      throw error;
    }
  };

  const askOnce = (token: string, digest: string, visit: SessionVisit): Promise<FoundSession> => {
    const running = asking.get(digest);
    if (running !== undefined) return running;
    const started = ask(token, digest, visit).finally(() => {
      if (asking.get(digest) === started) asking.delete(digest);
    });
    asking.set(digest, started);
    return started;
  };

  return {
    authenticate: async (token, visit) => {
      if (!tokenPattern.test(token)) throw new DomainError("SESSION_ENDED");
      revocations.requireKnown();
      const digest = hash("sha256", token, "base64");
      if (ended.get(digest) !== undefined) throw new DomainError("SESSION_ENDED");
      const remembered = known.get(digest);
      if (remembered === undefined) return askOnce(token, digest, visit);
      const { id, sessionId } = remembered.principal.user;
      return forgotten.isOlder(remembered.askedAt, [id, sessionId]) ? askOnce(token, digest, visit) : remembered;
    },
    forget: (id) => {
      forgotten.add(id);
      // Nobody who comes from now on may share an answer that was asked for before.
      asking.clear();
    },
  };
}

async function lookUp(token: string, logins: SessionsDeps["logins"], visit: SessionVisit): Promise<FoundSession> {
  const { requestId, traceparent, ip, userAgent } = visit;
  const headers = { "x-request-id": requestId, traceparent };
  const wanted = { sessionToken: token, visitor: { ip, userAgent } };
  const { principal, newSessionToken } = await logins.authenticateSession(wanted, { headers, timeoutMs: 2_000 });
  return { principal: principalOf(principal), newToken: newSessionToken === "" ? undefined : newSessionToken };
}

const roles: Readonly<Partial<Record<Role, UserRole>>> = {
  [Role.OWNER]: "owner",
  [Role.DEVELOPER]: "developer",
  [Role.VIEWER]: "viewer",
};

/** The answer of the auth service as everything behind the checks knows callers. */
export function principalOf(found: SessionPrincipal | undefined): FoundSession["principal"] {
  const orgId = parseOrgId(found?.organizationId ?? "");
  const role = roles[found?.user?.role ?? Role.UNSPECIFIED];
  const { user, sessionId = "", csrfToken = "", expiresAt } = found ?? {};
  if (orgId === undefined || role === undefined || user === undefined || csrfToken === "" || expiresAt === undefined) {
    throw new Error("the auth service answered with a session that is not complete");
  }
  return {
    orgId,
    clientId: `user:${user.id}`,
    scopes: scopesOfRole(role),
    tokenId: undefined,
    user: { id: user.id, role, sessionId, csrfToken, expiresAt: timestampDate(expiresAt) },
  };
}

const clientScopes = Object.keys(scopeMeanings) as Scope[];
const viewer: readonly Scope[] = [...clientScopes.filter((scope) => scope.endsWith(":read")), "dashboard:read"];
/** Whatever an API key may do, which developers can make themselves. */
const developer: readonly Scope[] = [...clientScopes, "dashboard:read", "dashboard:write"];
const owner: readonly Scope[] = [...clientScopes, ...(Object.keys(dashboardScopeMeanings) as Scope[])];

const scopes: Readonly<Record<UserRole, ReadonlySet<Scope>>> = {
  viewer: new Set(viewer),
  developer: new Set(developer),
  owner: new Set(owner),
};

/** What somebody with this role may do. */
export const scopesOfRole = (role: UserRole): ReadonlySet<Scope> => scopes[role];

/** Which remembered answers are older than a change. */
interface Forgotten {
  /** What is asked from now on is newer than whatever was forgotten so far. */
  now(): number;
  /** Everything that was asked before is out of date for this session or user. */
  add(id: string): void;
  isOlder(askedAt: number, ids: readonly string[]): boolean;
}

/** Longer than any answer is remembered and any question takes. */
const keepMs = 120_000;

function createForgotten(monotonic: () => number): Forgotten {
  // In the order in which they were added, so the oldest are in front.
  const changed = new Map<string, { readonly order: number; readonly at: number }>();
  let order = 0;

  const dropOld = (at: number): void => {
    for (const [id, change] of changed) {
      if (at - change.at < keepMs) return;
      changed.delete(id);
    }
  };

  return {
    now: () => order,
    add: (id) => {
      const at = monotonic();
      dropOld(at);
      order += 1;
      changed.delete(id);
      changed.set(id, { order, at });
    },
    isOlder: (askedAt, ids) => ids.some((id) => (changed.get(id)?.order ?? 0) > askedAt),
  };
}
