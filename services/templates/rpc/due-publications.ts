import { setTimeout as delay } from "node:timers/promises";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { isLockFailure, isTransient } from "#platform/db/errors.ts";
import type { NudgeBus } from "#platform/events/nudges.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
import type { Tracer } from "#platform/telemetry.ts";
import { findTemplateIdOfDeployment } from "../store/deployment-store.ts";
import { inOrganization } from "../store/orm.ts";
import { lockTemplate } from "../store/template-store.ts";
import {
  type DueNames,
  type DuePublication,
  findSchedule,
  hasSchedule,
  listDue,
  lockVersion,
  nextDue,
} from "../store/version-store.ts";
import type { TemplatesDeps } from "./deps.ts";
import { publishScheduled } from "./publish-version.ts";
import { BecameDue } from "./schedule.ts";

type Handlers = Partial<ServiceImpl<typeof TemplatesService>>;
type Deps = Pick<TemplatesDeps, "orm" | "checker" | "clock" | "newId" | "logger" | "resolverPool" | "wakeRelay">;

const batchSize = 100;

/** For so long, in milliseconds, an answer that is about all of an organization waits for what is due of it. */
const patienceMs = 1_000;

/** These look at the time themselves, without a lock, or at nothing that is published. */
const timeless: ReadonlySet<string> = new Set([
  ...["resolveTemplates", "resolveDeployment", "listTemplateTypes", "validateContent", "createTemplate"],
]);

/**
 * Has every handler find what is due of the templates that its request names published already, so that what it reads and
 * changes is what holds at its time, whether or not a worker was there when that came. Lists of the whole organization
 * wait a moment for as much as can be published in it; the worker does the rest.
 */
export function withDuePublications(deps: Deps, handlers: Handlers): Handlers {
  const once = createFlights();
  const publishNamed = (orgId: OrgId, names: DueNames): Promise<void> =>
    publishAllDue(deps, { orgId, names }, { publish: (one) => once(one.id, () => publishDue(deps, one)) });
  const wrapped = Object.entries(handlers).map(([name, handler]) => {
    if (timeless.has(name)) return [name, handler];
    const handle = handler as (request: unknown, context: HandlerContext) => Promise<unknown>;
    const afterDue = async (request: unknown, context: HandlerContext): Promise<unknown> => {
      const { orgId } = requireCaller(context);
      const names = await namesIn(deps, orgId, name, request as Naming);
      if (names === undefined) {
        await Promise.race([once(orgId, () => publishSome(deps, orgId)), delay(patienceMs, undefined, { ref: false })]);
        return handle(request, context);
      }
      await publishNamed(orgId, names);
      try {
        return await handle(request, context);
      } catch (error) {
        if (!(error instanceof BecameDue)) throw error;
        await publishNamed(orgId, names);
        return handle(request, context);
      }
    };
    return [name, afterDue];
  });
  return Object.fromEntries(wrapped) as Handlers;
}

/** What a request may name, as all requests call it. */
interface Naming {
  readonly templateId?: string;
  readonly templateIds?: readonly string[];
  readonly versionId?: string;
  readonly deploymentId?: string;
}

/** Undefined when the request is about all of the organization. */
async function namesIn(
  { orm }: Deps,
  orgId: OrgId,
  handler: string,
  { templateId, templateIds, versionId, deploymentId }: Naming,
): Promise<DueNames | undefined> {
  // Acceptances wait for this one, which reads nothing else.
  if (handler === "getRevision") return { templateIds: [], versionIds: [versionId ?? ""].filter(isUuid) };
  if (deploymentId !== undefined) {
    if (!isUuid(deploymentId)) return { templateIds: [], versionIds: [] };
    const found = await inOrganization(orgId, orm, (tenant) => findTemplateIdOfDeployment(tenant, deploymentId));
    return { templateIds: found === undefined ? [] : [found], versionIds: [] };
  }
  const named = templateIds ?? (templateId === undefined ? undefined : [templateId]);
  return named && { templateIds: named.filter(isUuid), versionIds: [] };
}

/** Runs what has the same key once at a time; who comes meanwhile gets the same answer. */
function createFlights() {
  const flights = new Map<string, Promise<void>>();
  return (key: string, work: () => Promise<void>): Promise<void> => {
    const flight = flights.get(key) ?? work().finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };
}

/** As much as time allows. Whatever is in the way of a publication is in nobody's way here. */
async function publishSome(deps: Deps, orgId: OrgId): Promise<void> {
  const until = performance.now() + patienceMs;
  const mayGoOn = () => performance.now() < until;
  try {
    await publishAllDue(deps, { orgId }, { mayGoOn, publish: (one) => publishFree(deps, one) });
  } catch (error) {
    if (!isTransient(error)) throw error;
    deps.logger.debug({ err: error, orgId }, "scheduled publications could not be looked for");
  }
}

interface Doing {
  publish(one: DuePublication): Promise<void>;
  mayGoOn?(): boolean;
}

/** Goes once through what is due. Any number of processes may do it at the same time. */
async function publishAllDue(
  deps: Deps,
  of: { readonly orgId?: OrgId; readonly names?: DueNames },
  { publish, mayGoOn = () => true }: Doing,
): Promise<void> {
  const now = deps.clock.now();
  let after: DuePublication | undefined;
  do {
    const due = await listDue(deps.resolverPool, { ...of, now, after }, batchSize);
    for (const one of due) {
      if (!mayGoOn()) break;
      await publish(one);
    }
    if (due.length > 0) deps.wakeRelay();
    after = due.length < batchSize ? undefined : due.at(-1);
  } while (after !== undefined && mayGoOn());
}

/** Leaves for later what others hold for too long. */
async function publishFree(deps: Deps, one: DuePublication): Promise<void> {
  try {
    await publishDue(deps, one);
  } catch (error) {
    if (!isLockFailure(error)) throw error;
    deps.logger.debug({ err: error, orgId: one.orgId, versionId: one.id }, "a scheduled publication waits for a lock");
  }
}

/** What fails for a reason that will not pass by itself must not keep anything else from its time. */
async function publishDue(deps: Deps, { orgId, templateId, id }: DuePublication): Promise<void> {
  try {
    await inOrganization(orgId, deps.orm, async (tenant) => {
      // Others may have published it since it was listed; nobody waits for locks only to see that.
      if (!(await hasSchedule(tenant, id))) return;
      const template = await lockTemplate(tenant, templateId);
      const version = await lockVersion(tenant, { templateId, id });
      if (template === null || version === null) return;
      const scheduled = await findSchedule(tenant, id);
      // It was published, cancelled or put off while we waited for the locks.
      if (scheduled === null || scheduled.publishAt > deps.clock.now()) return;
      await publishScheduled({ deps, tenant, template, version }, scheduled);
    });
  } catch (error) {
    if (isTransient(error)) throw error;
    deps.logger.error({ err: error, orgId, templateId, versionId: id }, "a scheduled publication failed");
  }
}

/** How often a process looks by itself for what is due. */
export const publisherPollMs = 5_000;

/** A timer cannot wait for longer; the worker looks by itself long before. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Publishes at the second. What is served does not wait for it: whoever reads goes by the time as well. It is there so
 * that the publication is told, and so that it is told when nobody reads.
 */
export function createPublisher(
  deps: Deps & { readonly bus: NudgeBus; readonly tracer?: Tracer | undefined },
): QueueWorker {
  let timer: NodeJS.Timeout | undefined;
  const queue = createQueueWorker({
    ...{
      name: "templates-publisher",
      pollMs: publisherPollMs,
      logger: deps.logger,
      tracer: deps.tracer,
      bus: deps.bus,
    },
    work: async (mayGoOn) => {
      clearTimeout(timer);
      const begun = deps.clock.now();
      await publishAllDue(deps, {}, { mayGoOn, publish: (one) => publishFree(deps, one) });
      // What could not be published is tried again with each poll, not at once.
      const waitMs = await untilNext(deps, begun);
      if (waitMs !== undefined && mayGoOn()) timer = setTimeout(() => queue.look(), waitMs);
    },
    onError: (error) => {
      const level = isTransient(error) ? "debug" : "error";
      deps.logger[level]({ err: error }, "scheduled publications could not be looked for");
    },
  });
  return {
    ...queue,
    stop: async () => {
      await queue.stop();
      clearTimeout(timer);
    },
  };
}

async function untilNext({ resolverPool, clock }: Deps, after: Date): Promise<number | undefined> {
  const next = await nextDue(resolverPool, after);
  return next && Math.min(Math.max(next.getTime() - clock.now().getTime(), 0), longestTimerMs);
}
