import { isUuid } from "#platform/ids.ts";

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
  /** With milliseconds: display times are counted from it. */
  readonly iat: number;
  readonly exp: number;
}

/** How a render token looks from outside. */
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

/** Undefined for claims that no token of ours has. */
export function parseRenderClaims(value: unknown): RenderClaims | undefined {
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
