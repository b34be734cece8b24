import type { Clock } from "#platform/clock.ts";
import type { SigningKey, SigningKeys } from "../keys/signing-keys.ts";
import { isSignedBy, type ParsedJws, parseJws, signJws } from "../receipts/compact-jws.ts";
import { parseRenderClaims, type RenderClaims, renderedAt, renderTokenForm, secondsOf } from "./render-claims.ts";

/** Signed statements of what was shown to whom. */
export interface RenderTokens {
  sign(claims: RenderClaims): Promise<string>;
  /**
   * What a token of ours says, whether or not it has expired; undefined for anything that we did not sign. At once
   * unless the key is new to this process.
   */
  read(token: string): RenderClaims | undefined | Promise<RenderClaims | undefined>;
}

/** How far the clocks of two processes may differ. */
const skewSeconds = 60;
/** No session lives longer, so no token does. */
const maxLifetimeSeconds = 2_592_000;

export function createRenderTokens(deps: { keys: SigningKeys; clock: Clock }): RenderTokens {
  const accept = (jws: ParsedJws, key: SigningKey | undefined): RenderClaims | undefined => {
    // Whoever stole a key can write any time into a token, so nothing that a revoked key has signed counts any more.
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
