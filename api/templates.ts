import type { JsonObject } from "@bufbuild/protobuf";
import {
  ContentFindingSchema,
  ContentFormat,
  ContentReportSchema,
  CounterpartySchema,
  CreateDeploymentRequestSchema,
  CreateTemplateRequestSchema,
  CreateVersionRequestSchema,
  CurrentVersionSchema,
  DeploymentSchema,
  DeploymentStatus,
  GetRevisionResponseSchema,
  PublishVersionRequestSchema,
  RevisionSchema,
  TemplateSchema,
  TemplateStatus,
  TemplateType,
  UpdateDeploymentRequestSchema,
  UpdateTemplateRequestSchema,
  UpdateVersionRequestSchema,
  ValidateContentRequestSchema,
  type Version as VersionMessage,
  VersionSchema,
  VersionSelectorSchema,
  VersionStatus,
} from "#gen/assent/templates/v1/templates_pb.ts";
import {
  anyObject,
  bytesAsText,
  choice,
  count,
  described,
  flag,
  hash,
  httpsUrl,
  type Kind,
  languageTag,
  list,
  mapOf,
  named,
  orNull,
  text,
  time,
  uuid,
} from "./kinds.ts";
import {
  type AnswerOf,
  changeable,
  computed,
  optional,
  readOnly,
  required,
  whenChanging,
  whenCreating,
} from "./members.ts";
import { keyed, nested, resource, shown } from "./resource.ts";

/** Flags by their names, as they are checked by the service. */
export type FlagValues = Readonly<Record<string, boolean | number | string | readonly string[]>>;
const flags: Kind<FlagValues, JsonObject> = anyObject as Kind<never>;

const finding = (severity: "ERROR" | "WARNING") =>
  shown(ContentFindingSchema, {
    code: readOnly(text()),
    message: readOnly(text()),
    severity: computed({ type: "string", enum: ["ERROR", "WARNING"] }, () => severity),
    path: readOnly(text(), { description: "content, or a part of it such as content.placeholder." }),
    line: readOnly(count, { description: "From 1." }),
    column: readOnly(count, { description: "From 1, in UTF-16 code units." }),
    offset: readOnly(count, { description: "From 0, in UTF-16 code units." }),
    length: readOnly(count),
    snippet: readOnly(text()),
  });

export const contentReport = shown(ContentReportSchema, {
  valid: readOnly(flag, { description: "True when there are no errors." }),
  errors: readOnly(list(nested(finding("ERROR")))),
  warnings: readOnly(list(nested(finding("WARNING")))),
});

export const contentToValidate = resource(ValidateContentRequestSchema, {
  type: required(named(TemplateType), { description: "Selects the rules." }),
  content: required(text(0, 2_097_152)),
  format: optional(named(ContentFormat, "lower"), { description: "html when absent." }),
});

const revision = shown(RevisionSchema, {
  revision: readOnly(count),
  label: readOnly(text()),
  contentHash: readOnly(hash),
  publishedAt: readOnly(time),
  requiresReacceptance: readOnly(flag),
});

/** The words around the text; an answer has all of them, whoever reads it. */
const words = {
  consentText: optional(orNull(text()), { at: "texts.consentText" }),
  buttonText: optional(orNull(text()), { at: "texts.buttonText" }),
  declineText: optional(orNull(text()), { at: "texts.declineText" }),
  checkboxText: optional(orNull(text()), { at: "texts.checkboxText" }),
  linkText: optional(orNull(text()), { at: "texts.linkText" }),
  purposeTexts: optional(mapOf(text(0, 2_000), { max: 20, key: 64 }), {
    at: "texts.purposeTexts",
    default: {},
    description: {
      create: "The words for each purpose, by its key.",
      change: "The words for each purpose, by its key.",
    },
  }),
} as const;

const content = "The text to agree to; at most 1 MiB in UTF-8.";

export const version = resource(
  VersionSchema,
  {
    id: readOnly(uuid),
    templateId: readOnly(uuid),
    organizationId: readOnly(uuid),
    locale: required(languageTag),
    title: optional(orNull(text())),
    content: required(text(1, 1_048_576), { description: { create: content, change: content } }),
    format: optional(named(ContentFormat, "lower"), {
      default: "html",
      description: { create: "html when absent.", change: "null means html." },
    }),
    ...words,
    changeSummary: optional(orNull(text())),
    effectiveAt: optional(orNull(time)),
    status: readOnly(named(VersionStatus)),
    isPublished: computed({ type: "boolean" }, ({ status }: VersionMessage) => status === VersionStatus.PUBLISHED),
    revision: readOnly(count, { description: "0 before the first publication." }),
    label: readOnly(orNull(text())),
    contentHash: readOnly(hash),
    validation: readOnly(orNull(nested(contentReport)), {
      description: "What validate-content says of the content as it stands.",
    }),
    publishedAt: readOnly(orNull(time)),
    publishedBy: readOnly(orNull(text())),
    unpublishedAt: readOnly(orNull(time)),
    archivedAt: readOnly(orNull(time)),
    createdAt: readOnly(time),
    updatedAt: readOnly(time),
    revisions: readOnly(list(nested(revision))),
    ifUpdatedAt: whenChanging(orNull(time), {
      description: "The updatedAt of the version as you know it: nothing changes when somebody has changed it since.",
    }),
  },
  { create: CreateVersionRequestSchema, change: UpdateVersionRequestSchema },
);

export const publication = resource(PublishVersionRequestSchema, {
  published: optional(flag, { default: true, description: "False unpublishes; true when absent." }),
  publish: optional(orNull(flag), { at: "published", description: "Another name of published." }),
  isPublished: optional(orNull(flag), { at: "published", description: "Another name of published." }),
  requireReacceptance: optional(flag, {
    default: true,
    description: "True (default) makes the next major label and asks users again; false the next minor one.",
  }),
  effectiveAt: optional(orNull(time)),
  changeSummary: optional(orNull(text())),
});

/** What a version said when it was published. */
export const revisionText = shown(GetRevisionResponseSchema, {
  templateId: readOnly(uuid),
  versionId: readOnly(uuid),
  revision: readOnly(count),
  label: readOnly(text()),
  locale: readOnly(languageTag),
  title: readOnly(orNull(text())),
  content: readOnly(bytesAsText),
  format: readOnly(named(ContentFormat, "lower")),
  contentHash: readOnly(hash),
  ...words,
  publishedAt: readOnly(time),
  publishedBy: readOnly(text()),
});

const counterparty = resource(CounterpartySchema, {
  legalName: required(text()),
  address: optional(orNull(text())),
  url: optional(orNull(httpsUrl)),
});

const currentVersion = shown(CurrentVersionSchema, {
  versionId: readOnly(uuid),
  revision: readOnly(count),
  label: readOnly(text()),
});

export const template = resource(
  TemplateSchema,
  {
    id: readOnly(uuid),
    organizationId: readOnly(uuid),
    name: required(text()),
    slug: optional(text(1, 100, { pattern: "^[a-z0-9]+(-[a-z0-9]+)*$" }), {
      null: "create",
      description: { create: "Derived from the name when absent." },
    }),
    type: required(named(TemplateType), { description: { change: "Only before the first publication." } }),
    status: changeable(named(TemplateStatus), {
      sentAs: named(TemplateStatus, "upper", ["DRAFT"]),
      description: {
        change: "Restores an archived template.",
        answer: "PUBLISHED while it has a published version.",
      },
    }),
    description: optional(orNull(text())),
    defaultLocale: optional(languageTag, {
      null: "create",
      description: { create: "BCP 47; en when absent." },
    }),
    typeConfig: optional(anyObject, {
      default: {},
      null: "create",
      description: "Settings that belong to the type.",
    }),
    policyFlags: optional(flags, {
      default: {},
      null: "create",
      description: "What an acceptance must satisfy; merged over the defaults.",
    }),
    counterparty: optional(orNull(nested(counterparty)), {
      description: { create: "Who the user contracts with.", change: "Who the user contracts with." },
    }),
    metadata: optional(mapOf(text(0, 500), { max: 50, key: 500 }), { default: {} }),
    currentVersions: readOnly(keyed(currentVersion, "locale"), {
      description: "The published version of each locale.",
    }),
    activeDeploymentCount: readOnly(count),
    createdBy: readOnly(orNull(text())),
    createdAt: readOnly(time),
    updatedAt: readOnly(time),
    archivedAt: readOnly(orNull(time)),
  },
  { create: CreateTemplateRequestSchema, change: UpdateTemplateRequestSchema },
);

const selector = resource(VersionSelectorSchema, {
  mode: required(choice("LATEST", "PINNED"), {
    default: "LATEST",
    description: "LATEST serves whatever is published.",
  }),
  versionId: optional(orNull(uuid), { description: { create: "For PINNED." } }),
});

const sent = <const Words extends string>(words: Words) => ({ create: words, change: words }) as const;

export const deployment = resource(
  DeploymentSchema,
  {
    id: readOnly(uuid),
    organizationId: readOnly(uuid),
    templateId: readOnly(uuid),
    key: readOnly(text(), { description: "Its public name in render addresses; never changes." }),
    name: optional(text(), { null: "both", description: sent("Derived from the template when absent.") }),
    status: readOnly(named(DeploymentStatus)),
    environment: optional(choice("TEST", "LIVE"), { null: "both", description: sent("LIVE when absent.") }),
    surface: optional(choice("WEB", "IOS", "ANDROID", "API", "KIOSK"), {
      null: "both",
      description: sent("WEB when absent."),
    }),
    displayMode: optional(choice("INLINE", "MODAL", "LINK", "FULL_PAGE"), {
      null: "both",
      description: sent("INLINE when absent."),
    }),
    wrapType: optional(choice("CLICKWRAP", "SCROLLWRAP", "SIGN_IN_WRAP"), {
      null: "both",
      description: sent("CLICKWRAP when absent."),
    }),
    versionSelector: optional(nested(selector), {
      default: { mode: "LATEST", versionId: null },
      description: sent("LATEST when absent."),
    }),
    localeFallback: optional(list(languageTag), { null: "both" }),
    allowedOrigins: optional(
      list(described(text(1, 300, { everywhere: true }), "An origin such as https://www.example.com.")),
      {
        null: "both",
        description: sent("The pages that may show it; all may when empty."),
      },
    ),
    theme: optional(anyObject, { default: {}, description: "Colours and fonts, as your pages understand them." }),
    screenshotId: optional(orNull(text(1))),
    policyOverrides: optional(flags, {
      default: {},
      description: "Flags that are stricter here than in the template.",
    }),
    snapshotHash: readOnly(orNull(hash), {
      description: "Of the configuration that is in force, or was last; part of the evidence.",
    }),
    activatedAt: readOnly(orNull(time)),
    deactivatedAt: readOnly(orNull(time)),
    createdAt: readOnly(time),
    updatedAt: readOnly(time),
    activate: whenCreating(orNull(flag), { description: "Activates it at once." }),
    force: whenChanging(orNull(flag), {
      description: "Lets the selector and the origins change while the deployment is active.",
    }),
  },
  { create: CreateDeploymentRequestSchema, change: UpdateDeploymentRequestSchema, within: "fields" },
);

/** A template with what includeVersions asks for. */
export const templateWithVersions = shown(TemplateSchema, {
  ...template.table,
  versions: readOnly(list(nested(version)), { onDemand: true, description: "When asked for." }),
});

/** A version with what includeTemplate and includeDeployments ask for. */
export const versionWithAll = shown(VersionSchema, {
  ...version.table,
  template: readOnly(nested(template), { onDemand: true }),
  deployments: readOnly(list(nested(deployment)), {
    onDemand: true,
    description: "Those that serve the version, when asked for.",
  }),
});

export type Template = AnswerOf<typeof template.table>;
export type Counterparty = AnswerOf<typeof counterparty.table>;
export type Version = AnswerOf<typeof version.table>;
export type Revision = AnswerOf<typeof revision.table>;
export type Deployment = AnswerOf<typeof deployment.table>;
