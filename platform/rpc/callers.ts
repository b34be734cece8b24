import { createHmac, timingSafeEqual, type X509Certificate } from "node:crypto";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createContextKey, type Interceptor, type UnaryRequest } from "@connectrpc/connect";

/** How processes of one installation know each other where no certificates say it. */
export interface InternalTokens {
  /** What a call to another process of ours is sent with. */
  current(): string;
  isValid(token: string): boolean;
}

export interface InternalTokenOptions {
  /** The keys of the installation as they are now: the first one signs, all of them verify. Never empty. */
  readonly keys: () => readonly Buffer[];
  /** Unix milliseconds. */
  readonly now: () => number;
}

const lifeSeconds = 60;
/** The clocks of two machines may differ by this much. */
const toleranceSeconds = 5;
/** Each process of ours is at one token, and at two for a moment. */
const maxRemembered = 1_000;

const signature = (key: Buffer, expiresAt: string): Buffer =>
  createHmac("sha256", key).update(`assent internal caller\n${expiresAt}`).digest();

/**
 * A token says until when it holds, at most a minute from now, and proves that its maker has a key. One is made twice a
 * minute and its signature checked once by each process, so that a call costs a look into a map.
 */
export function createInternalTokens({ keys, now }: InternalTokenOptions): InternalTokens {
  let own: { readonly token: string; readonly signedBy: Buffer; readonly renewAt: number } | undefined;
  let verifiedWith: readonly Buffer[] = [];
  const verified = new Map<string, number>();

  const remember = (token: string, expiresAt: number): void => {
    if (verified.size >= maxRemembered) verified.clear();
    verified.set(token, expiresAt);
  };

  return {
    current: () => {
      const [key] = keys();
      if (key === undefined) throw new Error("there is no key to sign internal tokens with");
      const seconds = now() / 1_000;
      if (own === undefined || own.signedBy !== key || seconds >= own.renewAt) {
        const expiresAt = String(Math.floor(seconds) + lifeSeconds);
        const token = `${expiresAt}.${signature(key, expiresAt).toString("base64url")}`;
        own = { token, signedBy: key, renewAt: Math.floor(seconds) + lifeSeconds / 2 };
      }
      return own.token;
    },
    isValid: (token) => {
      const current = keys();
      // What a key has vouched for that is gone counts no longer.
      if (current !== verifiedWith) verified.clear();
      verifiedWith = current;
      const seconds = now() / 1_000;
      const known = verified.get(token);
      if (known !== undefined) return seconds < known + toleranceSeconds;
      const expiresAt = verify(token, current);
      if (expiresAt === undefined || seconds >= expiresAt + toleranceSeconds) return false;
      if (expiresAt > seconds + lifeSeconds + toleranceSeconds) return false;
      remember(token, expiresAt);
      return true;
    },
  };
}

/** Until when a token holds that one of the keys has signed, in Unix seconds. */
function verify(token: string, keys: readonly Buffer[]): number | undefined {
  const [, expiresAt, signed] = /^(\d{1,11})\.([\w-]{43})$/.exec(token) ?? [];
  if (expiresAt === undefined || signed === undefined) return undefined;
  const shown = Buffer.from(signed, "base64url");
  return keys.some((key) => timingSafeEqual(signature(key, expiresAt), shown)) ? Number(expiresAt) : undefined;
}

const shortestKey = 32;

/** Keys in base64, separated by commas or blanks. Throws without showing a value. */
export function parseInternalKeys(text: string): Buffer[] {
  const keys = text.split(/[\s,]+/).flatMap((one) => (one === "" ? [] : [Buffer.from(one, "base64")]));
  if (keys.some((key) => key.length < shortestKey || key.every((byte) => byte === key[0]))) {
    throw new Error(`must be keys of at least ${shortestKey} random bytes in base64, separated by commas`);
  }
  return keys;
}

/** What a process of ours sends along where no certificate tells who it is. */
export const internalTokenHeader = "x-internal-token";

/** The other end of a connection. */
export interface Peer {
  /** The names in the certificate that it has proven to have, as they are written in it; none without one. */
  names(): readonly string[];
  /** Its IP address; empty when there is none. */
  readonly address: string;
}

export const peerKey = createContextKey<Peer>({ names: () => [], address: "" });

/** Answers with the headers that the call goes on with, the caller's among them. Throws when it may not be made. */
export type AdmitOutsider = (
  call: Pick<UnaryRequest, "header" | "method">,
  peer: Peer,
) => Promise<Readonly<Record<string, string>>>;

/** Somebody who runs the installation. */
export interface Operator {
  readonly name: string;
  /** Whoever may not looks, and changes nothing. */
  readonly mayChange: boolean;
}

/** Who calls the admin port; undefined for a call that came in elsewhere. */
export const operatorKey = createContextKey<Operator | undefined>(undefined, {
  description: "whose token it is",
});

/** Whoever has a token that was given to nobody by name. */
export const namelessOperator = "Operator";

export interface AdminToken extends Operator {
  readonly token: string;
}

/**
 * Lets operators who only look call what says of itself that it changes nothing, of these services alone: what services
 * offer to each other shows the data of customers. What says nothing of itself is refused.
 */
export const requireOperatorRight =
  (forOperators: ReadonlySet<string>): Interceptor =>
  (next) =>
  async (request) => {
    const operator = request.contextValues.get(operatorKey);
    const isLook = request.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    if (operator?.mayChange === true || (isLook && forOperators.has(request.service.typeName))) return next(request);
    throw new ConnectError(`the token of ${operator?.name ?? "no one"} is for looking alone`, Code.PermissionDenied);
  };

/**
 * Reads `TOKEN`, `NAME:TOKEN` or, for somebody who only looks, `NAME/view:TOKEN`, several of them with commas between.
 * Throws without showing a token.
 */
export function parseAdminTokens(text: string): readonly AdminToken[] {
  const parts = text.split(",").map((part) => part.trim());
  const tokens = parts.filter((part) => part !== "").map(parseAdminToken);
  if (new Set(tokens.map(({ token }) => token)).size < tokens.length) {
    throw new Error("must not contain a token twice");
  }
  return tokens;
}

function parseAdminToken(text: string): AdminToken {
  const parts = text.split(":");
  const [who, token] = parts.length === 1 ? [namelessOperator, text] : parts;
  const [, name, role] = /^([\p{L}\p{N} ._@+-]{1,64})(\/view)?$/u.exec(who ?? "") ?? [];
  if (parts.length > 2 || !token || !name) {
    throw new Error(
      "must be tokens with commas between them, before each of them a name of up to 64 letters, /view for who only looks, and a colon, or nothing",
    );
  }
  return { name, token, mayChange: role === undefined };
}

export interface CallerRules {
  /** How processes of ours prove themselves; nobody can so when absent. */
  readonly tokens?: Pick<InternalTokens, "isValid"> | undefined;
  /** The names that certificates of our processes have. */
  readonly ownNames: ReadonlySet<string>;
  /** Finds out who calls from elsewhere and what for; nobody may when absent. */
  readonly admitOutsider?: AdmitOutsider | undefined;
}

/** What tells on whose behalf a call is made. Believed from processes of ours, and never passed on from anybody else. */
const claims = ["x-org-id", "x-client-id", internalTokenHeader] as const;

/**
 * The first thing that happens to a call from another process: it is refused unless the caller has proven who it is.
 * A process of this installation may name the organization and client that it acts for.
 */
export function requireKnownCaller({ tokens, ownNames, admitOutsider }: CallerRules): Interceptor {
  const isOwn = (token: string | null, peer: Peer): boolean =>
    (token !== null && tokens?.isValid(token) === true) ||
    (ownNames.size > 0 && peer.names().some((name) => ownNames.has(name)));

  return (next) => async (request) => {
    const peer = request.contextValues.get(peerKey);
    if (isOwn(request.header.get(internalTokenHeader), peer)) return next(request);
    if (admitOutsider !== undefined && !request.stream) {
      const sent = new Headers(request.header);
      // Nothing of this is believed, passed on or logged.
      for (const name of [...claims, "authorization"]) request.header.delete(name);
      const admitted = await admitOutsider({ method: request.method, header: sent }, peer);
      for (const [name, value] of Object.entries(admitted)) request.header.set(name, value);
      return next(request);
    }
    // Nobody has proven what they say, so it is not logged as if it were so.
    for (const name of claims) request.header.delete(name);
    throw refusal(request.header.has("authorization") || peer.names().length > 0);
  };
}

const refusal = (hasCredential: boolean): ConnectError =>
  hasCredential
    ? new ConnectError(
        "only processes of this installation may call this port; others call the gRPC port of the gateway",
        Code.PermissionDenied,
      )
    : new ConnectError("the caller has not proven that it is a process of this installation", Code.Unauthenticated);

/** The DNS names and URIs of a certificate. */
export function namesOfCertificate({ subjectAltName }: Pick<X509Certificate, "subjectAltName">): string[] {
  // Node puts names with characters that could be taken for a separator in quotes; no process is called so.
  if (subjectAltName === undefined || subjectAltName.includes('"')) return [];
  return subjectAltName.split(", ").flatMap((entry) => /^(?:DNS|URI):(.+)$/.exec(entry)?.[1] ?? []);
}
