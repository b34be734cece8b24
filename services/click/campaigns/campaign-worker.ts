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
import {
  type CampaignName,
  deleteCampaign,
  deletePeople,
  findDueCampaigns,
  findUncheckedCampaigns,
  listUnchecked,
  lockAll,
  updateCampaign,
} from "./campaign-store.ts";

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

/**
 * Looks at the people of campaigns that have started, and does what is due: reminders, ends, and the deletion of people. Each
 * step, what it changes and its event are one transaction that has the campaign locked, so any number of processes may do it
 * at the same time, and may die.
 */
export const createCampaignWorker = (deps: CampaignWorkerDeps): Worker =>
  createPeriodicWorker({
    name: "campaigns click",
    everyMs,
    logger: deps.logger,
    run: async () => {
      try {
        await workOff(deps);
      } catch (error) {
        if (!isOutage(error)) throw error;
        deps.logger.debug({ err: error }, "campaigns wait while the database or the templates service is away");
      }
    },
  });

/** Does all that there is to do now. What one campaign fails at keeps no other waiting. */
async function workOff(deps: CampaignWorkerDeps): Promise<void> {
  const unchecked = await findUncheckedCampaigns(deps.sweeperPool, campaignsAtOnce);
  for (const name of unchecked) await withoutOthers(deps, name, () => checkPeople(deps, name));
  const due = await findDueCampaigns(deps.sweeperPool, deps.clock.now(), campaignsAtOnce);
  for (const name of due) await withoutOthers(deps, name, () => doWhatIsDue(deps, name));
}

async function withoutOthers(
  { logger }: CampaignWorkerDeps,
  name: CampaignName,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (err) {
    if (isOutage(err)) throw err;
    logger.error({ err, organizationId: name.orgId, campaignId: name.id }, "a campaign is gone on with later");
  }
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

/** In turns, so that whoever accepts meanwhile is counted between them. */
async function checkPeople(deps: CampaignWorkerDeps, name: CampaignName): Promise<void> {
  const checkSome = () =>
    withLocked(deps, name, async (tenant, campaign) => {
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
      return false;
    });
  while (await checkSome());
  deps.wakeRelay();
}

async function doWhatIsDue(deps: CampaignWorkerDeps, name: CampaignName): Promise<void> {
  const isOver = await withLocked(deps, name, async (tenant, campaign) => {
    const now = deps.clock.now();
    if (campaign.nextAt === null || campaign.nextAt > now) return false;
    if (campaign.status !== "RUNNING") return true;
    if (now < campaign.dueAt) await remind(deps, tenant, campaign, now);
    // Its report counts everybody: the next run ends it, after those whom nobody has looked at yet.
    else if (campaign.unchecked === 0) await end(deps, tenant, campaign, now);
    return false;
  });
  if (isOver) await forgetPeople(deps, name);
  else deps.wakeRelay();
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
 * Deletes the people of a campaign that is over. Nobody is, while the template has a legal hold, or the organization has
 * ever set one: whom that one keeps is not known here.
 */
async function forgetPeople(deps: CampaignWorkerDeps, name: CampaignName): Promise<void> {
  const { templates, clock } = deps;
  const later = () =>
    withLocked(deps, name, async (tenant, campaign) => {
      await updateCampaign(tenant, { ...campaign, nextAt: new Date(clock.now().getTime() + dayMs) });
      return false;
    });
  if (!(await deps.mayDeleteByTime())) return;
  const current = await withOrg(deps.pool, name.orgId, (tenant) => lockAll(tenant, [name.id]));
  const terms = current.map(({ templateId }) => ({ templateId, termsHash: null, retentionDays: 0, legalHold: false }));
  const offers = await findCurrent(templates, name.orgId, terms);
  if (terms.some((one) => isHeld(one, offers))) {
    await later();
    return;
  }
  const forgetSome = () =>
    withLocked(
      deps,
      name,
      async (tenant, campaign) => {
        if (campaign.status === "RUNNING" || campaign.nextAt === null || campaign.nextAt > clock.now()) return false;
        if (await deletePeople(tenant, name.id, deletedAtOnce)) return true;
        if (campaign.status === "DELETED") await deleteCampaign(tenant, name.id);
        else await updateCampaign(tenant, { ...campaign, nextAt: null });
        return false;
      },
      (tenant) => shareHolds(tenant, "click", 0),
    );
  try {
    while (await forgetSome());
  } catch (error) {
    if (fromConnectError(error)?.code !== "HOLDS_CHANGED") throw error;
    await later();
  }
}
