import { randomUUID } from "node:crypto";
import { ConnectError } from "@connectrpc/connect";
import type { Pool } from "pg";
import { auditActor, auditRecord } from "#api/audit-actions.ts";
import type { PersonalItemJson } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import type { Caller } from "#platform/caller.ts";
import { withHolds } from "#platform/db/hold-marks.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import type { NudgeBus } from "#platform/events/nudges.ts";
import type { Logger } from "#platform/logger.ts";
import { insertOutbox } from "#platform/outbox/outbox.ts";
import { createQueueWorker, type QueueWorker } from "#platform/periodic.ts";
import type { AuthDeps } from "../rpc/deps.ts";
import { type AskDeps, askNext, findPersonHold, jsonOf, type Place } from "./ask-holders.ts";
import {
  advance,
  type ClaimedErasure,
  claimErasure,
  completeErasure,
  insertPage,
  lockClaimed,
  putOffErasure,
} from "./erasure-store.ts";
import { holderNames } from "./holders.ts";
import { accountItems, eraseAccounts, eraseTrail, type OwnAccounts } from "./own-people.ts";
import { openPerson } from "./person.ts";

export interface ErasureWorkerDeps
  extends AskDeps,
    Pick<AuthDeps, "people" | "eraserPool" | "clock" | "newId" | "keys" | "erasureList"> {
  readonly janitor: Pool;
  readonly logger: Logger;
  readonly bus?: NudgeBus | undefined;
}

/** Longer than a page may take; then another process goes on. */
const leaseMs = 2 * 60_000;
const maxPauseMs = 5 * 60_000;

/** Erases people, page by page. Any number of processes may do it; what one leaves undone, another goes on with. */
export const createErasureWorker = (deps: ErasureWorkerDeps): QueueWorker =>
  createQueueWorker({
    ...{ name: "auth-erasures", pollMs: 500, logger: deps.logger, bus: deps.bus },
    work: async (mayGoOn) => {
      while (mayGoOn() && (await eraseNext(deps, mayGoOn)));
    },
  });

/** False when nothing is due. */
async function eraseNext(deps: ErasureWorkerDeps, mayGoOn: () => boolean): Promise<boolean> {
  const now = deps.clock.now();
  const claimed = await claimErasure(deps.janitor, { claim: randomUUID(), now, until: leaseFrom(now) });
  if (claimed === undefined) return false;
  try {
    while (await erasePage(deps, claimed)) {
      if (mayGoOn()) continue;
      await putOff(deps, claimed, 0);
      return false;
    }
  } catch (error) {
    // What went wrong may name the person.
    deps.logger.warn({ code: ConnectError.from(error).code, erasureId: claimed.id }, "an erasure is tried again");
    await putOff(deps, claimed, Math.min(maxPauseMs, 1_000 * 2 ** Math.min(claimed.attempts - 1, 20)));
  }
  return true;
}

const leaseFrom = (now: Date): Date => new Date(now.getTime() + leaseMs);

const putOff = (deps: ErasureWorkerDeps, claimed: ClaimedErasure, pauseMs: number): Promise<void> =>
  withOrg(deps.people, claimed.orgId, (tenant) =>
    putOffErasure(tenant, claimed, new Date(deps.clock.now().getTime() + pauseMs)),
  );

/**
 * One step further; false when there is nothing more to do, or somebody else does it. Whatever is erased is written into
 * the report at once, or is answered again when it is asked for again: a process that dies takes nothing with it.
 */
async function erasePage(deps: ErasureWorkerDeps, claimed: ClaimedErasure): Promise<boolean> {
  const { orgId, id } = claimed;
  const running = await withOrg(deps.people, orgId, (tenant) => lockClaimed(tenant, claimed));
  if (running === undefined) return false;
  const { sealedPerson, ground, isDry, askedBy, requestId, createdAt, step, position, pages } = running;
  const caller: Caller = { orgId, clientId: askedBy, requestId, traceparent: "" };
  const person = openPerson(deps.keys, sealedPerson, id);
  const listed = {
    ...person,
    id,
    organizationId: orgId,
    ground,
    askedBy,
    requestId,
    createdAt: createdAt.toISOString(),
  };
  if (!isDry) await deps.erasureList?.add(listed);
  const whileClaimed = (work: (tenant: Tenant) => Promise<void>): Promise<void> =>
    withOrg(deps.people, orgId, async (tenant) => {
      // Only who has the claim writes, so each page is written once. The row is locked before the holds are shared: nobody
      // who shares them waits for it.
      if ((await lockClaimed(tenant, claimed)) !== undefined) await work(tenant);
    });
  const goOn = async (tenant: Tenant, items: readonly PersonalItemJson[], next: Place): Promise<void> => {
    if (items.length > 0) await insertPage(tenant, id, pages, items);
    const until = leaseFrom(deps.clock.now());
    await advance(tenant, id, { ...next, pages: pages + (items.length > 0 ? 1 : 0), until });
  };
  const findHold = () => findPersonHold(deps, caller, person);
  const name = holderNames[step];
  if (name !== undefined) {
    const { items, next } = await askNext(
      deps,
      caller,
      person,
      name,
      { step, position },
      isDry ? undefined : { id, ground },
    );
    await whileClaimed((tenant) => goOn(tenant, items, next));
    return true;
  }
  if (step === holderNames.length) {
    await withHolds(findHold, (hold) =>
      whileClaimed(async (tenant) => {
        const own = await eraseAccounts(deps, tenant, person, { ...hold, erases: !isDry });
        await goOn(tenant, accountItems(own).map(jsonOf), { step: step + 1, position: placeOf(own) });
      }),
    );
    return true;
  }
  const own = accountsAt(position);
  await withHolds(findHold, (hold) =>
    whileClaimed(async (tenant) => {
      const found = { ...own, isHeld: own.isHeld || hold.isHeld };
      await withOrg(deps.eraserPool, orgId, async (eraser) => {
        const lines = await eraseTrail(eraser, person, found, { erases: !isDry, mark: hold.mark });
        if (lines.length > 0) await insertPage(eraser, id, pages, lines.map(jsonOf));
      });
      const now = deps.clock.now();
      await completeErasure(tenant, id, now);
      const audited = {
        action: isDry ? "person.sought" : "person.erased",
        actor: auditActor(caller),
        targetId: id,
      } as const;
      const context = { caller, eventId: deps.newId(), now };
      await insertOutbox(tenant.client, "auth", [auditRecord(context, { ...audited, changes: { reason: ground } })]);
    }),
  );
  return false;
}

/** The accounts are gone when the trail is cleared: their ids say whose lines they are. */
const placeOf = ({ accounts, isHeld }: OwnAccounts): string => JSON.stringify({ accounts, isHeld });
const accountsAt = (position: string): OwnAccounts => JSON.parse(position);
