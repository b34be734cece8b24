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
import { requireCaller } from "#platform/caller.ts";
import { DomainError, type FieldProblem } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import { canonicalLocale } from "#platform/locale.ts";
import {
  canonicalOrigin,
  changeDeployment,
  type Deployment,
  type DeploymentSettings,
  displayModes,
  draftDeployment,
  environments,
  moveDeployment,
  newDeploymentKey,
  requireRemovable,
  requireRoomForDeployment,
  surfaces,
  wrapTypes,
} from "../domain/deployment.ts";
import { checkNewOverrides, checkPolicy } from "../domain/deployment-policy.ts";
import { parsePolicyFlags } from "../domain/policy.ts";
import { invalid, problem, refuse } from "../domain/problems.ts";
import { requireActive } from "../domain/template.ts";
import { unstorableTexts } from "../domain/text.ts";
import {
  addDeployment,
  countDeployments,
  removeDeployment as deleteDeployment,
  findDeployment,
  listDeployments as findDeployments,
} from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { findTemplate, holdTemplate } from "../store/template-store.ts";
import { readMasked, when } from "./configuration.ts";
import { openDeployment, putInForce, requirePinnedVersion } from "./deployment-rules.ts";
import { parseDeploymentId, parseTemplateId, type TemplatesDeps, type TemplatesRpcs } from "./deps.ts";
import { pinScreenshot } from "./screenshots.ts";

export const createDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "newId" | "screenshotBytes">,
): TemplatesRpcs<"createDeployment"> => ({
  async createDeployment(request, context) {
    const { orgId, clientId } = requireCaller(context);
    if (request.fields === undefined) throw invalid(problem("fields", "REQUIRED", "must be given"));
    const settings = parseDeploymentSettings(request.fields);
    const templateId = parseTemplateId(request.templateId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await holdTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      requireActive(template);
      requireRoomForDeployment(await countDeployments(tenant, templateId));
      const now = deps.clock.now();
      const by = { id: deps.newId(), key: newDeploymentKey(), template, clientId, now };
      const deployment = { organizationId: orgId, ...draftDeployment(settings, by) };
      if (request.activate) Object.assign(deployment, moveDeployment(deployment, "activate", now));
      await requirePinnedVersion(tenant, deployment);
      await pinScreenshot(deps, tenant, deployment);
      checkNewOverrides(template, deployment);
      if (request.activate) await putInForce(tenant, { template, deployment }, now);
      return { deployment: deploymentMessage(addDeployment(tenant, deployment)) };
    });
  },
});

export const getDeployment = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"getDeployment"> => ({
  async getDeployment(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseDeploymentId(request.deploymentId);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const deployment = await findDeployment(tenant, id);
      if (deployment === null) throw new DomainError("CLICK_DEPLOYMENT_NOT_FOUND");
      return { deployment: deploymentMessage(deployment) };
    });
  },
});

export const listDeployments = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"listDeployments"> => ({
  async listDeployments(request, context) {
    const { orgId } = requireCaller(context);
    const templateId = parseTemplateId(request.templateId);
    const status = deploymentStatusOf(request.status);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const template = await findTemplate(tenant, templateId);
      if (template === null) throw new DomainError("CLICK_TEMPLATE_NOT_FOUND");
      const deployments = await findDeployments(tenant, { templateId, status });
      return { deployments: deployments.map(deploymentMessage) };
    });
  },
});

export const activateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): TemplatesRpcs<"activateDeployment"> => ({
  async activateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { template, deployment } = await openDeployment(tenant, request.deploymentId);
      requireActive(template);
      const now = deps.clock.now();
      const update = moveDeployment(deployment, "activate", now);
      if (update !== undefined) {
        Object.assign(deployment, update);
        checkPolicy(template, deployment);
        await putInForce(tenant, { template, deployment }, now);
      }
      return { deployment: deploymentMessage(deployment) };
    });
  },
});

export const deactivateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock">,
): TemplatesRpcs<"deactivateDeployment"> => ({
  async deactivateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { deployment } = await openDeployment(tenant, request.deploymentId);
      Object.assign(deployment, moveDeployment(deployment, "deactivate", deps.clock.now()));
      return { deployment: deploymentMessage(deployment) };
    });
  },
});

export const removeDeployment = (deps: Pick<TemplatesDeps, "orm">): TemplatesRpcs<"removeDeployment"> => ({
  async removeDeployment(request, context) {
    const { orgId } = requireCaller(context);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { deployment } = await openDeployment(tenant, request.deploymentId);
      requireRemovable(deployment);
      await deleteDeployment(tenant, deployment.id);
      return {};
    });
  },
});

export const updateDeployment = (
  deps: Pick<TemplatesDeps, "orm" | "clock" | "screenshotBytes">,
): TemplatesRpcs<"updateDeployment"> => ({
  async updateDeployment(request, context) {
    const { orgId } = requireCaller(context);
    const changes = parseDeploymentChanges(request);
    return inOrganization(orgId, deps.orm, async (tenant) => {
      const { template, deployment } = await openDeployment(tenant, request.deploymentId);
      requireActive(template);
      const by = { templateName: template.name, force: request.force };
      const update = changeDeployment(deployment, changes, by);
      if (Object.keys(update).length === 0) return { deployment: deploymentMessage(deployment) };

      const now = deps.clock.now();
      Object.assign(deployment, update, { updatedAt: now });
      if ("versionId" in update) await requirePinnedVersion(tenant, deployment);
      if ("screenshotId" in update) await pinScreenshot(deps, tenant, deployment);
      if ("policyOverrides" in update) checkNewOverrides(template, deployment);
      else checkPolicy(template, deployment);
      if (deployment.status === "ACTIVE") await putInForce(tenant, { template, deployment }, now);
      return { deployment: deploymentMessage(deployment) };
    });
  },
});

/** Undefined for any. */
const deploymentStatusOf = nameReader(DeploymentStatus);
const deployments = recordsOf(DeploymentSchema, { status: DeploymentStatus });
const settings = recordsOf(DeploymentFieldsSchema);
type Given = ReturnType<typeof settings.read>;

/** Reads a new deployment; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
const parseDeploymentSettings = (fields: DeploymentFields): DeploymentSettings =>
  settingsOf(settings.read(fields)) as DeploymentSettings;

/** Reads the fields that the mask names; throws CLICK_VALIDATION_FAILED and CLICK_POLICY_FLAG_INVALID. */
const parseDeploymentChanges = ({ fields, updateMask }: UpdateDeploymentRequest): Partial<DeploymentSettings> =>
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
