import { fields, listOf, orNull, type Shape } from "./shapes.ts";

const templateType: Shape = ["STATIC", "GENERATED", "CONSENT"];
const versionStatus: Shape = ["DRAFT", "PUBLISHED", "ARCHIVED"];

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
  currentVersions: "object",
  activeDeploymentCount: "count",
  createdBy: "text?",
  createdAt: "time",
  updatedAt: "time",
  archivedAt: "time?",
};

const versionFields: Readonly<Record<string, Shape>> = {
  id: "uuid",
  templateId: "uuid",
  organizationId: "uuid",
  locale: "text",
  title: "text?",
  content: "text",
  format: ["html", "markdown", "text"],
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
  revisions: listOf(
    fields({
      revision: "count",
      label: "text",
      contentHash: "hash",
      publishedAt: "time",
      requiresReacceptance: "flag",
    }),
  ),
};

export const template = fields(templateFields);
export const version = fields(versionFields);
export const templateWithVersions = fields({ ...templateFields, versions: listOf(version) });
export const versionWithAll = fields({
  ...versionFields,
  template,
  deployments: listOf(fields({ id: "uuid", key: "text", status: ["DRAFT", "ACTIVE", "INACTIVE"] })),
});

export const receipt = fields({
  receiptId: "uuid",
  status: ["RECORDED"],
  decision: ["ACCEPT", "DECLINE"],
  organizationId: "uuid",
  sessionId: "uuid",
  userRef: "text",
  templateId: "uuid",
  templateSlug: "text",
  templateName: "text",
  templateType,
  versionId: "uuid",
  revision: "count",
  versionLabel: "text",
  locale: "text",
  contentHash: "hash",
  renderHash: "hash?",
  deploymentId: "uuid?",
  action: ["CHECKBOX", "BUTTON", "CHECKBOX_AND_BUTTON", "TYPED_NAME", "SCROLL_AND_BUTTON", "API"],
  assertedBy: ["BACKEND", "WIDGET"],
  purposes: listOf(fields({ purpose: "text", granted: "flag" })),
  acceptedAt: "time",
  clientAcceptedAt: "time?",
  expiresAt: "time?",
  reacceptBy: "time?",
  superseded: "flag",
  verification: listOf(fields({ method: "text", verifiedAt: "time?" })),
  policy: fields({ hash: "hash", satisfied: "flag" }),
  idempotencyKey: "text",
  evidenceUrl: "text",
  log: "object?",
  signature: "object?",
});

const sessionFields: Readonly<Record<string, Shape>> = {
  id: "uuid",
  organizationId: "uuid",
  templateId: "uuid",
  templateSlug: "text",
  templateType,
  versionId: "uuid",
  revision: "count",
  label: "text",
  locale: "text",
  contentHash: "hash",
  renderHash: "hash?",
  userRef: "text?",
  status: ["PENDING", "PRESENTED", "ACCEPTED", "DECLINED", "COMPLETED", "EXPIRED", "CANCELLED"],
  outcome: orNull(["ACCEPTED", "DECLINED", "NONE"]),
  renderUrl: "text?",
  renderToken: "text?",
  verification: fields({ required: "flag", methods: listOf("object"), satisfied: "flag" }),
  policy: "object",
  receiptIds: listOf("uuid"),
  metadata: "object",
  createdAt: "time",
  presentedAt: "time?",
  acceptedAt: "time?",
  completedAt: "time?",
  expiresAt: "time?",
  updatedAt: "time",
};

export const session = fields(sessionFields);
export const completedSession = fields({ ...sessionFields, receipts: listOf(receipt) });

export const evidence = fields({
  bundleVersion: "count",
  bundleId: "uuid",
  generatedAt: "time",
  organizationId: "uuid",
  sessionId: "uuid",
  session: fields({ id: "uuid", status: "text", outcome: "text?" }),
  receipts: listOf(receipt),
  subject: fields({ userRef: "text?", verification: listOf("object"), erased: "flag" }),
  agreement: fields({
    template: fields({ id: "uuid", slug: "text", name: "text", type: templateType, counterparty: "object?" }),
    version: fields({ id: "uuid", locale: "text", revision: "count", label: "text", publishedAt: "time?" }),
    content: "text",
    contentType: "text",
    contentHash: "hash",
    rendered: "text?",
    renderHash: "hash?",
    data: "object?",
    linkedDocuments: listOf("object"),
  }),
  presentation: "object",
  policy: fields({ flags: "object", hash: "hash", checks: listOf("object") }),
  context: fields({ claimed: "object?", observed: "object?" }),
  timeline: listOf(fields({ at: "time?", type: "text" })),
  delivery: listOf("object"),
  after: fields({ withdrawals: listOf("object"), laterAcceptances: listOf("object") }),
  integrity: "object",
  statement: fields({ process: "text", assertedBy: "text?", limitations: listOf("text") }),
});

export const consentState: Readonly<Record<string, Shape>> = {
  userRef: "text",
  organizationId: "uuid",
  asOf: "time",
  updatedAt: "time?",
  revision: "count",
  consents: listOf(fields({ purpose: "text", status: "text", valid: "flag", receiptId: "uuid?", updatedAt: "time" })),
  agreements: listOf(
    fields({ templateId: "uuid", status: ["ACCEPTED", "DECLINED", "WITHDRAWN", "EXPIRED"], isLatest: "flag" }),
  ),
};

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
