import { signAccessToken, type TokenSubject } from "../domain/access-token.ts";
import { tokenLifetimeSeconds } from "../domain/key-schedule.ts";
import type { AuthDeps } from "./deps.ts";

export type IssueDeps = Pick<AuthDeps, "keyring" | "issuer" | "usage" | "clock" | "newId">;

/** The access token of a client that has proven who it is, in whichever way. */
export async function issueFor(deps: IssueDeps, subject: Omit<TokenSubject, "tokenId">) {
  const accessToken = await signAccessToken(
    deps.issuer,
    await deps.keyring.signingKey(),
    { tokenId: deps.newId(), ...subject },
    deps.clock.now(),
  );
  deps.usage.note(subject.orgId, subject.clientId);
  return { accessToken, expiresIn: tokenLifetimeSeconds, scopes: [...subject.scopes] };
}
