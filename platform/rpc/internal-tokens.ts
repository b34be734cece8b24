import { createHmac, timingSafeEqual } from "node:crypto";

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
