/** The rules of templates, versions and deployments, told once more in the plainest way. */
export interface World {
  readonly templates: ModelTemplate[];
  /** Minutes that have passed. */
  minute: number;
}

interface ModelTemplate {
  archived: boolean;
  removed: boolean;
  readonly versions: ModelVersion[];
  /** Active ones: the version each is pinned to, or null. */
  deployments: (number | null)[];
}

interface ModelVersion {
  locale: string;
  text: string;
  status: "DRAFT" | "PUBLISHED" | "ARCHIVED";
  readonly revisions: { readonly label: string; readonly material: string }[];
  /** The next text, beside what is live. */
  draft: string | null;
  /** What is scheduled: how many minutes later, and whether as a new major version. */
  schedule: { readonly minute: number; readonly major: boolean } | null;
}

/** Templates and versions are named by the order they were made in. */
export type Operation =
  | { readonly kind: "createTemplate" }
  | { readonly kind: "createVersion"; readonly template: number; readonly locale: string; readonly text: string }
  | {
      readonly kind: "updateVersion";
      readonly template: number;
      readonly version: number;
      readonly locale: string;
      readonly text: string;
    }
  | { readonly kind: "publish"; readonly template: number; readonly version: number; readonly major: boolean }
  | { readonly kind: "saveDraft"; readonly template: number; readonly version: number; readonly text: string }
  | {
      readonly kind: "schedule";
      readonly template: number;
      readonly version: number;
      readonly inMinutes: number;
      readonly major: boolean;
    }
  | { readonly kind: "wait"; readonly minutes: number }
  | {
      readonly kind: "unpublish" | "archiveVersion" | "discardDraft" | "cancelSchedule";
      readonly template: number;
      readonly version: number;
    }
  | { readonly kind: "deploy"; readonly template: number; readonly version: number | null }
  | { readonly kind: "undeploy" | "restore" | "remove"; readonly template: number }
  | { readonly kind: "bulkArchive" | "bulkDuplicate"; readonly templates: readonly number[] };

/** What the operation makes of the world, and what it answers: `ok`, an error code, or the summary of a bulk. */
export function applyToModel(before: World, operation: Operation): { world: World; outcome: string } {
  const world = structuredClone(before);
  try {
    return { world, outcome: run(world, operation) ?? "ok" };
  } catch (error) {
    if (typeof error !== "string") throw error;
    return { world: before, outcome: error };
  }
}

function run(world: World, operation: Operation): string | undefined {
  switch (operation.kind) {
    case "wait":
      world.minute += operation.minutes;
      publishDue(world);
      return;
    case "createTemplate":
      world.templates.push({ archived: false, removed: false, versions: [], deployments: [] });
      return;
    case "bulkArchive":
    case "bulkDuplicate":
      return runBulk(world, operation.kind, operation.templates);
  }
  const template = world.templates[operation.template];
  if (template === undefined || template.removed) throw "CLICK_TEMPLATE_NOT_FOUND";
  switch (operation.kind) {
    case "restore":
      template.archived = false;
      return;
    case "remove":
      if (template.deployments.length > 0) throw "CLICK_TEMPLATE_HAS_ACTIVE_DEPLOYMENTS";
      template.removed = true;
      endSchedules(template);
      return;
    case "undeploy":
      template.deployments = [];
      return;
    case "createVersion":
      refuseArchived(template);
      refuseTaken(template, operation.locale);
      template.versions.push({ ...pick(operation), status: "DRAFT", revisions: [], draft: null, schedule: null });
      return;
    case "deploy":
      return runDeploy(template, operation.version);
    default:
      return runOnVersion(world, template, operation);
  }
}

/** What is scheduled comes in the order of its times. */
function publishDue(world: World): void {
  const due = world.templates.flatMap(({ versions }) =>
    versions.filter(({ schedule }) => schedule !== null && schedule.minute <= world.minute),
  );
  for (const version of due.sort((a, b) => (a.schedule?.minute ?? 0) - (b.schedule?.minute ?? 0))) {
    publish(version, version.schedule?.major ?? true);
  }
}

function endSchedules(template: ModelTemplate): void {
  for (const version of template.versions) version.schedule = null;
}

type VersionOperation = Extract<
  Operation,
  {
    kind:
      | ("updateVersion" | "publish" | "unpublish" | "archiveVersion" | "saveDraft" | "discardDraft")
      | ("schedule" | "cancelSchedule");
  }
>;

function runOnVersion(world: World, template: ModelTemplate, operation: VersionOperation): undefined {
  const version = template.versions[operation.version];
  if (version === undefined) throw "CLICK_VERSION_NOT_FOUND";
  const isPinned = template.deployments.includes(operation.version);
  const followsPublished = template.deployments.includes(null);
  if (operation.kind === "archiveVersion") {
    if (version.status === "ARCHIVED") return;
    if (isPinned || (followsPublished && version.status === "PUBLISHED")) throw "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS";
    Object.assign(version, { status: "ARCHIVED", draft: null, schedule: null });
    return;
  }
  if (operation.kind === "cancelSchedule") {
    if (version.schedule === null) throw "CLICK_SCHEDULE_NOT_FOUND";
    version.schedule = null;
    return;
  }
  refuseArchived(template);
  if (operation.kind === "discardDraft") {
    if (version.draft === null) throw "CLICK_DRAFT_NOT_FOUND";
    refuseScheduled(version);
    version.draft = null;
    return;
  }
  if (version.status === "ARCHIVED") throw "CLICK_VERSION_ARCHIVED";
  switch (operation.kind) {
    case "updateVersion":
      if (version.status === "PUBLISHED") throw "CLICK_VERSION_PUBLISHED";
      if (version.locale === operation.locale && version.text === operation.text) return;
      refuseScheduled(version);
      if (version.locale !== operation.locale) refuseTaken(template, operation.locale);
      Object.assign(version, pick(operation));
      return;
    case "unpublish": {
      if (version.status === "DRAFT") return;
      const others = template.versions.filter((other) => other !== version && other.status === "PUBLISHED");
      if (isPinned || (followsPublished && others.length === 0)) throw "CLICK_VERSION_HAS_ACTIVE_DEPLOYMENTS";
      Object.assign(version, { status: "DRAFT", schedule: null });
      return;
    }
    case "saveDraft":
      if (version.draft === operation.text) return;
      refuseScheduled(version);
      if (version.status === "DRAFT") throw "CLICK_VERSION_NOT_PUBLISHED";
      version.draft = operation.text;
      return;
    case "schedule":
      if (version.status === "PUBLISHED" && version.draft === null) throw "CLICK_DRAFT_NOT_FOUND";
      version.schedule = { minute: world.minute + operation.inMinutes, major: operation.major };
      return;
    case "publish":
      publish(version, operation.major);
  }
}

function publish(version: ModelVersion, isMajor: boolean): void {
  if (version.status === "PUBLISHED") {
    if (version.draft === null) return;
    version.text = version.draft;
    version.draft = null;
  }
  Object.assign(version, { status: "PUBLISHED", schedule: null });
  const last = version.revisions.at(-1);
  const material = `${version.locale} ${version.text}`;
  if (last?.material === material) return;
  const [major = 0, minor = 0] = (last?.label ?? "0.0").split(".").map(Number);
  const label = isMajor || last === undefined ? `${major + 1}.0` : `${major}.${minor + 1}`;
  version.revisions.push({ label, material });
}

function runDeploy(template: ModelTemplate, version: number | null): undefined {
  refuseArchived(template);
  if (version !== null && template.versions[version] === undefined) throw "CLICK_VERSION_NOT_FOUND";
  const served = version === null ? template.versions : [template.versions[version]];
  if (!served.some((candidate) => candidate?.status === "PUBLISHED")) throw "CLICK_VERSION_NOT_PUBLISHED";
  template.deployments.push(version);
}

function runBulk(world: World, kind: "bulkArchive" | "bulkDuplicate", indexes: readonly number[]): string {
  let done = 0;
  const skipped: string[] = [];
  const existing = [...world.templates];
  for (const index of new Set(indexes)) {
    const template = existing[index];
    if (template === undefined || template.removed) skipped.push(`${index} not_found`);
    else if (kind === "bulkArchive" && template.deployments.length > 0) skipped.push(`${index} has_active_deployments`);
    else {
      done += 1;
      if (kind === "bulkArchive") {
        template.archived = true;
        endSchedules(template);
      } else world.templates.push({ archived: false, removed: false, versions: [], deployments: [] });
    }
  }
  return `${done} done, skipped ${skipped.join(", ")}`;
}

const pick = ({ locale, text }: { readonly locale: string; readonly text: string }) => ({ locale, text });

function refuseArchived(template: ModelTemplate): void {
  if (template.archived) throw "CLICK_TEMPLATE_ARCHIVED";
}

function refuseScheduled(version: ModelVersion): void {
  if (version.schedule !== null) throw "CLICK_VERSION_SCHEDULED";
}

function refuseTaken(template: ModelTemplate, locale: string): void {
  const isTaken = template.versions.some((version) => version.status !== "ARCHIVED" && version.locale === locale);
  if (isTaken) throw "CLICK_VERSION_LOCALE_EXISTS";
}

/** What a reader sees of the world; undefined for a template that is gone. */
export const visible = (world: World) =>
  world.templates.map((template) => {
    if (template.removed) return undefined;
    const isPublished = template.versions.some((version) => version.status === "PUBLISHED");
    return {
      status: template.archived ? "ARCHIVED" : isPublished ? "PUBLISHED" : "DRAFT",
      activeDeployments: template.deployments.length,
      versions: template.versions.map(({ locale, text, status, draft, schedule, revisions }) => ({
        locale,
        text,
        status,
        draft,
        scheduled: schedule?.minute ?? null,
        labels: revisions.map((revision) => revision.label),
      })),
    };
  });
