import { fields, listOf, orNull, type Shape } from "./shapes.ts";

export const templateType: Shape = ["STATIC", "GENERATED", "CONSENT"];
const versionStatus: Shape = ["DRAFT", "PUBLISHED", "ARCHIVED"];
const contentFormat: Shape = ["html", "markdown", "text"];

const finding = fields({
  code: "text",
  message: "text",
  severity: ["ERROR", "WARNING"],
  path: "text",
  line: "count",
  column: "count",
  offset: "count",
  length: "count",
  snippet: "text",
});

export const contentReport = fields({ valid: "flag", errors: listOf(finding), warnings: listOf(finding) });

const templateFields: Readonly<Record<string, Shape>> = {
  id: "uuid",
  organizationId: "uuid",
  name: "text",
  slug: "text",
  type: templateType,
  status: versionStatus,
  description: "text?",
  defaultLocale: "text",
  typeConfig: "object",
  policyFlags: "object",
  counterparty: "object?",
  metadata: "object",
  brandId: "uuid?",
  currentVersions: "object",
  activeDeploymentCount: "count",
  nextPublicationAt: "time?",
  createdBy: "text?",
  createdAt: "time",
  updatedAt: "time",
  archivedAt: "time?",
};

const revision = fields({
  revision: "count",
  label: "text",
  contentHash: "hash",
  publishedAt: "time",
  requiresReacceptance: "flag",
});

const draftNote: Readonly<Record<string, Shape>> = {
  contentHash: "hash",
  baseRevision: "count",
  createdBy: "text",
  createdAt: "time",
  updatedBy: "text",
  updatedAt: "time",
};

const versionFields: Readonly<Record<string, Shape>> = {
  id: "uuid",
  templateId: "uuid",
  organizationId: "uuid",
  locale: "text",
  title: "text?",
  content: "text",
  format: contentFormat,
  changeSummary: "text?",
  effectiveAt: "time?",
  consentText: "text?",
  buttonText: "text?",
  declineText: "text?",
  checkboxText: "text?",
  linkText: "text?",
  purposeTexts: "object",
  status: versionStatus,
  isPublished: "flag",
  revision: "count",
  label: "text?",
  contentHash: "hash",
  validation: orNull(fields({ valid: "flag", errors: listOf(finding) })),
  publishedAt: "time?",
  publishedBy: "text?",
  unpublishedAt: "time?",
  archivedAt: "time?",
  createdAt: "time",
  updatedAt: "time",
  revisions: listOf(revision),
  draft: orNull(fields(draftNote)),
  schedule: orNull(
    fields({
      ...{ publishAt: "time", scheduledBy: "text", scheduledAt: "time", requireReacceptance: "flag", label: "text" },
      ...{ changeSummary: "text?", effectiveAt: "time?" },
    }),
  ),
};

const draftTexts = [
  ...["templateId", "organizationId", "locale", "title", "content", "format", "changeSummary", "effectiveAt"],
  ...["consentText", "buttonText", "declineText", "checkboxText", "linkText", "purposeTexts", "validation"],
];

export const template = fields(templateFields);
export const version = fields(versionFields);
export const templateWithVersions = fields({ ...templateFields, versions: listOf(version) });
export const versionDraft = fields({
  ...Object.fromEntries(draftTexts.map((name) => [name, versionFields[name] as Shape])),
  ...{ versionId: "uuid", ...draftNote },
});
export const versionApproval = fields({
  required: "flag",
  status: ["NONE", "REQUESTED", "APPROVED", "REFUSED", "OUTDATED"],
  textHash: "hash?",
  authors: listOf("text"),
  ...{ requestedBy: "text?", requestedAt: "time?", note: "text?" },
  ...{ decidedBy: "text?", decidedAt: "time?", reason: "text?" },
});
export const approvalRequest = fields({
  ...{ templateId: "uuid", templateName: "text", versionId: "uuid", locale: "text", textHash: "hash" },
  ...{ authors: listOf("text"), requestedBy: "text", requestedAt: "time", note: "text?" },
});
export const publicationRules = fields({ fourEyes: "flag", updatedBy: "text?", updatedAt: "time?" });
export const revisionText = fields({
  templateId: "uuid",
  versionId: "uuid",
  revision: "count",
  label: "text",
  locale: "text",
  title: "text?",
  content: "text",
  format: contentFormat,
  contentHash: "hash",
  consentText: "text?",
  buttonText: "text?",
  declineText: "text?",
  checkboxText: "text?",
  linkText: "text?",
  purposeTexts: "object",
  changeSummary: "text?",
  publishedAt: "time",
  publishedBy: "text?",
});
export const versionWithAll = fields({
  ...versionFields,
  template,
  deployments: listOf(fields({ id: "uuid", key: "text", status: ["DRAFT", "ACTIVE", "INACTIVE"] })),
});

const verification: Readonly<Record<string, Shape>> = {
  required: "flag",
  mode: ["ALL", "ANY"],
  methods: listOf(
    fields({ method: "text", required: "flag", level: "count", validForSeconds: "count?", parameters: "object" }),
  ),
};

export const verificationRequirements = fields({ templateId: "uuid", ...verification });

export const configuration = fields({
  templateId: "uuid",
  type: templateType,
  status: versionStatus,
  typeConfig: "object",
  policyFlags: "object",
  effectivePolicy: "object",
  verification: fields(verification),
  policyHash: "hash",
  updatedAt: "time",
});

export const templateTypes = listOf(
  fields({
    type: templateType,
    name: "text",
    description: "text",
    contentFormats: listOf("text"),
    configSchema: "object",
    defaults: fields({ typeConfig: "object", policyFlags: "object" }),
    validationRules: listOf("text"),
  }),
);

const counts = (...names: string[]): Shape => fields(Object.fromEntries(names.map((name) => [name, "count"])));

export const stats = fields({
  templateId: "uuid",
  from: "day?",
  to: "day?",
  sessions: counts("created", "presented", "accepted", "completed", "declined", "expired", "cancelled"),
  acceptances: counts("total", "uniqueUsers", "direct", "withSession", "last24h", "last7d", "last30d"),
  declines: "count",
  withdrawals: "count",
  renders: "count",
  rates: fields({ acceptance: "number?", decline: "number?", abandonment: "number?" }),
  timeToAcceptMs: fields({ p50: "number?", p90: "number?" }),
  byVersion: listOf(fields({ versionId: "uuid", locale: "text", acceptances: "count" })),
  byLocale: listOf(fields({ locale: "text", acceptances: "count" })),
  byDay: listOf(fields({ date: "day", acceptances: "count", declines: "count" })),
  byPurpose: listOf(fields({ purpose: "text", granted: "count", denied: "count", withdrawn: "count" })),
  usersOnLatest: "count",
  usersNeedingReacceptance: "count",
  activeDeployments: "count",
  versions: counts("total", "published", "archived"),
  firstAcceptedAt: "time?",
  lastAcceptedAt: "time?",
});
