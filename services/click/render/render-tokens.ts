import type { Clock } from "#platform/clock.ts";
import { isSignedBy, type ParsedJws, parseJws, signJws } from "../domain/compact-jws.ts";
import {
  parseRenderClaims,
  type RenderClaims,
  renderedAt,
  renderTokenForm,
  secondsOf,
} from "../domain/render-claims.ts";
import type { RenderKey, RenderKeys } from "./render-keys.ts";

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

export function createRenderTokens(deps: { keys: RenderKeys; clock: Clock }): RenderTokens {
  const accept = (jws: ParsedJws, key: RenderKey | undefined): RenderClaims | undefined => {
    if (key === undefined || !isSignedBy(jws, key.publicKey)) return undefined;
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
