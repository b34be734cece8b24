import {
  AddPasskeyRequestSchema,
  AddPasskeyResponseSchema,
  BeginPasskeyLoginResponseSchema,
  BeginPasskeyRequestSchema,
  BeginPasskeyResponseSchema,
  ContinueLoginWithPasskeyRequestSchema,
  LoginWithPasskeyRequestSchema,
  PasskeySchema,
  RemovePasskeyRequestSchema,
  RenamePasskeyRequestSchema,
} from "#gen/assent/auth/v1/passkeys_pb.ts";
import { PasskeyChallengeSchema, PasskeyDescriptorSchema } from "#gen/assent/auth/v1/users_pb.ts";
import { flag, list, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, optional, readOnly, required } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";

const exampleId = "0DNH8e4uB1bWkJxFk2Cg1w";
const exampleChallenge = "q2NsYWltcyBhcmUgYmFzZTY0dXJsIHdpdGhvdXQgcGFkZGluZw";
const exampleHost = { example: "api.example.com" } as const;
const id = { description: "The id of the credential, in base64url.", example: exampleId } as const;
const challenge = { description: "What the authenticator signs, in base64url.", example: exampleChallenge } as const;
const name = { example: "Work laptop" } as const;
const password = required(text(1, 1_000), { example: "correct horse battery staple" });

export const passkey = resource(
  PasskeySchema,
  {
    id: readOnly(uuid),
    name: required(text(1, 100, { everywhere: true }), name),
    passwordless: readOnly(flag, {
      description: "Whether it can sign in by itself. Others are accepted after the password only.",
      example: true,
    }),
    synced: readOnly(flag, { description: "Whether a service copies it to several devices.", example: true }),
    createdAt: readOnly(time),
    lastUsedAt: readOnly(orNull(time)),
  },
  { create: RenamePasskeyRequestSchema },
);
export type Passkey = AnswerOf<typeof passkey.table>;

const descriptor = shown(PasskeyDescriptorSchema, {
  id: readOnly(text(), id),
  transports: readOnly(list(text()), { description: "How browsers reach it.", example: ["internal", "hybrid"] }),
});

/** What a browser asks authenticators for that belong to a user. */
export const passkeyChallenge = shown(PasskeyChallengeSchema, {
  challenge: readOnly(text(), challenge),
  rpId: readOnly(text(), exampleHost),
  known: readOnly(list(nested(descriptor)), { description: "The passkeys of the user." }),
});

export const passkeyLogin = shown(BeginPasskeyLoginResponseSchema, {
  challenge: readOnly(text(), challenge),
  rpId: readOnly(text(), exampleHost),
  expiresAt: readOnly(time),
});

const signed = {
  id: required(text(1, 1_400), id),
  clientDataJson: required(text(1, 4_096), { example: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoicTJO" }),
  authenticatorData: required(text(1, 4_096), { example: "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA" }),
  signature: required(text(1, 2_048), { example: "MEUCIQDKg6UtYB3lM8w0pJ2mB2V9i1nqJrGYqNS9" }),
} as const;

export const passkeyProof = resource(LoginWithPasskeyRequestSchema, {
  ...signed,
  userHandle: required(text(1, 100), { example: "AZYSNFZ4erye3wEjRWeJqwGWEjRWeHq8ne8BI0VniasA" }),
});
export const passkeyStep = resource(ContinueLoginWithPasskeyRequestSchema, {
  pendingToken: required(text(1, 100), { description: "The pendingToken of the login." }),
  ...signed,
});

export const passkeyBeginning = resource(BeginPasskeyRequestSchema, { password });
export const passkeyRemoval = resource(RemovePasskeyRequestSchema, { password });

export const newPasskeyChallenge = shown(BeginPasskeyResponseSchema, {
  challenge: readOnly(text(), challenge),
  rpId: readOnly(text(), exampleHost),
  rpName: readOnly(text(), { example: "Assent" }),
  userHandle: readOnly(text(), { description: "Names the user to the authenticator.", example: exampleId }),
  userName: readOnly(text(), { example: "ann@example.com" }),
  displayName: readOnly(text(), { example: "Ann Example (Example AG)" }),
  known: readOnly(list(nested(descriptor)), { description: "An authenticator that has one of these makes no other." }),
  expiresAt: readOnly(time),
});

export const newPasskey = resource(AddPasskeyRequestSchema, {
  name: required(text(1, 100), name),
  id: required(text(1, 1_400), id),
  clientDataJson: required(text(1, 4_096), { example: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoi" }),
  attestationObject: required(text(1, 16_384), { example: "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViU" }),
  transports: optional(list(text(0, 30)), { description: "How the browser reaches the authenticator." }),
  discoverable: optional(flag, {
    description: "Whether the authenticator finds it without being told which; absent if unknown.",
    example: true,
  }),
});
export const addedPasskey = shown(AddPasskeyResponseSchema, {
  passkey: readOnly(nested(passkey)),
  recoveryCodes: readOnly(list(text()), {
    description: "New codes, shown only in this response, if two-factor authentication was off; otherwise empty.",
    example: ["abcd-efgh-ijkl-mnop"],
  }),
});
