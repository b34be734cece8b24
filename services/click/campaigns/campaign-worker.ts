import type pg from "pg";
import { shareHolds } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { fromConnectError } from "#platform/errors.ts";
import type { NewId } from "#platform/ids.ts";
import type { Logger } from "#platform/logger.ts";
import { isOutage } from "#platform/outage.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { createPeriodicWorker, type Worker } from "#platform/periodic.ts";
import { dayMs } from "#platform/zone-time.ts";
import { findCurrent, isHeld } from "../erasure/erasure-rules.ts";
import { campaignTold } from "../events.ts";
import type { TemplateSource } from "../terms/template-source.ts";
import { type Campaign, nextOf, outstandingOf, peopleUntil } from "./campaign.ts";
import { judgePeople, type StandingDeps } from "./campaign-people.ts";
import { deleteCampaign, deletePeople, listUnchecked, lockAll, updateCampaign } from "./campaign-store.ts";
import {
  type CampaignName,
  findDueCampaigns,
  findForgotten,
  findUncheckedCampaigns,
  hasWork,
} from "./due-campaign-store.ts";

export interface CampaignWorkerDeps extends StandingDeps {
  readonly pool: pg.Pool;
  /** Connects as the sweeper. */
  readonly sweeperPool: pg.Pool;
  readonly templates: TemplateSource;
  readonly newId: NewId;
  readonly logger: Logger;
  /** Called after each commit that wrote events. */
  wakeRelay(): void;
  /** Whether what is over by its time alone may be deleted. */
  mayDeleteByTime(): Promise<boolean>;
}

/** Starts are looked at, and what is due is done, at most so much later. */
const everyMs = 1_000;
const campaignsAtOnce = 20;
/** A person may cost some milliseconds, during which nobody of the campaign is counted. */
const checkedAtOnce = 200;
const deletedAtOnce = 5_000;
/** How long people are kept who cannot be deleted now. */
const keptMs = 600_000;

/**
 * Looks at the people of campaigns that have started, and does what is due: reminders, ends, and the deletion of people. Each
 * step, what it changes and its event are one transaction that has the campaign locked, so any number of processes may do it
 * at the same time, and may die.
 */
export function createCampaignWorker(deps: CampaignWorkerDeps): Worker {
  const check = createChecks(deps);
  return createPeriodicWorker({
    name: "campaigns click",
    everyMs,
    logger: deps.logger,
    run: async (mayGoOn) => {
      try {
        let isMore = await hasWork(deps.sweeperPool, deps.clock.now());
        while (isMore && mayGoOn()) {
          await tellAll(deps, mayGoOn);
          isMore = await check(mayGoOn);
          isMore = (await forgetAll(deps, mayGoOn)) || isMore;
        }
      } catch (error) {
        if (!isOutage(error)) throw error;
        deps.logger.debug({ err: error }, "campaigns wait while the database is away");
      }
    },
  });
}

/** What the work says; false when it fails: what one campaign fails at keeps no other waiting. */
async function withoutOthers(
  { logger }: CampaignWorkerDeps,
  name: CampaignName,
  work: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await work();
  } catch (err) {
    const level = isOutage(err) ? "debug" : "error";
    logger[level]({ err, organizationId: name.orgId, campaignId: name.id }, "a campaign is gone on with later");
    return false;
  }
}

/** Sends all reminders that are due, and ends what is over. Those that have to wait are left out, and come again. */
async function tellAll(deps: CampaignWorkerDeps, mayGoOn: () => boolean): Promise<void> {
  let left = 0;
  let due: CampaignName[];
  do {
    due = await findDueCampaigns(deps.sweeperPool, { now: deps.clock.now(), offset: left, limit: campaignsAtOnce });
    for (const name of due) {
      if (!mayGoOn()) return;
      if (!(await withoutOthers(deps, name, () => doWhatIsDue(deps, name)))) left += 1;
    }
  } while (due.length === campaignsAtOnce);
}

/**
 * Looks at some people of each campaign that has any to be looked at, so that a large one holds up no other. True when there
 * may be more.
 */
function createChecks(deps: CampaignWorkerDeps): (mayGoOn: () => boolean) => Promise<boolean> {
  // However many there are: each has its turn.
  let after: CampaignName | undefined;
  const find = () => findUncheckedCampaigns(deps.sweeperPool, after, campaignsAtOnce);
  return async (mayGoOn) => {
    let found = await find();
    if (found.length === 0 && after !== undefined) {
      after = undefined;
      found = await find();
    }
    let isMore = false;
    for (const name of found) {
      if (!mayGoOn()) return true;
      after = name;
      isMore = (await withoutOthers(deps, name, () => checkPeople(deps, name))) || isMore;
    }
    return isMore;
  };
}

/** Deletes some people of campaigns that are over; true when there may be more. */
async function forgetAll(deps: CampaignWorkerDeps, mayGoOn: () => boolean): Promise<boolean> {
  const due = await findForgotten(deps.sweeperPool, deps.clock.now(), campaignsAtOnce);
  if (due.length === 0) return false;
  let mayDelete = await deps.mayDeleteByTime();
  let isMore = due.length === campaignsAtOnce;
  for (const name of due) {
    if (!mayGoOn()) return true;
    try {
      if (mayDelete && (await forgetPeople(deps, name))) isMore = true;
      if (mayDelete) continue;
    } catch (err) {
      // While the templates service is away, nobody else waits for it to answer.
      if (isOutage(err)) mayDelete = false;
      const level = isOutage(err) ? "debug" : "error";
      deps.logger[level]({ err, organizationId: name.orgId, campaignId: name.id }, "people are deleted later");
    }
    await postpone(deps, name, keptMs);
  }
  return isMore;
}

/** Works with a campaign that is locked; false when it is gone, or the work says so. */
const withLocked = (
  { pool }: CampaignWorkerDeps,
  { orgId, id }: CampaignName,
  work: (tenant: Tenant, campaign: Campaign) => Promise<boolean>,
  before?: (tenant: Tenant) => Promise<void>,
): Promise<boolean> =>
  withOrg(pool, orgId, async (tenant) => {
    await before?.(tenant);
    const [campaign] = await lockAll(tenant, [id]);
    return campaign !== undefined && work(tenant, campaign);
  });

/** Looks at some, and announces the start after the last; false when there is nothing to do. */
async function checkPeople(deps: CampaignWorkerDeps, name: CampaignName): Promise<boolean> {
  const isDone = await withLocked(deps, name, async (tenant, campaign) => {
    if (campaign.status !== "RUNNING") return false;
    const indexes = await listUnchecked(tenant, name.id, checkedAtOnce);
    if (indexes.length > 0) {
      await judgePeople(deps, tenant, campaign, indexes);
      return true;
    }
    if (campaign.announcedAt !== null) return false;
    const now = deps.clock.now();
    const announced = { ...campaign, announcedAt: now };
    await updateCampaign(tenant, announced);
    await tell(deps, tenant, "started", announced, now);
    return true;
  });
  deps.wakeRelay();
  return isDone;
}

/** False when it has to wait. */
async function doWhatIsDue(deps: CampaignWorkerDeps, name: CampaignName): Promise<boolean> {
  const isDone = await withLocked(deps, name, async (tenant, campaign) => {
    const now = deps.clock.now();
    if (campaign.status !== "RUNNING" || campaign.nextAt === null || campaign.nextAt > now) return false;
    // Whoever is told of a campaign is told of its start first.
    if (campaign.announcedAt === null) return false;
    if (now < campaign.dueAt) await remind(deps, tenant, campaign, now);
    // Its report counts everybody.
    else if (campaign.unchecked > 0) return false;
    else await end(deps, tenant, campaign, now);
    return true;
  });
  if (isDone) deps.wakeRelay();
  return isDone;
}

async function end(deps: CampaignWorkerDeps, tenant: Tenant, campaign: Campaign, now: Date): Promise<void> {
  const until = peopleUntil(now);
  const ended: Campaign = { ...campaign, status: "ENDED", endedAt: now, nextAt: until, peopleUntil: until };
  await updateCampaign(tenant, ended);
  await tell(deps, tenant, "ended", ended, now);
}

/** Times that passed while nothing ran have one reminder together. Without anybody to remind there is none. */
async function remind(deps: CampaignWorkerDeps, tenant: Tenant, campaign: Campaign, now: Date): Promise<void> {
  const isNeeded = outstandingOf(campaign) + campaign.unchecked > 0;
  const remindersSent = campaign.remindersSent + (isNeeded ? 1 : 0);
  const reminded = { ...campaign, remindersSent, nextAt: nextOf(campaign, now) };
  await updateCampaign(tenant, reminded);
  if (isNeeded) await tell(deps, tenant, "reminder", reminded, now);
}

const tell = (
  { newId }: CampaignWorkerDeps,
  { orgId, client }: Tenant,
  what: Parameters<typeof campaignTold>[1],
  campaign: Campaign,
  now: Date,
): Promise<void> =>
  insertOutbox(client, "click", [
    campaignTold({ caller: { orgId, requestId: "", traceparent: "" }, eventId: newId(), now }, what, campaign),
  ]);

/**
 * Deletes some of the people of a campaign that is over; true when there may be more. Nobody is, while the template has a
 * legal hold, or the organization has ever set one: whom that one keeps is not known here.
 */
async function forgetPeople(deps: CampaignWorkerDeps, name: CampaignName): Promise<boolean> {
  const current = await withOrg(deps.pool, name.orgId, (tenant) => lockAll(tenant, [name.id]));
  const terms = current.map(({ templateId }) => ({ templateId, termsHash: null, retentionDays: 0, legalHold: false }));
  const offers = await findCurrent(deps.templates, name.orgId, terms);
  if (terms.some((one) => isHeld(one, offers))) {
    await postpone(deps, name, dayMs);
    return false;
  }
  const forgetSome = async (tenant: Tenant, campaign: Campaign) => {
    if (!isForgotten(campaign, deps.clock.now())) return false;
    if (await deletePeople(tenant, name.id, deletedAtOnce)) return true;
    if (campaign.status === "DELETED") await deleteCampaign(tenant, name.id);
    else await updateCampaign(tenant, { ...campaign, nextAt: null });
    return false;
  };
  try {
    return await withLocked(deps, name, forgetSome, (tenant) => shareHolds(tenant, "click", 0));
  } catch (error) {
    if (fromConnectError(error)?.code !== "HOLDS_CHANGED") throw error;
    await postpone(deps, name, dayMs);
    return false;
  }
}

const isForgotten = ({ status, nextAt }: Campaign, now: Date): boolean =>
  status !== "RUNNING" && nextAt !== null && nextAt <= now;

/** Deletes the people of a campaign so much later, unless it goes on meanwhile. */
const postpone = (deps: CampaignWorkerDeps, name: CampaignName, ms: number): Promise<boolean> =>
  withLocked(deps, name, async (tenant, campaign) => {
    const now = deps.clock.now();
    if (!isForgotten(campaign, now)) return false;
    await updateCampaign(tenant, { ...campaign, nextAt: new Date(now.getTime() + ms) });
    return true;
  });
