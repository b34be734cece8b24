import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import {
  DeploymentStatus,
  TemplateStatus,
  type Version,
  VersionStatus,
} from "#gen/assent/templates/v1/templates_pb.ts";
import { fromConnectError } from "#platform/errors.ts";
import type { TestClock } from "#platform/testing/service-harness.ts";
import { createActive, deactivate, pinned } from "./deployment-harness.ts";
import { createTemplate, createVersion, type Organization, publish, unpublish } from "./harness.ts";
import {
  archive,
  bulkArchive,
  bulkDuplicate,
  restore,
  saveDraft,
  schedule,
  updateVersion,
} from "./lifecycle-harness.ts";
import type { Operation } from "./lifecycle-model.ts";

/** The ids of what was made, in the order of the model. */
export interface Names {
  readonly templates: readonly { readonly id: string; readonly versions: readonly string[] }[];
}

/** What the real service answered and what it made. */
export interface Answer {
  readonly outcome: string;
  readonly newTemplates: readonly string[];
  readonly newVersion?: { readonly template: number; readonly id: string };
}

const nowhere = "00000000-0000-7000-8000-000000000000";

/** Nothing is ever made under these indexes. */
const beyond = 100;

/** The operation with every index that names nothing yet beyond reach, so that it names nothing later either. */
export function settle(names: Names, operation: Operation): Operation {
  const templateIndex = (index: number) => (index < names.templates.length ? index : index + beyond);
  if ("templates" in operation) return { ...operation, templates: operation.templates.map(templateIndex) };
  if (!("template" in operation)) return operation;
  const template = templateIndex(operation.template);
  if (!("version" in operation) || operation.version === null) return { ...operation, template };
  const versions = names.templates[template]?.versions.length ?? 0;
  return { ...operation, template, version: operation.version + (operation.version < versions ? 0 : beyond) };
}

/** Carries an operation out. Answers like the model; anything that is no domain error is thrown. */
export async function perform(
  organization: Organization,
  names: Names,
  operation: Operation,
  clock: TestClock,
): Promise<Answer> {
  const running = run(organization, names, operation, clock);
  const outcome = await outcomeOf(running);
  return { outcome, newTemplates: [], ...(outcome === "ok" ? await running : {}) };
}

/** `ok` or the code of the domain error; anything else that is thrown is thrown. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    const domainError = fromConnectError(error);
    if (domainError === undefined) throw error;
    return domainError.code;
  }
}

const minuteMs = 60_000;

async function run(
  organization: Organization,
  names: Names,
  operation: Operation,
  clock: TestClock,
): Promise<Partial<Answer>> {
  const idOf = (index: number) => names.templates[index]?.id ?? nowhere;
  switch (operation.kind) {
    case "wait":
      clock.advance(operation.minutes * minuteMs);
      return {};
    case "createTemplate":
      return { newTemplates: [(await createTemplate(organization)).id] };
    case "bulkArchive":
    case "bulkDuplicate":
      return runBulk(organization, operation.kind, operation.templates, idOf);
  }
  const templateId = idOf(operation.template);
  const nameOf = (version: number) => ({
    templateId,
    id: names.templates[operation.template]?.versions[version] ?? nowhere,
  });
  switch (operation.kind) {
    case "createVersion": {
      const { id } = await createVersion(organization, templateId, {
        locale: operation.locale,
        content: operation.text,
      });
      return { newVersion: { template: operation.template, id } };
    }
    case "updateVersion": {
      const changes = { locale: operation.locale, content: operation.text };
      await updateVersion(organization, nameOf(operation.version), ["locale", "content"], changes);
      break;
    }
    case "publish":
      await publish(organization, nameOf(operation.version), operation.major);
      break;
    case "schedule": {
      const { inMinutes, major } = operation;
      const publishAt = new Date(clock.now().getTime() + inMinutes * minuteMs);
      await schedule(organization, nameOf(operation.version), publishAt, major);
      break;
    }
    case "cancelSchedule":
      await organization.cancelVersionSchedule({ templateId, versionId: nameOf(operation.version).id });
      break;
    case "saveDraft":
      await saveDraft(organization, nameOf(operation.version), operation.text);
      break;
    case "discardDraft":
      await organization.deleteVersionDraft({ templateId, versionId: nameOf(operation.version).id });
      break;
    case "unpublish":
      await unpublish(organization, nameOf(operation.version));
      break;
    case "archiveVersion":
      await archive(organization, nameOf(operation.version));
      break;
    case "deploy": {
      const { version } = operation;
      const selector = version === null ? {} : { versionSelector: pinned(nameOf(version).id) };
      await createActive(organization, templateId, selector);
      break;
    }
    case "undeploy":
      await deactivateAll(organization, templateId);
      break;
    case "restore":
      await restore(organization, templateId);
      break;
    case "remove":
      await organization.removeTemplate({ templateId });
  }
  return {};
}

async function deactivateAll(organization: Organization, templateId: string): Promise<void> {
  const { deployments } = await organization.listDeployments({ templateId, status: DeploymentStatus.ACTIVE });
  for (const { id } of deployments) await deactivate(organization, id);
}

async function runBulk(
  organization: Organization,
  kind: "bulkArchive" | "bulkDuplicate",
  indexes: readonly number[],
  idOf: (index: number) => string,
): Promise<Partial<Answer>> {
  // Several indexes beyond the end have one id, but in the model each is a template of its own.
  const ids = indexes.map((index) => (idOf(index) === nowhere ? unknownId(index) : idOf(index)));
  const indexOf = new Map(ids.map((id, position) => [id, indexes[position]]));
  const summary = (done: number, skipped: readonly string[]) => {
    const named = skipped.map((line) => line.replace(/^\S+/, (id) => String(indexOf.get(id))));
    return `${done} done, skipped ${named.join(", ")}`;
  };
  if (kind === "bulkArchive") {
    const { archived, skipped } = await bulkArchive(organization, ...ids);
    return { outcome: summary(archived, skipped) };
  }
  const { duplicates, skipped } = await bulkDuplicate(organization, ids);
  return { outcome: summary(duplicates.length, skipped), newTemplates: duplicates.map(({ newId }) => newId) };
}

const unknownId = (index: number): string => nowhere.replace(/0$/, String(index % 10));

/** The names after an operation that answered like this. */
export const withNew = (names: Names, answer: Answer): Names => ({
  templates: [
    ...names.templates.map((template, index) =>
      answer.newVersion?.template === index
        ? { ...template, versions: [...template.versions, answer.newVersion.id] }
        : template,
    ),
    ...answer.newTemplates.map((id) => ({ id, versions: [] })),
  ],
});

const nameOf = (names: Readonly<Record<string, number>>, value: number) =>
  Object.keys(names).find((name) => names[name] === value);

/** What a reader sees, in the terms of the model, whose time began then. */
export const observe = (organization: Organization, names: Names, since: Date) =>
  Promise.all(
    names.templates.map(async ({ id, versions: ids }) => {
      const answer = await organization
        .getTemplate({ templateId: id, includeVersions: true })
        .catch((error: unknown) => {
          if (fromConnectError(error)?.code !== "CLICK_TEMPLATE_NOT_FOUND") throw error;
          return undefined;
        });
      if (answer?.template === undefined) return undefined;
      const { status, activeDeploymentCount, versions } = answer.template;
      const drafts = await draftsOf(organization, versions);
      return {
        status: nameOf(TemplateStatus, status),
        activeDeployments: activeDeploymentCount,
        versions: versions
          .toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
          .map((version) => ({
            locale: version.locale,
            text: version.content,
            status: nameOf(VersionStatus, version.status),
            draft: drafts.get(version.id) ?? null,
            scheduled: minutesTo(version.schedule?.publishAt, since),
            labels: version.revisions.map((revision) => revision.label),
          })),
      };
    }),
  );

const minutesTo = (time: Timestamp | undefined, since: Date): number | null =>
  time === undefined ? null : (timestampDate(time).getTime() - since.getTime()) / minuteMs;

/** The texts of the drafts that the versions say they have. */
async function draftsOf(organization: Organization, versions: readonly Version[]): Promise<Map<string, string>> {
  const noted = versions.filter(({ draft }) => draft !== undefined);
  const read = noted.map(async ({ id: versionId, templateId }): Promise<[string, string]> => {
    const { draft } = await organization.getVersionDraft({ templateId, versionId });
    return [versionId, draft?.content ?? ""];
  });
  return new Map(await Promise.all(read));
}
