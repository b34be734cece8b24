import type { JsonObject, JsonValue, MessageInitShape } from "@bufbuild/protobuf";
import { nameReader, recordsOf } from "#api/records.ts";
import {
  type DeploymentFields,
  DeploymentFieldsSchema,
  DeploymentSchema,
  DeploymentStatus,
  type UpdateDeploymentRequest,
  type VersionSelector,
} from "#gen/assent/templates/v1/templates_pb.ts";
import type { FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import { canonicalLocale } from "#platform/locale.ts";
import {
  canonicalOrigin,
  type Deployment,
  type DeploymentSettings,
  displayModes,
  environments,
  surfaces,
  wrapTypes,
} from "../domain/deployment.ts";
import { parsePolicyFlags } from "../domain/policy.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { unstorableTexts } from "../domain/text.ts";
import { readMasked, when } from "./configuration.ts";

/** Undefined for any. */
export const deploymentStatusOf = nameReader(DeploymentStatus);
const deployments = recordsOf(DeploymentSchema, { status: DeploymentStatus });
const settings = recordsOf(DeploymentFieldsSchema);
type Given = ReturnType<typeof settings.read>;

/** Reads a new deployment; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
export const parseDeploymentSettings = (fields: DeploymentFields): DeploymentSettings =>
  settingsOf(settings.read(fields)) as DeploymentSettings;

/** Reads the fields that the mask names; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
export const parseDeploymentChanges = ({ fields, updateMask }: UpdateDeploymentRequest): Partial<DeploymentSettings> =>
  settingsOf(readMasked(settings, { field: "fields", message: fields, updateMask }).changes);

/** A field that is there without a value takes its default. */
function settingsOf(given: Partial<Given>): Partial<DeploymentSettings> {
  const { environment, surface, displayMode, wrapType, versionSelector, localeFallback, allowedOrigins, ...others } =
    given;
  const { theme, brandId, screenshotId, policyOverrides, ...plain } = others;
  const parsed: Partial<DeploymentSettings> = {
    ...plain,
    ...defined({
      environment: when(environment, (name) => oneOf("environment", environments, name ?? "LIVE")),
      surface: when(surface, (name) => oneOf("surface", surfaces, name ?? "WEB")),
      displayMode: when(displayMode, (name) => oneOf("displayMode", displayModes, name ?? "INLINE")),
      wrapType: when(wrapType, (name) => oneOf("wrapType", wrapTypes, name ?? "CLICKWRAP")),
      versionId: when(versionSelector, parseSelector),
      localeFallback: when(localeFallback, parseLocales),
      allowedOrigins: when(allowedOrigins, parseOrigins),
      theme: when(theme, (theme) => theme ?? {}),
      brandId: when(brandId, (id) => id?.toLowerCase() ?? null),
      screenshotId: when(screenshotId, parseScreenshotId),
      policyOverrides: when(policyOverrides, (flags) => parsePolicyFlags(flags ?? {}, "policyOverrides")),
    }),
  };
  refuse(problemsOf(parsed));
  return parsed;
}

const problemsOf = ({ name, screenshotId, theme }: Partial<DeploymentSettings>): FieldProblem[] => [
  ...unstorableTexts("", { name, screenshotId }),
  ...(theme === undefined ? [] : themeProblems(theme)),
];

function oneOf<const T extends readonly string[]>(field: string, values: T, value: string): T[number] {
  if (values.includes(value)) return value;
  throw invalid(problem(field, "BAD_VALUE", `must be one of ${values.join(", ")}`));
}

/** The version that is pinned; null for LATEST. */
function parseSelector(selector: VersionSelector | null): string | null {
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

function parseScreenshotId(text: string | null): string | null {
  if (text === "") throw invalid(problem("screenshotId", "EMPTY", "must not be empty"));
  return text;
}

export const deploymentMessage = (deployment: Deployment): MessageInitShape<typeof DeploymentSchema> => {
  const { versionId } = deployment;
  return deployments.write({
    ...deployment,
    versionSelector: versionId === null ? { mode: "LATEST" } : { mode: "PINNED", versionId },
    policyOverrides: { ...deployment.policyOverrides } as JsonObject,
  });
};

/** A theme names a few colours and fonts; all deployments of a template travel in one message. */
const maxBytes = 8_192;
const maxDepth = 8;

/** What is wrong with the theme of a deployment. */
function themeProblems(theme: JsonObject): FieldProblem[] {
  if (!isWithin(theme, maxDepth)) {
    return [problem("theme", "TOO_DEEP", `must have at most ${maxDepth} levels of objects and lists`)];
  }
  if (Buffer.byteLength(JSON.stringify(theme)) > maxBytes) {
    return [problem("theme", "TOO_LARGE", `must have at most ${maxBytes} bytes of JSON`)];
  }
  return unstorableTexts("theme", theme);
}

const isWithin = (value: JsonValue, depth: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (depth > 0 && Object.values(value).every((item) => isWithin(item, depth - 1)));
