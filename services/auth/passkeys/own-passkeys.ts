import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { recordsOf } from "#api/records.ts";
import { type AddPasskeyRequest, PasskeySchema, type PasskeyService } from "#gen/assent/auth/v1/passkeys_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { refusedField } from "#platform/problems.ts";
import { parseName } from "../domain/organization.ts";
import { type CheckLoginDeps, provePassword } from "../logins/check-login.ts";
import { requestMail } from "../logins/mailed-links.ts";
import { giveRecoveryCodes, hasSecondFactor } from "../logins/second-step.ts";
import { type Acting, type ActingDeps, actAs, callingUser, originOf } from "../rpc/acting.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { renewOwnSession } from "../rpc/sessions.ts";
import { deleteChallengesOf, replaceRecoveryCodes } from "../store/second-factor-store.ts";
import { findOrganizationName, findUser, lockUser } from "../store/user-store.ts";
import { type ChallengeUse, hashChallenge, makeChallenge, readChallenge, userHandle } from "./challenge.ts";
import { deletePasskey, insertPasskey, listPasskeysOf, renamePasskeyOf, spendChallenge } from "./passkey-store.ts";
import { describedPasskeys } from "./use-passkey.ts";
import { challengeIn, isTransport, readAttestation, rpIdOf } from "./webauthn.ts";

type Rpcs<Name extends keyof ServiceImpl<typeof PasskeyService>> = Pick<ServiceImpl<typeof PasskeyService>, Name>;

const maxPasskeys = 20;
const maxNameLength = 100;
const passkeys = recordsOf(PasskeySchema);

/** A session adds with what it has begun itself. */
const useOf = (userId: string, sessionId: string): ChallengeUse => ({
  purpose: "add",
  boundTo: `${userId}:${sessionId}`,
});

export const listPasskeys = (deps: ActingDeps): Rpcs<"listPasskeys"> => ({
  listPasskeys: (_request, context) =>
    actAs(deps, context, {}, async ({ tenant, actor }) => ({
      passkeys: (await listPasskeysOf(tenant, actor.id)).map(passkeys.write),
    })),
});

export const beginPasskey = (deps: CheckLoginDeps): Rpcs<"beginPasskey"> => ({
  async beginPasskey({ password, sessionId, origin, visitor }, context) {
    const caller = callingUser(context);
    const rpId = rpIdOf(origin);
    if (rpId === undefined) throw new DomainError("PASSKEY_NOT_ADDED");
    await provePassword(deps, caller, password, originOf(context, visitor));
    return actAs(deps, context, { visitor }, async ({ tenant, actor, now }) => {
      if (actor.passkeys >= maxPasskeys) throw tooMany();
      const { challenge, expiresAt } = makeChallenge(deps.keys, useOf(actor.id, sessionId), now);
      const organization = await findOrganizationName(tenant);
      return {
        ...{ challenge, rpId, rpName: "Assent", expiresAt: timestampFromDate(expiresAt) },
        ...{ userHandle: userHandle(tenant.orgId, actor.id), userName: actor.email },
        displayName: `${actor.name} (${organization})`,
        known: await describedPasskeys(tenant, actor.id, rpId),
      };
    });
  },
});

const tooMany = () => refusedField("name", "TOO_MANY_PASSKEYS", `you have ${maxPasskeys} passkeys already`);

function passkeyName(text: string): string {
  const name = parseName(text);
  if ([...name].length <= maxNameLength) return name;
  throw refusedField("name", "TOO_LONG", `must have at most ${maxNameLength} characters`);
}

type AddDeps = ActingDeps & Pick<AuthDeps, "keys" | "mail" | "publicUrl" | "wakeMails">;

export const addPasskey = (deps: AddDeps): Rpcs<"addPasskey"> => ({
  async addPasskey(request, context) {
    const name = passkeyName(request.name);
    const { sessionId, visitor } = request;
    const added = await actAs(deps, context, { visitor }, async (acting) => {
      const { tenant, audit } = acting;
      // Those who add at once do it one after the other.
      const actor = (await lockUser(tenant, acting.actor.id)) ?? acting.actor;
      if (actor.passkeys >= maxPasskeys) throw tooMany();
      const passkey = { ...(await readNew(deps, acting, request)), name };
      if (!(await insertPasskey(tenant, passkey))) throw new DomainError("PASSKEY_EXISTS");
      const isFirst = !hasSecondFactor(actor) || actor.recoveryCodesLeft === 0;
      const recoveryCodes = isFirst ? await giveRecoveryCodes(deps, acting) : [];
      await audit("passkey.added", { id: passkey.id, name });
      await requestMail(deps, tenant, { userId: actor.id, kind: "passkey-added", details: { passkey: name } });
      const shown = passkeys.write({ ...passkey, lastUsedAt: null });
      return { passkey: shown, recoveryCodes, newSessionToken: await renewOwnSession(acting, sessionId) };
    });
    deps.wakeMails();
    return added;
  },
});

/** Rejects with PASSKEY_NOT_ADDED for what this session has not begun, or no authenticator has made. */
async function readNew(deps: AddDeps, { tenant, actor, now }: Acting, request: AddPasskeyRequest) {
  const { sessionId, origin, discoverable } = request;
  const challenge = challengeIn(request.clientDataJson);
  const expiresAt = readChallenge(deps.keys, useOf(actor.id, sessionId), challenge, now);
  const rpId = rpIdOf(origin);
  if (expiresAt === undefined || rpId === undefined) throw new DomainError("PASSKEY_NOT_ADDED");
  const made = await readAttestation(request, { challenge, origin, rpId });
  const isFresh = made !== undefined && (await spendChallenge(tenant, hashChallenge(challenge), expiresAt));
  if (!isFresh) throw new DomainError("PASSKEY_NOT_ADDED");
  const { isUserVerified, isSynced, ...credential } = made;
  return {
    ...credential,
    ...{ id: deps.newId(), userId: actor.id, rpId, createdAt: now, synced: isSynced },
    transports: request.transports.filter(isTransport),
    // A browser that does not say whether it is found may still find it.
    passwordless: isUserVerified && discoverable !== false,
  };
}

const passkeyNotFound = () => new DomainError("NOT_FOUND", { message: "You have no passkey with this id." });

export const renamePasskey = (deps: ActingDeps): Rpcs<"renamePasskey"> => ({
  renamePasskey: ({ passkeyId, name }, context) =>
    actAs(deps, context, {}, async ({ tenant, actor }) => {
      if (!isUuid(passkeyId)) throw passkeyNotFound();
      const renamed = await renamePasskeyOf(tenant, actor.id, { id: passkeyId, name: passkeyName(name) });
      if (renamed === undefined) throw passkeyNotFound();
      return { passkey: passkeys.write(renamed) };
    }),
});

export const removePasskey = (deps: CheckLoginDeps): Rpcs<"removePasskey"> => ({
  async removePasskey({ passkeyId, password, sessionId, visitor }, context) {
    const known = await actAs(deps, context, {}, ({ tenant, actor }) => listPasskeysOf(tenant, actor.id));
    // What is not there takes no try of the password.
    if (!known.some(({ id }) => id === passkeyId.toLowerCase())) throw passkeyNotFound();
    await provePassword(deps, callingUser(context), password, originOf(context, visitor));
    const removed = await actAs(deps, context, { visitor }, async (acting) => {
      const { tenant, actor, audit } = acting;
      await lockUser(tenant, actor.id);
      const name = await deletePasskey(tenant, actor.id, passkeyId);
      if (name === undefined) throw passkeyNotFound();
      const left = await findUser(tenant, actor.id);
      if (left !== undefined && !hasSecondFactor(left)) {
        await replaceRecoveryCodes(tenant, actor.id, []);
        await deleteChallengesOf(tenant, actor.id);
      }
      await audit("passkey.removed", { id: passkeyId.toLowerCase(), name });
      await requestMail(deps, tenant, { userId: actor.id, kind: "passkey-removed", details: { passkey: name } });
      return { newSessionToken: await renewOwnSession(acting, sessionId) };
    });
    deps.wakeMails();
    return removed;
  },
});
