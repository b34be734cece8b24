import { type SignedIn, UserRole } from "#gen/assent/auth/v1/users_pb.ts";
import { callerHeaders } from "#platform/caller.ts";
import { parseOrgId } from "#platform/ids.ts";
import type { Authenticator } from "#platform/testing/authenticator.ts";
import type { AuthProcess } from "./harness.ts";

export const password = "correct horse battery";
export const visitor = { ip: "192.0.2.7", userAgent: "Browser/1.0" };

/** Somebody who is logged in. */
export interface Person {
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly sessionId: string;
  readonly token: string;
  /** What calls of the gateway for this person carry. */
  readonly call: { readonly headers: Record<string, string> };
}

let counter = 0;
export const someEmail = (name = "person"): string => `${name}-${++counter}@example.com`;

export const tokenOf = (url: string): string => url.split("#")[1] ?? "";

export async function createOwner(
  auth: AuthProcess,
  organizationId: string,
  email = someEmail("owner"),
): Promise<Person> {
  await auth.admin.createOwner({ organizationId, email, name: "Olive Owner", password });
  return logIn(auth, { organizationId, email });
}

/** Invited by the owner, without mails, and accepted. */
export async function createPerson(
  auth: AuthProcess,
  owner: Person,
  role: UserRole = UserRole.DEVELOPER,
  email = someEmail(),
): Promise<Person> {
  const { inviteUrl } = await auth.users.inviteUser({ email, name: "Pat Person", role, visitor }, owner.call);
  const { signedIn } = await auth.logins.acceptInvitation({ token: tokenOf(inviteUrl), password, visitor });
  return personOf(signedIn, email);
}

export async function logIn(
  auth: AuthProcess,
  request: { readonly organizationId?: string; readonly email: string; readonly password?: string },
): Promise<Person> {
  const { outcome } = await auth.logins.login({ password, visitor, ...request });
  if (outcome.case !== "signedIn") throw new Error(`the login ended with ${outcome.case}`);
  return personOf(outcome.value, request.email);
}

export function personOf(signedIn: SignedIn | undefined, email: string): Person {
  const { sessionToken = "", principal } = signedIn ?? {};
  const { organizationId = "", sessionId = "", user } = principal ?? {};
  const userId = user?.id ?? "";
  return { organizationId, userId, email, sessionId, token: sessionToken, call: callOf(organizationId, userId) };
}

export function callOf(organizationId: string, userId: string): Person["call"] {
  const orgId = parseOrgId(organizationId);
  if (orgId === undefined) throw new Error("the organization has no id");
  return { headers: callerHeaders({ orgId, clientId: `user:${userId}`, requestId: "request-1", traceparent: "" }) };
}

export const passkeyOrigin = "http://localhost";

/** Adds a passkey of this authenticator to the person's account. */
export async function addPasskey(auth: AuthProcess, person: Person, authenticator: Authenticator, name = "Laptop") {
  const { sessionId, call } = person;
  const origin = passkeyOrigin;
  const wanted = await auth.passkeys.beginPasskey({ password, sessionId, origin, visitor }, call);
  const made = authenticator.make({ ...wanted, origin });
  return auth.passkeys.addPasskey({ ...made, name, sessionId, origin, visitor }, call);
}

/** The actions of the trail, the oldest first. */
export async function trailOf(auth: AuthProcess, owner: Person): Promise<string[]> {
  const { events } = await auth.organization.listAuditEvents({ pageSize: 200 }, owner.call);
  return events.map(({ action }) => action).reverse();
}

export function fromBase32(text: string): Buffer {
  const bits = [...text]
    .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
