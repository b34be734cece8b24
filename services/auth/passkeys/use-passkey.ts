import type { Tenant } from "#platform/db/pool.ts";
import type { Origin } from "../domain/audit.ts";
import type { User } from "../domain/user.ts";
import { auditEntry } from "../logins/audit-entry.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { addAudit } from "../store/audit-store.ts";
import { listPasskeysOf, lockPasskey, notePasskeyUse } from "./passkey-store.ts";
import { type Assertion, isRepeated, readAssertion, rpIdOf } from "./webauthn.ts";

type Deps = Pick<AuthDeps, "clock" | "newId">;

export interface Shown {
  readonly assertion: Assertion;
  readonly challenge: string;
  /** Where the browser is. */
  readonly address: string;
  /** Whether the passkey has to have verified who uses it, because nothing else has. */
  readonly isAlone: boolean;
  readonly origin: Origin;
}

/**
 * Whether a passkey of the user has signed the challenge, in the caller's transaction, which has locked the user. A
 * passkey whose count goes back was copied: the trail says so, and it signs nobody in.
 */
export async function isPasskey(deps: Deps, tenant: Tenant, user: User, shown: Shown): Promise<boolean> {
  const { assertion, challenge, address, isAlone, origin } = shown;
  const passkey = await lockPasskey(tenant, user.id, Buffer.from(assertion.id, "base64url"));
  // Passkeys stay with the host that they were made for, whatever address is told now.
  if (passkey === undefined || passkey.rpId !== rpIdOf(address)) return false;
  const read = await readAssertion(assertion, passkey, { challenge, origin: address, rpId: passkey.rpId });
  if (read === undefined || (isAlone && !read.isUserVerified)) return false;
  const { id, name, signCount } = passkey;
  if (isRepeated(signCount, read.signCount)) {
    const what = { action: "passkey.copied", actor: user, subject: { id, name }, origin } as const;
    await addAudit(tenant, auditEntry(deps, what));
    return false;
  }
  await notePasskeyUse(tenant, { id, signCount: read.signCount, synced: read.isSynced, now: deps.clock.now() });
  return true;
}

/** The passkeys of a user at an address, as browsers name them. */
export async function describedPasskeys(tenant: Tenant, userId: string, rpId: string) {
  const passkeys = (await listPasskeysOf(tenant, userId)).filter((passkey) => passkey.rpId === rpId);
  return passkeys.map(({ credentialId, transports }) => ({
    id: credentialId.toString("base64url"),
    transports: [...transports],
  }));
}
