import type { JsonObject } from "@bufbuild/protobuf";
import {
  ContentFindingSchema,
  ContentFormat,
  ContentReportSchema,
  CounterpartySchema,
  CreateDeploymentRequestSchema,
  CreateScreenshotRequestSchema,
  CreateTemplateRequestSchema,
  CreateVersionRequestSchema,
  CurrentVersionSchema,
  DeploymentSchema,
  DeploymentStatus,
  DraftNoteSchema,
  GetRevisionResponseSchema,
  PublishVersionRequestSchema,
  PutVersionDraftRequestSchema,
  RevisionSchema,
  ScheduleSchema,
  type Screenshot as ScreenshotMessage,
  ScreenshotSchema,
  TemplateFileSchema,
  TemplateSchema,
  TemplateStatus,
  TemplateType,
  UpdateDeploymentRequestSchema,
  UpdateTemplateRequestSchema,
  UpdateVersionRequestSchema,
  ValidateContentRequestSchema,
  VersionDraftSchema,
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
  onePixel,
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
  requiredApart,
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
    path: readOnly(text(), { description: "content, or a part of it, such as content.placeholder." }),
    line: readOnly(count, { description: "From 1." }),
    column: readOnly(count, { description: "From 1, in UTF-16 code units." }),
    offset: readOnly(count, { description: "From 0, in UTF-16 code units." }),
    length: readOnly(count),
    snippet: readOnly(text()),
  });

export const contentReport = shown(ContentReportSchema, {
  valid: readOnly(flag, { description: "Whether there are no errors." }),
  errors: readOnly(list(nested(finding("ERROR")))),
  warnings: readOnly(list(nested(finding("WARNING")))),
});

export const contentToValidate = resource(ValidateContentRequestSchema, {
  type: required(named(TemplateType), { description: "The type of template, which selects the rules." }),
  content: required(text(0, 2_097_152)),
  format: optional(named(ContentFormat, "lower"), { description: "Default: html." }),
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

/** What an author writes of a version, whether it is live one day or the next text already. */
const written = {
  title: optional(orNull(text())),
  content: required(text(1, 1_048_576), { description: { create: content, change: content } }),
  format: optional(named(ContentFormat, "lower"), {
    default: "html",
    description: { create: "html when absent.", change: "null means html." },
  }),
  ...words,
  changeSummary: optional(orNull(text())),
  effectiveAt: optional(orNull(time)),
} as const;

/** Where a draft stands; its text is read by itself. */
const standing = {
  contentHash: readOnly(hash),
  baseRevision: readOnly(count, { description: "The version's last revision when the draft was begun." }),
  createdBy: readOnly(text(), { description: "Who began it: a client, or user: and a user ID." }),
  createdAt: readOnly(time),
  updatedBy: readOnly(text(), { description: "Who last saved it." }),
  updatedAt: readOnly(time),
} as const;

const draftNote = shown(DraftNoteSchema, standing);

const schedule = shown(ScheduleSchema, {
  publishAt: readOnly(time, { description: "When everyone is served the text." }),
  scheduledBy: readOnly(text(), { description: "Who last requested it: a client, or user: and a user ID." }),
  scheduledAt: readOnly(time, { description: "When it was scheduled for this time." }),
  requireReacceptance: readOnly(flag),
  label: readOnly(text(), { description: "The label that the version will have." }),
  changeSummary: readOnly(orNull(text()), { description: "Replaces the value of the text." }),
  effectiveAt: readOnly(orNull(time), { description: "Replaces the value of the text." }),
});

/** The next text of a published version. */
export const versionDraft = resource(
  VersionDraftSchema,
  {
    versionId: readOnly(uuid),
    templateId: readOnly(uuid),
    organizationId: readOnly(uuid),
    locale: readOnly(languageTag),
    ...written,
    ...standing,
    validation: readOnly(orNull(nested(contentReport)), {
      description: "The result of validate-content for the current draft.",
    }),
    ifUpdatedAt: whenCreating(orNull(time), {
      description:
        "The updatedAt of the draft you read, or of the version if you read no draft. If someone has saved or published since, nothing is stored.",
    }),
  },
  { create: PutVersionDraftRequestSchema },
);

export const version = resource(
  VersionSchema,
  {
    id: readOnly(uuid),
    templateId: readOnly(uuid),
    organizationId: readOnly(uuid),
    locale: required(languageTag),
    ...written,
    status: readOnly(named(VersionStatus)),
    isPublished: computed({ type: "boolean" }, ({ status }: VersionMessage) => status === VersionStatus.PUBLISHED),
    revision: readOnly(count, { description: "0 before the first publication." }),
    label: readOnly(orNull(text())),
    contentHash: readOnly(hash),
    validation: readOnly(orNull(nested(contentReport)), {
      description: "The result of validate-content for the current content.",
    }),
    publishedAt: readOnly(orNull(time)),
    publishedBy: readOnly(orNull(text())),
    unpublishedAt: readOnly(orNull(time)),
    archivedAt: readOnly(orNull(time)),
    createdAt: readOnly(time),
    updatedAt: readOnly(time),
    revisions: readOnly(list(nested(revision))),
    draft: readOnly(orNull(nested(draftNote)), { description: "The next draft, if there is one." }),
    schedule: readOnly(orNull(nested(schedule)), { description: "The scheduled publication, if there is one." }),
    ifUpdatedAt: whenChanging(orNull(time), {
      description: "The updatedAt of the version you read. If it has changed since, nothing is changed.",
    }),
  },
  { create: CreateVersionRequestSchema, change: UpdateVersionRequestSchema },
);

export const publication = resource(PublishVersionRequestSchema, {
  published: optional(flag, { default: true, description: "false unpublishes. Default: true." }),
  publish: optional(orNull(flag), { at: "published", description: "Alias of published." }),
  isPublished: optional(orNull(flag), { at: "published", description: "Alias of published." }),
  requireReacceptance: optional(flag, {
    default: true,
    description: "true (the default) gives the next major label and asks users again; false gives the next minor one.",
  }),
  effectiveAt: optional(orNull(time)),
  publishAt: whenCreating(orNull(time), {
    description: "Publishes at this time in the future instead of immediately. Replaces an existing schedule.",
  }),
  changeSummary: optional(orNull(text())),
  ifUpdatedAt: whenCreating(orNull(time), {
    description:
      "The updatedAt of what you want to publish: the draft of a published version, otherwise the version. If it has changed since, nothing is published.",
  }),
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
  changeSummary: readOnly(orNull(text())),
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
      description: "Settings of the template's type.",
    }),
    policyFlags: optional(flags, {
      default: {},
      null: "create",
      description: "The policy that acceptances must satisfy; merged over the defaults.",
    }),
    counterparty: optional(orNull(nested(counterparty)), {
      description: { create: "Who the user contracts with.", change: "Who the user contracts with." },
    }),
    metadata: optional(mapOf(text(0, 500), { max: 50, key: 500 }), { default: {} }),
    brandId: optional(orNull(uuid), {
      description:
        "How pages look where the deployment names no brand; null for the default brand of the organization.",
    }),
    currentVersions: readOnly(keyed(currentVersion, "locale"), {
      description: "The published version of each locale.",
    }),
    activeDeploymentCount: readOnly(count),
    nextPublicationAt: readOnly(orNull(time), {
      description: "When the next of its versions goes live; null if nothing is scheduled.",
    }),
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
    key: readOnly(text(), { description: "Its public key in render URLs; never changes." }),
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
    theme: optional(anyObject, { default: {}, description: "Colors and fonts, as your pages understand them." }),
    brandId: optional(orNull(uuid), {
      description: sent("The brand of the form and the page of its sessions. Default: the default brand."),
    }),
    screenshotId: optional(orNull(text(1)), {
      description: sent(
        "The ID of one of its screenshots, which must exist, or your own ID of an image that you keep elsewhere.",
      ),
    }),
    policyOverrides: optional(flags, {
      default: {},
      description: "Flags that are stricter here than in the template.",
    }),
    snapshotHash: readOnly(orNull(hash), {
      description: "SHA-256 of the configuration in force, or last in force; part of the evidence.",
    }),
    activatedAt: readOnly(orNull(time)),
    deactivatedAt: readOnly(orNull(time)),
    createdAt: readOnly(time),
    updatedAt: readOnly(time),
    activate: whenCreating(orNull(flag), { description: "Activates the deployment immediately." }),
    force: whenChanging(orNull(flag), {
      description: "Allows changing the selector and the origins while the deployment is active.",
    }),
  },
  { create: CreateDeploymentRequestSchema, change: UpdateDeploymentRequestSchema, within: "fields" },
);

/** A picture of what a deployment looks like. */
export const screenshot = shown(ScreenshotSchema, {
  id: readOnly(text(), {
    description: "The ID for the deployment's `screenshotId`.",
    example: "shot_0123456789abcdefABCDEF",
  }),
  deploymentId: readOnly(uuid),
  contentType: readOnly(choice("image/png", "image/jpeg")),
  width: readOnly(count, { description: "Pixels." }),
  height: readOnly(count, { description: "Pixels." }),
  size: readOnly(count, { description: "Bytes." }),
  hash: readOnly(hash, { description: "Of the bytes; evidence names it." }),
  contentUrl: computed(
    { type: "string" },
    ({ id, deploymentId }: ScreenshotMessage) => `/v1/click/deployments/${deploymentId}/screenshots/${id}/content`,
    {
      example:
        "/v1/click/deployments/01961234-5678-7abc-8def-0123456789ab/screenshots/shot_0123456789abcdefABCDEF/content",
    },
  ),
  createdBy: readOnly(text()),
  createdAt: readOnly(time),
});
export const newScreenshot = resource(CreateScreenshotRequestSchema, {
  content: requiredApart<string>({
    type: "string",
    minLength: 1,
    description:
      "A complete PNG or JPEG of at most 5 MiB and 40 million pixels, in Base64. No data may follow the image.",
    examples: [onePixel],
  }),
});

/** A PDF that can be the text of versions. */
export const templateFile = shown(TemplateFileSchema, {
  templateId: readOnly(uuid),
  content: readOnly(text(), {
    description: "The content for a version with the format pdf: JSON that names the file and has its text.",
  }),
  contentHash: readOnly(hash, { description: "SHA-256 of content, which is the contentHash of versions that use it." }),
  hash: readOnly(hash, { description: "SHA-256 of the file as it is stored and shown." }),
  size: readOnly(count, { description: "The size of the stored file in bytes." }),
  pages: readOnly(count),
  sentHash: readOnly(hash, { description: "SHA-256 of the file you sent." }),
  createdBy: readOnly(text()),
  createdAt: readOnly(time),
});

/** A template with what includeVersions asks for. */
export const templateWithVersions = shown(TemplateSchema, {
  ...template.table,
  versions: readOnly(list(nested(version)), { onDemand: true, description: "Present if requested." }),
});

/** A version with what includeTemplate and includeDeployments ask for. */
export const versionWithAll = shown(VersionSchema, {
  ...version.table,
  template: readOnly(nested(template), { onDemand: true }),
  deployments: readOnly(list(nested(deployment)), {
    onDemand: true,
    description: "The deployments that serve the version; present if requested.",
  }),
});

export type Template = AnswerOf<typeof template.table>;
export type Counterparty = AnswerOf<typeof counterparty.table>;
export type Version = AnswerOf<typeof version.table>;
export type VersionDraft = AnswerOf<typeof versionDraft.table>;
export type Revision = AnswerOf<typeof revision.table>;
export type TemplateFile = AnswerOf<typeof templateFile.table>;
export type Screenshot = AnswerOf<typeof screenshot.table>;
export type Deployment = AnswerOf<typeof deployment.table>;
