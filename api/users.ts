import { NoticeDelivery, NoticeSettingsSchema } from "#gen/assent/auth/v1/notices_pb.ts";
import {
  AcceptInvitationRequestSchema,
  BeginTotpRequestSchema,
  BeginTotpResponseSchema,
  ChangePasswordRequestSchema,
  ConfirmTotpRequestSchema,
  ConfirmTotpResponseSchema,
  ContinueLoginRequestSchema,
  InviteUserRequestSchema,
  InviteUserResponseSchema,
  LoginRequestSchema,
  type LoginResponse,
  LoginResponseSchema,
  OrganizationChoice_OptionSchema,
  RequestPasswordResetRequestSchema,
  ResetPasswordRequestSchema,
  RevokeOtherSessionsResponseSchema,
  SessionPrincipalSchema,
  UpdateUserRequestSchema,
  UserRole,
  UserSchema,
  UserSessionSchema,
  UserStatus,
} from "#gen/assent/auth/v1/users_pb.ts";
import {
  count,
  described,
  flag,
  type Kind,
  languageTag,
  list,
  named,
  nullableSchema,
  orNull,
  text,
  time,
  uuid,
} from "./kinds.ts";
import { type AnswerOf, changeable, computed, given, optional, readOnly, required } from "./members.ts";
import { passkeyChallenge } from "./passkeys.ts";
import { nested, resource, shown } from "./resource.ts";
import { dashboardScopeMeanings, scopeMeanings } from "./scopes.ts";

/** A language that somebody chooses. */
export const chosenLanguage: Kind<string> = {
  at: (slot) => {
    const { schema } = languageTag.at(slot);
    return { schema: (direction) => ({ ...schema(direction), ...(direction === "answer" ? {} : { maxLength: 35 }) }) };
  },
};
export const timeZone = described(text(1, 64, { everywhere: true }), "A name of the IANA time zone database.");
export const exampleZone = { example: "Europe/Berlin" } as const;

const email = { example: "ann@example.com" } as const;
const name = { example: "Ann Example" } as const;
const role = described(
  named(UserRole, "lower", ["VIEWER", "DEVELOPER", "OWNER"]),
  "Viewers read, developers also write and manage keys and clients, owners also manage users and the organization.",
);

const told = (description: string, example = true) => required(flag, { description, example });
const notices = resource(NoticeSettingsSchema, {
  delivery: required(named(NoticeDelivery, "lower", ["IMMEDIATE", "DAILY"]), {
    description: "immediate: one email for each; daily: one email a day at 8:00 in the user's time zone.",
    example: "daily",
  }),
  viewed: told("A recipient has opened an agreement.", false),
  signed: told("A recipient finished their part."),
  declined: told("A recipient has declined."),
  completed: told("Everyone is done, and the documents are sealed."),
  expiring: told("The time of an agreement is nearly over."),
  expired: told("An agreement was not finished in time."),
  undelivered: told("A recipient can't continue: an email bounced, or a verification is locked."),
  applications: told("Also of agreements that API keys and OAuth clients have sent.", false),
});

const defaultNotices = {
  ...{ delivery: "immediate" as const, viewed: false, signed: true, declined: true, completed: true, expiring: true },
  ...{ expired: true, undelivered: true, applications: false },
} as const;

export const user = resource(
  UserSchema,
  {
    id: readOnly(uuid),
    email: readOnly(text(), email),
    name: changeable(text(1, 255), name),
    role: changeable(role),
    status: changeable(named(UserStatus, "lower", ["ACTIVE", "INVITED", "DISABLED"]), {
      sentAs: named(UserStatus, "lower", ["ACTIVE", "DISABLED"]),
      description: { answer: "Invited users have no password yet." },
    }),
    locale: changeable(orNull(chosenLanguage)),
    timeZone: changeable(orNull(timeZone), exampleZone),
    notices: changeable(nested(notices), {
      description: "Which events of agreements that the user sent are reported by email.",
      default: defaultNotices,
    }),
    hasPassword: readOnly(flag, {
      description: "Whether the user can sign in with a password, not only through an identity provider.",
    }),
    totpEnabled: readOnly(flag, { description: "Whether two-factor authentication is on." }),
    passkeys: readOnly(count, {
      description: "How many passkeys the user has. With one, the password alone doesn't sign in.",
      example: 1,
    }),
    recoveryCodesLeft: readOnly(count, { example: 10 }),
    createdAt: readOnly(time),
    lastLoginAt: readOnly(orNull(time)),
  },
  { change: UpdateUserRequestSchema },
);

const emailSent = required(described(text(1, 320), "Compared without regard to case."), email);

export const invitation = resource(InviteUserRequestSchema, {
  email: emailSent,
  name: required(text(1, 255), name),
  role: required(role),
  locale: optional(chosenLanguage),
});
export const invited = shown(InviteUserResponseSchema, {
  user: readOnly(nested(user)),
  inviteUrl: given<string | null>({
    type: ["string", "null"],
    description: "The link to pass on yourself; null if it is emailed.",
    examples: ["https://api.example.com/dashboard/invitation#0123456789abcdefABCD-_0123456789abcdefABCDEFx"],
  }),
});

/** As they were typed; what a new one must be is said by the answer that refuses it. */
const password = required(text(1, 1_000), { example: "correct horse battery staple" });
const newPassword = required(text(1, 1_000), {
  description: "12 to 200 characters. It can't be made of the person's name, address or organization.",
  example: "correct horse battery staple",
});
const linkToken = required(described(text(1, 100), "What the link has after its #."), { example: "A".repeat(43) });

export const acceptance = resource(AcceptInvitationRequestSchema, {
  token: linkToken,
  password: newPassword,
  name: optional(text(1, 255), { ...name, description: "Replaces what the inviting person entered." }),
  locale: optional(chosenLanguage, {
    description: "Used if neither the invitation nor the organization has one.",
  }),
  timeZone: optional(timeZone, { ...exampleZone, description: "Used if the organization has none." }),
});
export const passwordReset = resource(ResetPasswordRequestSchema, { token: linkToken, password: newPassword });
export const forgottenPassword = resource(RequestPasswordResetRequestSchema, { email: emailSent });
export const passwordChange = resource(ChangePasswordRequestSchema, { currentPassword: password, newPassword });
/** What somebody knows who is about to change how they sign in. */
export const passwordProof = resource(BeginTotpRequestSchema, { password });

export const credentials = resource(LoginRequestSchema, {
  email: emailSent,
  password,
  organizationId: optional(uuid, { description: "One of the organizations from an earlier response." }),
});
export const loginCode = resource(ContinueLoginRequestSchema, {
  pendingToken: required(text(1, 100), { description: "The pendingToken of the login." }),
  code: required(text(1, 100), { example: "123456" }),
});

const scopeNames = [...Object.keys(scopeMeanings), ...Object.keys(dashboardScopeMeanings)];
const exampleToken = "0123456789abcdefABCD-_0123456789abcdefABCDE";

export const signedIn = shown(SessionPrincipalSchema, {
  user: readOnly(nested(user)),
  organizationId: readOnly(uuid),
  scopes: given<readonly string[]>(
    { type: "array", items: { type: "string", enum: scopeNames } },
    { description: "The scopes that the role allows.", example: ["click:read", "dashboard:read"] },
  ),
  csrfToken: readOnly(text(), {
    description: "For the header X-CSRF-Token of requests that change something.",
    example: exampleToken,
  }),
  expiresAt: readOnly(time, {
    description: "When the session ends at the latest. It also ends after 12 hours without use.",
  }),
});
export type SignedIn = AnswerOf<typeof signedIn.table>;

const organizationChoice = shown(OrganizationChoice_OptionSchema, {
  id: readOnly(uuid, { at: "organizationId" }),
  name: readOnly(text(), { example: "Example AG" }),
});

const outcomes = { signedIn: "signed_in", secondFactor: "code_required", choice: "organization_required" } as const;

export const login = shown(LoginResponseSchema, {
  status: computed(
    { type: "string", enum: Object.values(outcomes) },
    ({ outcome }: LoginResponse) => outcomes[outcome.case ?? "choice"],
    {
      description:
        "signed_in: there is a session. code_required: send a two-factor code with pendingToken to /v1/dashboard/login/code. organization_required: the password is right in several organizations; send the request again with one of them.",
    },
  ),
  session: given<SignedIn | null>(nullableSchema(signedIn.schemas.answer)),
  pendingToken: readOnly(orNull(text()), { at: "secondFactor.pendingToken", example: exampleToken }),
  pendingUntil: readOnly(orNull(time), { at: "secondFactor.expiresAt" }),
  totp: readOnly(flag, {
    at: "secondFactor.totp",
    default: false,
    description: "Whether an authenticator app can give the code. A recovery code always can.",
  }),
  passkey: readOnly(orNull(nested(passkeyChallenge)), {
    at: "secondFactor.passkey",
    description: "What a passkey signs in place of a code, for /v1/dashboard/login/code/passkey.",
  }),
  organizations: readOnly(list(nested(organizationChoice)), { at: "choice.options", default: [] }),
});

export const userSession = shown(UserSessionSchema, {
  id: readOnly(uuid),
  current: given<boolean>({ type: "boolean" }, { description: "Whether this is the session of the request." }),
  createdAt: readOnly(time),
  lastSeenAt: readOnly(time, { description: "Exact to about a minute." }),
  expiresAt: readOnly(time),
  ip: readOnly(orNull(text()), { example: "192.0.2.1" }),
  userAgent: readOnly(orNull(text()), { example: "Mozilla/5.0" }),
});
export const revokedSessions = shown(RevokeOtherSessionsResponseSchema, { revoked: readOnly(count, { example: 2 }) });

export const secondFactor = shown(UserSchema, {
  totpEnabled: readOnly(flag),
  passkeys: readOnly(count, { example: 1 }),
  recoveryCodesLeft: readOnly(count, { example: 10 }),
});
export const totpSecret = shown(BeginTotpResponseSchema, {
  secret: readOnly(text(), {
    description: "The secret in Base32, for typing it in.",
    example: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  }),
  uri: readOnly(text(), {
    description: "The same secret as a URL for a QR code.",
    example:
      "otpauth://totp/Example%20AG:ann%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example%20AG",
  }),
});
export const totpCode = resource(ConfirmTotpRequestSchema, { code: required(text(1, 20), { example: "123456" }) });
export const recoveryCodes = shown(ConfirmTotpResponseSchema, {
  recoveryCodes: readOnly(list(text()), {
    description: "Each replaces a code once. Shown only in this response.",
    example: ["abcde-fghij-klmno-pqrst"],
  }),
});

export type User = AnswerOf<typeof user.table>;
export type LoginAnswer = AnswerOf<typeof login.table>;
export type UserSession = AnswerOf<typeof userSession.table>;
