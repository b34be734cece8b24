import type { Clock } from "#platform/clock.ts";
import { isUuid } from "#platform/ids.ts";
import type { SigningKey, SigningKeys } from "../keys/signing-keys.ts";
import { isSignedBy, type ParsedJws, parseJws, signJws } from "../receipts/compact-jws.ts";

/** Signed statements of what was shown to whom. */
export interface RenderTokens {
  sign(claims: RenderClaims): Promise<string>;
  /**
   * The claims of a token of ours, whether or not it has expired; undefined for anything that we did not sign. Returns
   * synchronously unless the key is new to this process.
   */
  read(token: string): RenderClaims | undefined | Promise<RenderClaims | undefined>;
}

/** How far the clocks of two processes may differ. */
const skewSeconds = 60;
/** No session lives longer, so neither does a token. */
const maxLifetimeSeconds = 2_592_000;

export function createRenderTokens(deps: { keys: SigningKeys; clock: Clock }): RenderTokens {
  const accept = (jws: ParsedJws, key: SigningKey | undefined): RenderClaims | undefined => {
    // A stolen key can sign a token with any time in it, so nothing that a revoked key has signed is accepted any more.
    if (key === undefined || key.revokedAt !== null || !isSignedBy(jws, key.publicKey)) return undefined;
    const claims = parseRenderClaims(jws.payload);
    if (claims === undefined || claims.iat > secondsOf(deps.clock.now()) + skewSeconds) return undefined;
    if (claims.exp > claims.iat + maxLifetimeSeconds + skewSeconds) return undefined;
    return deps.keys.signedAt(key, renderedAt(claims)) ? claims : undefined;
  };
  return {
    sign: async (claims) => {
      const { kid, privateKey } = await deps.keys.signingAt(renderedAt(claims));
      return signJws({ typ: renderTokenForm.typ, kid, key: privateKey, payload: claims });
    },
    read: (token) => {
      const jws = parseJws(token, renderTokenForm);
      if (jws === undefined) return undefined;
      const key = deps.keys.find(jws.kid);
      return key instanceof Promise ? key.then((found) => accept(jws, found)) : accept(jws, key);
    },
  };
}

/** What a render token says: who was shown which exact text, where and when. Times are seconds since 1970. */
export interface RenderClaims {
  /** The rendering. */
  readonly rnd: string;
  readonly org: string;
  /** The client that asked for the rendering, or that created the session. */
  readonly cid: string;
  readonly sid?: string;
  readonly dep?: string;
  /** The snapshot of the deployment. */
  readonly dsh?: string;
  readonly tpl: string;
  readonly ver: string;
  readonly rev: number;
  readonly locale: string;
  /** The hash of the text. */
  readonly ch: string;
  /** The hash of its HTML. */
  readonly rh: string;
  /** The hash of the words around it. */
  readonly wh: string;
  /** A keyed hash of the user reference, when the rendering was for one user. */
  readonly usr?: string;
  /** With milliseconds, since display times are computed from it. */
  readonly iat: number;
  readonly exp: number;
}

/** The token in its encoded form. */
export const renderTokenForm = { typ: "click-render+jws", maxLength: 4_096 } as const;

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string" && value !== "";
const uuid: Check = (value) => typeof value === "string" && isUuid(value);
const hash: Check = (value) => typeof value === "string" && /^sha256:[0-9a-f]{64}$/.test(value);
const time: Check = (value) => typeof value === "number" && Number.isFinite(value) && value > 0;
const revision: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const checks: Readonly<Record<keyof RenderClaims, Check>> = {
  rnd: uuid,
  org: uuid,
  cid: text,
  sid: optional(uuid),
  dep: optional(uuid),
  dsh: optional(hash),
  tpl: uuid,
  ver: uuid,
  rev: revision,
  locale: text,
  ch: hash,
  rh: hash,
  wh: hash,
  usr: optional(text),
  iat: time,
  exp: time,
};

/** Undefined for claims that no token of ours contains. */
function parseRenderClaims(value: unknown): RenderClaims | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const claims = value as Record<string, unknown>;
  const isComplete = Object.entries(checks).every(([name, check]) =>
    check(Object.hasOwn(claims, name) ? claims[name] : undefined),
  );
  return isComplete && (claims.dep === undefined) === (claims.dsh === undefined)
    ? (claims as unknown as RenderClaims)
    : undefined;
}

export const secondsOf = (date: Date): number => date.getTime() / 1000;

/** When the text was rendered, by the clock of the service. */
export const renderedAt = ({ iat }: RenderClaims): Date => new Date(Math.round(iat * 1000));

export const isExpired = ({ exp }: RenderClaims, now: Date): boolean => exp <= secondsOf(now);
