import {
  ApiKeySchema,
  LimitsSchema,
  OAuthClientSchema,
  OrganizationSchema,
  Plan,
} from "#gen/assent/auth/v1/auth_pb.ts";
import {
  AuditEventSchema,
  CreateClientRequestSchema,
  CreateClientResponseSchema,
  CreateKeyRequestSchema,
  CreateKeyResponseSchema,
  UpdateOrganizationRequestSchema,
} from "#gen/assent/auth/v1/organization_pb.ts";
import { choice, count, flag, list, mapOf, named, orNull, text, time, uuid } from "./kinds.ts";
import { type AnswerOf, changeable, inside, readOnly, required } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";
import { scopeMeanings } from "./scopes.ts";
import { chosenLanguage, exampleZone, timeZone } from "./users.ts";

/** Requests per window and client, where an organization has no limits of its own. */
export const defaultLimits = { accept: 6_000, render: 12_000, other: 1_200, sign: 1_200 } as const;

const perWindow = (group: keyof typeof defaultLimits) =>
  readOnly(count, { default: defaultLimits[group], description: "Requests per 60 s and client.", example: 1_200 });
const limits = shown(LimitsSchema, {
  accept: perWindow("accept"),
  render: perWindow("render"),
  other: perWindow("other"),
  sign: perWindow("sign"),
});

export const organization = resource(
  OrganizationSchema,
  {
    id: readOnly(uuid),
    name: changeable(text(1, 255), { example: "Example AG" }),
    plan: readOnly(named(Plan, "lower", ["GEN_PRO", "GEN_STARTER", "GEN_HOA", "BUSINESS", "GEN_PAYG"])),
    sandbox: readOnly(flag),
    limits: readOnly(nested(limits), { default: defaultLimits }),
    locale: changeable(orNull(chosenLanguage), {
      description: { answer: "The language of users who are invited without one." },
    }),
    timeZone: changeable(orNull(timeZone), {
      ...exampleZone,
      description: { answer: "The time zone of users who are invited." },
    }),
    envelopeCorrections: changeable(flag, {
      description: "Whether the compatible interface can correct sent envelopes.",
      example: false,
    }),
    createdAt: readOnly(time),
  },
  { change: UpdateOrganizationRequestSchema },
);

const used = {
  createdAt: readOnly(time),
  lastUsedAt: readOnly(orNull(time), { description: "Exact to about a minute." }),
  revokedAt: readOnly(orNull(time)),
} as const;
const name = required(text(1, 255), { example: "Shop backend" });

export const apiKey = resource(
  ApiKeySchema,
  { id: readOnly(text(), { example: "GTHduqAAZ9ob1teB" }), name, ...used },
  { create: CreateKeyRequestSchema },
);
export const createdApiKey = shown(CreateKeyResponseSchema, {
  ...inside("key", apiKey.table),
  apiKey: readOnly(text(), {
    description: "Shown only in this response.",
    example: "ak_live_GTHduqAAZ9ob1teB_0123456789abcdef",
  }),
});

export const client = resource(
  OAuthClientSchema,
  {
    id: readOnly(text(), { example: "cl_0123456789abcdefABCDEF" }),
    name,
    scopes: required(list(text()), {
      sentAs: list(choice(...Object.keys(scopeMeanings))),
      description: { create: "The most that its tokens can have." },
      answerExample: ["click:read", "click:write"],
    }),
    ...used,
  },
  { create: CreateClientRequestSchema },
);
export const createdClient = shown(CreateClientResponseSchema, {
  ...inside("client", client.table),
  clientSecret: readOnly(text(), {
    description: "Shown only in this response.",
    example: "cs_0123456789abcdefABCDEF0123456789abcdefABCDE",
  }),
});

const orNothing = (example: string) => readOnly(orNull(text()), { example });

export const auditEvent = shown(AuditEventSchema, {
  id: readOnly(uuid),
  at: readOnly(time),
  action: readOnly(text(), {
    description: "The action, such as login.failed or user.invited.",
    example: "user.invited",
  }),
  actorId: readOnly(orNull(text()), {
    description: "Who did it: a user ID, or operator for the command line.",
    example: "01961234-5678-7abc-8def-0123456789ab",
  }),
  actorName: orNothing("Ann Example"),
  subjectId: readOnly(orNull(text()), {
    description: "The object of the action.",
    example: "01961234-5678-7abc-8def-0123456789ac",
  }),
  subjectName: orNothing("Ben Example"),
  details: readOnly(mapOf(text(), { max: 0, key: 0 }), {
    description: "Details, by names such as role.",
    example: { role: "viewer" },
  }),
  requestId: orNothing("01961234-5678-7abc-8def-0123456789ad"),
  ip: orNothing("192.0.2.1"),
  userAgent: orNothing("Mozilla/5.0"),
});

export type Organization = AnswerOf<typeof organization.table>;
export type ApiKey = AnswerOf<typeof apiKey.table>;
export type CreatedApiKey = AnswerOf<typeof createdApiKey.table>;
export type Client = AnswerOf<typeof client.table>;
export type CreatedClient = AnswerOf<typeof createdClient.table>;
export type AuditEvent = AnswerOf<typeof auditEvent.table>;
