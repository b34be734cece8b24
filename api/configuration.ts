import type { JsonObject } from "@bufbuild/protobuf";
import {
  ApplyPolicyFlagsRequestSchema,
  BulkArchiveTemplatesRequestSchema,
  BulkArchiveTemplatesResponseSchema,
  BulkDuplicateTemplatesRequestSchema,
  BulkDuplicateTemplatesResponse_DuplicateSchema,
  BulkDuplicateTemplatesResponseSchema,
  ContentFormat,
  SkippedTemplateSchema,
  SkipReason,
  TemplateConfigurationSchema,
  TemplateStatus,
  TemplateType,
  TemplateTypeInfoSchema,
  VerificationRequirements_MethodSchema,
  VerificationRequirementsSchema,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { anyObject, choice, count, flag, hash, list, named, orNull, text, time, uuid } from "./kinds.ts";
import { type CreateOf, optional, readOnly, required, together } from "./members.ts";
import { nested, resource, shown } from "./resource.ts";
import { joined } from "./written.ts";

/** The verification that an acceptance must carry. */
export const verification = shown(VerificationRequirementsSchema, {
  required: readOnly(flag, { description: "False if acceptances need no verification." }),
  mode: readOnly(choice("ALL", "ANY"), {
    description: "Whether all methods are required, or any one.",
  }),
  methods: readOnly(
    list(
      nested(
        shown(VerificationRequirements_MethodSchema, {
          method: readOnly(text()),
          required: readOnly(flag, { description: "False for alternatives, any one of which is enough." }),
          level: readOnly(count),
          validForSeconds: readOnly(orNull(count)),
          parameters: readOnly(anyObject, { default: {} }),
        }),
      ),
    ),
  ),
});

const typeConfig = { default: {}, description: "Settings of the template's type." } as const;
const policyFlags = { default: {}, description: "The policy that acceptances must satisfy." } as const;

/** What each policy flag promises, as docs/click.md says it too. */
export const policyFlagPromises = {
  requireCheckbox: "the box was checked, as the page or the sender reports; always on for `CONSENT`",
  requireScroll: "the end of the text was reached, as the page or the sender reports",
  requireView: "a linked document was opened, as the page or the sender reports",
  minDisplaySeconds: "the text was shown this long, by the server's clock, from the render token or the session",
  requireRenderToken: "`renderToken` is present and matches the text, the user and the session",
  requireTypedName: "`typedName` is present",
  allowDirectAccept: "acceptances without a session are allowed only if true",
  singleUseSession: "a session takes one acceptance (otherwise `409 CLICK_SESSION_CLOSED`)",
  oneAcceptancePerRevision: "a user accepts a revision once (otherwise `409 CLICK_ALREADY_ACCEPTED`)",
  requireReacceptance:
    "`ALWAYS` refuses superseded texts (`409 CLICK_VERSION_SUPERSEDED`); the flag also decides when an earlier acceptance stops counting in consent states",
  reacceptIntervalDays: "`reacceptBy` of receipts, and when consent states and renderings ask again",
  showChanges: "sessions show what has changed since the user accepted an earlier text",
  allowDecline: "declines are allowed only if true",
  recordDecline: "declines are recorded only if true",
  requireAuthenticatedUser: "`verification` has `CUSTOMER_SESSION` or better",
  verificationMethods: "`verification` has these methods",
  verificationMode: "all of these methods, or any one",
  minAge: "`verification` has `AGE_STATEMENT`",
  sessionTtlSeconds: "an older session takes no decision (`409 CLICK_SESSION_EXPIRED`)",
  captureIp: "how much of IP addresses is kept",
  captureUserAgent: "how much of user agents is kept",
  captureReferrer: "how much of referrers is kept",
  requireSnapshot:
    "the templates service activates a deployment only with a `screenshotId`: one of its screenshots, or your own ID of an image",
  sendCopyToUser: "an acceptance with an address in `copyTo` is emailed as a copy, once",
  esignDisclosure: "the disclosure in the user's locale was served and, as the page or the sender reports, was visible",
  consentExpiresAfterDays: "granted `CONSENT` purposes expire",
  retentionDays: "the click service restricts what must be kept instead of erasing it",
  legalHold: "the click service erases nothing",
  honorGpc: "`context.gpc` denies purposes that sell or share data",
} as const;

const flagList = Object.entries(policyFlagPromises)
  .map(([flag, promise]) => `- \`${flag}\`: ${promise}`)
  .join("\n");

/** How a template is configured, and what follows from it. */
export const configuration = shown(TemplateConfigurationSchema, {
  templateId: readOnly(uuid),
  type: readOnly(named(TemplateType)),
  status: readOnly(named(TemplateStatus)),
  typeConfig: readOnly(anyObject, typeConfig),
  policyFlags: readOnly(anyObject, policyFlags),
  effectivePolicy: readOnly(anyObject, {
    default: {},
    description: "The flags in force: the defaults of the type with your changes applied.",
  }),
  verification: readOnly(nested(verification)),
  policyHash: readOnly(hash, { description: "SHA-256 of the canonical JSON (RFC 8785) of effectivePolicy." }),
  updatedAt: readOnly(time),
});

/** The verification alone, with whose it is. */
export const verificationSchema = joined(
  shown(TemplateConfigurationSchema, { templateId: readOnly(uuid) }),
  verification,
);

export const templateTypeInfo = shown(TemplateTypeInfoSchema, {
  type: readOnly(named(TemplateType)),
  name: readOnly(text()),
  description: readOnly(text()),
  contentFormats: readOnly(list(named(ContentFormat, "lower"))),
  configSchema: readOnly(anyObject, { default: {}, description: "JSON Schema of typeConfig." }),
  defaults: together({
    typeConfig: readOnly(anyObject, { ...typeConfig, at: "defaultTypeConfig" }),
    policyFlags: readOnly(anyObject, { ...policyFlags, at: "defaultPolicyFlags" }),
  }),
  validationRules: readOnly(list(text()), { description: "The codes that validate-content can report." }),
});

const flags = resource(
  ApplyPolicyFlagsRequestSchema,
  { policyFlags: optional(anyObject) },
  {
    also: {
      description: `The flags to change, or { policyFlags } with them. Flags that are not named keep their values.\n\n${flagList}`,
    },
  },
);

/** Flags to change: themselves, or in an object with nothing but them. */
export const flagsToChange = {
  ...flags,
  /** Beside other members policyFlags is an unknown flag, which is told rather than that the others are ignored. */
  create: (body: CreateOf<typeof flags.table>) => {
    const isWrapped = Object.keys(body).length === 1 && body.policyFlags !== undefined;
    return flags.create(isWrapped ? body : { policyFlags: body as JsonObject });
  },
};

export const templatesToArchive = resource(BulkArchiveTemplatesRequestSchema, { templateIds: required(list(uuid)) });

export const templatesToDuplicate = resource(BulkDuplicateTemplatesRequestSchema, {
  templateIds: required(list(uuid)),
  namePattern: optional(orNull(text()), {
    description: "{name} stands for the name of the source; {name} (copy) when absent.",
  }),
});

const skipped = (...reasons: Exclude<keyof typeof SkipReason, "UNSPECIFIED">[]) =>
  list(
    nested(shown(SkippedTemplateSchema, { id: readOnly(uuid), reason: readOnly(named(SkipReason, "lower", reasons)) })),
  );

export const archivedTemplates = shown(BulkArchiveTemplatesResponseSchema, {
  archived: readOnly(count),
  skipped: readOnly(skipped("NOT_FOUND", "HAS_ACTIVE_DEPLOYMENTS")),
});

const duplicate = shown(BulkDuplicateTemplatesResponse_DuplicateSchema, {
  sourceId: readOnly(uuid),
  newId: readOnly(uuid),
  name: readOnly(text()),
});

export const duplicatedTemplates = shown(BulkDuplicateTemplatesResponseSchema, {
  duplicates: readOnly(list(nested(duplicate))),
  skipped: readOnly(skipped("NOT_FOUND")),
});
