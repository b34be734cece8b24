import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  DeploymentFields,
  DeploymentSchema,
  UpdateDeploymentRequest,
  VersionSelector,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import {
  canonicalOrigin,
  type Deployment,
  type DeploymentSettings,
  displayModes,
  environments,
  surfaces,
  wrapTypes,
} from "../domain/deployment.ts";
import { canonicalLocale } from "../domain/locale.ts";
import { parsePolicyFlags } from "../domain/policy.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { unstorableTexts } from "../domain/text.ts";
import { themeProblems } from "../domain/theme.ts";
import { wireDeploymentStatus } from "./wire-enums.ts";

/** Reads a new deployment; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
export function parseDeploymentSettings(fields: DeploymentFields): DeploymentSettings {
  const settings: DeploymentSettings = {
    ...readers.name(fields),
    ...readers.environment(fields),
    ...readers.surface(fields),
    ...readers.display_mode(fields),
    ...readers.wrap_type(fields),
    ...readers.version_selector(fields),
    ...readers.locale_fallback(fields),
    ...readers.allowed_origins(fields),
    ...readers.theme(fields),
    ...readers.screenshot_id(fields),
    ...readers.policy_overrides(fields),
  };
  refuse(problemsOf(settings));
  return settings;
}

/** Reads the fields that the mask names; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
export function parseDeploymentChanges(request: UpdateDeploymentRequest): Partial<DeploymentSettings> {
  const { fields } = request;
  const paths = request.updateMask?.paths ?? [];
  if (fields === undefined) throw invalid(problem("fields", "REQUIRED", "must be given"));
  const unknown = paths.filter((path) => !Object.hasOwn(readers, path));
  refuse(unknown.map((path) => problem("updateMask", "UNKNOWN_FIELD", `names '${path}', which cannot be changed`)));
  const changes: Partial<DeploymentSettings> = Object.assign(
    {},
    ...paths.map((path) => readers[path as keyof typeof readers](fields)),
  );
  refuse(problemsOf(changes));
  return changes;
}

/** By the paths of the mask. A field that is absent takes its default. */
const readers = {
  name: (fields: DeploymentFields) => ({ name: fields.name ?? null }),
  environment: (fields: DeploymentFields) => ({
    environment: oneOf("environment", environments, fields.environment ?? "LIVE"),
  }),
  surface: (fields: DeploymentFields) => ({ surface: oneOf("surface", surfaces, fields.surface ?? "WEB") }),
  display_mode: (fields: DeploymentFields) => ({
    displayMode: oneOf("displayMode", displayModes, fields.displayMode ?? "INLINE"),
  }),
  wrap_type: (fields: DeploymentFields) => ({
    wrapType: oneOf("wrapType", wrapTypes, fields.wrapType ?? "CLICKWRAP"),
  }),
  version_selector: (fields: DeploymentFields) => ({ versionId: parseSelector(fields.versionSelector) }),
  locale_fallback: (fields: DeploymentFields) => ({ localeFallback: parseLocales(fields.localeFallback) }),
  allowed_origins: (fields: DeploymentFields) => ({ allowedOrigins: parseOrigins(fields.allowedOrigins) }),
  theme: (fields: DeploymentFields) => ({ theme: fields.theme ?? {} }),
  screenshot_id: (fields: DeploymentFields) => ({ screenshotId: parseScreenshotId(fields.screenshotId) }),
  policy_overrides: (fields: DeploymentFields) => ({
    policyOverrides: parsePolicyFlags(fields.policyOverrides ?? {}, "policyOverrides"),
  }),
} satisfies Record<string, (fields: DeploymentFields) => Partial<DeploymentSettings>>;

const problemsOf = ({ name, screenshotId, theme }: Partial<DeploymentSettings>): FieldProblem[] => [
  ...unstorableTexts("", { name, screenshotId }),
  ...(theme === undefined ? [] : themeProblems(theme)),
];

function oneOf<const T extends readonly string[]>(field: string, values: T, value: string): T[number] {
  if (values.includes(value)) return value;
  throw invalid(problem(field, "BAD_VALUE", `must be one of ${values.join(", ")}`));
}

/** The version that is pinned; null for LATEST. */
function parseSelector(selector: VersionSelector | undefined): string | null {
  const versionId = selector?.versionId;
  if (selector?.mode !== "PINNED") {
    if (versionId === undefined) return null;
    throw invalid(problem("versionSelector.versionId", "NOT_PINNED", "needs the mode PINNED"));
  }
  if (versionId !== undefined && isUuid(versionId)) return versionId.toLowerCase();
  throw invalid(problem("versionSelector.versionId", "INVALID_ID", "must be the id of a version for the mode PINNED"));
}

const maxLocaleLength = 100;

function parseLocales(tags: readonly string[]): string[] {
  const locales = tags.map((tag) => (tag.length > maxLocaleLength ? undefined : canonicalLocale(tag)));
  return distinct("localeFallback", locales, "INVALID_LOCALE", "must be a BCP 47 language tag such as en or pt-BR");
}

function parseOrigins(texts: readonly string[]): string[] {
  const message = "must be an origin such as https://www.example.com, without a path";
  return distinct("allowedOrigins", texts.map(canonicalOrigin), "INVALID_ORIGIN", message);
}

/** The values, each once; throws when one is undefined. */
function distinct(field: string, values: readonly (string | undefined)[], code: string, message: string): string[] {
  refuse(values.flatMap((value, index) => (value === undefined ? [problem(`${field}[${index}]`, code, message)] : [])));
  return [...new Set(values.filter((value) => value !== undefined))];
}

function parseScreenshotId(text: string | undefined): string | null {
  if (text === "") throw invalid(problem("screenshotId", "EMPTY", "must not be empty"));
  return text ?? null;
}

type DeploymentInit = MessageInitShape<typeof DeploymentSchema>;

export const deploymentMessage = (deployment: Deployment): DeploymentInit => ({
  id: deployment.id,
  organizationId: deployment.organizationId,
  templateId: deployment.templateId,
  key: deployment.key,
  name: deployment.name,
  status: wireDeploymentStatus[deployment.status],
  environment: deployment.environment,
  surface: deployment.surface,
  displayMode: deployment.displayMode,
  wrapType: deployment.wrapType,
  versionSelector:
    deployment.versionId === null ? { mode: "LATEST" } : { mode: "PINNED", versionId: deployment.versionId },
  localeFallback: [...deployment.localeFallback],
  allowedOrigins: [...deployment.allowedOrigins],
  theme: deployment.theme,
  screenshotId: deployment.screenshotId ?? undefined,
  policyOverrides: { ...deployment.policyOverrides } as JsonObject,
  activatedAt: timestamp(deployment.activatedAt),
  deactivatedAt: timestamp(deployment.deactivatedAt),
  createdAt: timestampFromDate(deployment.createdAt),
  updatedAt: timestampFromDate(deployment.updatedAt),
  snapshotHash: deployment.snapshotHash ?? undefined,
});

const timestamp = (date: Date | null) => (date === null ? undefined : timestampFromDate(date));
