import type { JsonSchema } from "#api/kinds.ts";
import { dashboardScopeMeanings, scopeMeanings } from "../../auth/principal.ts";

import {
  answer,
  anyText,
  count,
  dateTime,
  described,
  example,
  extended,
  flag,
  languageTag,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "../schema-parts.ts";

export const email = example(described(text(1, 320), "Compared without regard to case."), "ann@example.com");
export const personName = example(text(1, 255), "Ann Example");
export const role = described(
  oneOf("viewer", "developer", "owner"),
  "Viewers read, developers also write and manage keys and clients, owners also manage users and the organization.",
);
/** As they were typed; what a new one must be is said by the answer that refuses it. */
export const password = example(text(1, 1_000), "correct horse battery staple");
export const newPassword = described(
  password,
  "12 to 200 characters, and not made of the person's name, address or organization.",
);
export const linkToken = example(described(text(1, 100), "What the link has after its #."), "A".repeat(43));
export const code = example(text(1, 20), "123456");
export const locale = { ...languageTag, maxLength: 35 };
export const timeZone = example(described(text(1, 64), "A name of the IANA time zone database."), "Europe/Berlin");

export const userSchema = answer({
  id: uuid,
  email: example(anyText, "ann@example.com"),
  name: example(anyText, "Ann Example"),
  role,
  status: described(oneOf("active", "invited", "disabled"), "Invited users have no password yet."),
  locale: orNull(languageTag),
  timeZone: orNull(timeZone),
  hasPassword: described(flag, "Whether the user can log in with a password, not by an identity provider alone."),
  totpEnabled: described(flag, "Whether a second factor is asked for."),
  recoveryCodesLeft: example(count, 10),
  createdAt: dateTime,
  lastLoginAt: orNull(dateTime),
});

export const invitedSchema = answer({
  user: userSchema,
  inviteUrl: orNull(
    described(
      example(anyText, "https://api.example.com/dashboard/invitation#0123456789abcdefABCD-_0123456789abcdefABCDEFx"),
      "The link, to be handed over by other means; null when it is mailed.",
    ),
  ),
});

const scopeNames = [...Object.keys(scopeMeanings), ...Object.keys(dashboardScopeMeanings)];

export const signedInSchema = answer({
  user: userSchema,
  organizationId: uuid,
  scopes: example(described(listOf(oneOf(...scopeNames)), "What the role allows."), ["click:read", "dashboard:read"]),
  csrfToken: example(
    described(anyText, "For the header X-CSRF-Token of requests that change something."),
    "0123456789abcdefABCD-_0123456789abcdefABCDE",
  ),
  expiresAt: described(dateTime, "When the session ends at the latest. It ends after 12 hours without use, too."),
});

export const loginSchema = answer({
  status: described(
    oneOf("signed_in", "code_required", "organization_required"),
    "signed_in: there is a session. code_required: send a code of the second factor with pendingToken to /v1/dashboard/login/code. organization_required: the password is right in several organizations; send the request again with one of them.",
  ),
  session: orNull(signedInSchema),
  pendingToken: orNull(example(anyText, "0123456789abcdefABCD-_0123456789abcdefABCDE")),
  pendingUntil: orNull(dateTime),
  organizations: listOf(answer({ id: uuid, name: example(anyText, "Example AG") })),
});

export const userSessionSchema = answer({
  id: uuid,
  current: described(flag, "Whether it is the session that asks."),
  createdAt: dateTime,
  lastSeenAt: described(dateTime, "To a minute."),
  expiresAt: dateTime,
  ip: orNull(example(anyText, "192.0.2.1")),
  userAgent: orNull(example(anyText, "Mozilla/5.0")),
});

export const secondFactorSchema = answer({ totpEnabled: flag, recoveryCodesLeft: example(count, 10) });

export const totpSecretSchema = answer({
  secret: example(described(anyText, "In base32, for typing it in."), "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
  uri: example(
    described(anyText, "The same for a QR code."),
    "otpauth://totp/Example%20AG:ann%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example%20AG",
  ),
});

export const recoveryCodesSchema = answer({
  recoveryCodes: example(
    described(listOf(anyText), "Each stands in for a code once. They are shown here and never again."),
    ["abcde-fghij-klmno-pqrst"],
  ),
});

const used = {
  createdAt: dateTime,
  lastUsedAt: orNull(described(dateTime, "To a minute.")),
  revokedAt: orNull(dateTime),
};

export const apiKeySchema = answer({
  id: example(anyText, "GTHduqAAZ9ob1teB"),
  name: example(anyText, "Shop backend"),
  ...used,
});

export const createdApiKeySchema = secretly(apiKeySchema, {
  apiKey: example(described(anyText, "Shown here and never again."), "ak_live_GTHduqAAZ9ob1teB_0123456789abcdef"),
});

export const clientSchema = answer({
  id: example(anyText, "cl_0123456789abcdefABCDEF"),
  name: example(anyText, "Shop backend"),
  scopes: example(listOf(anyText), ["click:read", "click:write"]),
  ...used,
});

export const createdClientSchema = secretly(clientSchema, {
  clientSecret: example(
    described(anyText, "Shown here and never again."),
    "cs_0123456789abcdefABCDEF0123456789abcdefABCDE",
  ),
});

const perWindow = example(described(count, "Requests per 60 s and client."), 1_200);

export const organizationSchema = answer({
  id: uuid,
  name: example(anyText, "Example AG"),
  plan: oneOf("gen_pro", "gen_starter", "gen_hoa", "business", "gen_payg"),
  sandbox: flag,
  limits: answer({ accept: perWindow, render: perWindow, other: perWindow, sign: perWindow }),
  locale: orNull(described(languageTag, "The language of users who are invited without one.")),
  timeZone: orNull(described(timeZone, "The time zone of users who are invited.")),
  createdAt: dateTime,
});

const nameOrNull = (value: string): JsonSchema => orNull(example(anyText, value));

export const auditEventSchema = answer({
  id: uuid,
  at: dateTime,
  action: example(described(anyText, "Such as login.failed or user.invited."), "user.invited"),
  actorId: orNull(
    example(
      described(anyText, "Who did it: the id of a user, or operator for the command line."),
      "01961234-5678-7abc-8def-0123456789ab",
    ),
  ),
  actorName: nameOrNull("Ann Example"),
  subjectId: orNull(example(described(anyText, "What it was done to."), "01961234-5678-7abc-8def-0123456789ac")),
  subjectName: nameOrNull("Ben Example"),
  details: {
    type: "object",
    description: "More about it, by names such as role.",
    additionalProperties: { type: "string" },
    examples: [{ role: "viewer" }],
  },
  requestId: nameOrNull("01961234-5678-7abc-8def-0123456789ad"),
  ip: nameOrNull("192.0.2.1"),
  userAgent: nameOrNull("Mozilla/5.0"),
});

/** An object of an answer with a secret more. */
function secretly(schema: JsonSchema, secrets: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { properties } = extended(schema, secrets);
  return answer(properties as Readonly<Record<string, JsonSchema>>);
}

/** A body of which every field may be left out. */
export const changes = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => object(properties, []);
