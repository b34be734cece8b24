import type { CreateDocumentRequest } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { type Document, hasEnded } from "../domain/document.ts";
import { type Plan, planLimits, type WindowName } from "../domain/usage.ts";
import { prepareSource } from "../prepare/prepare-source.ts";
import { countWaiting } from "../store/claim-store.ts";
import { addDocument, findDocument, type NewDocument } from "../store/document-store.ts";
import {
  type EarlierUse,
  findEarlierUse,
  type KeyedRequest,
  type KeyUse,
  keyedRequest,
  takeKey,
} from "../store/idempotency-store.ts";
import { type RateState, readRefusal, readUsage, takeSlots } from "../store/usage-store.ts";
import type { Place } from "../work/work-loop.ts";
import type { DocgenDeps, DocgenRpcs } from "./deps.ts";
import { rateLimited, rateMessage } from "./deps.ts";
import { documentMessage } from "./documents.ts";

type Deps = Pick<
  DocgenDeps,
  "pool" | "claimerPool" | "templates" | "textConverter" | "word" | "plans" | "workLoop" | "clock" | "newId"
>;

/** The limit of waiting single documents: more of them would wait longer than any caller does. */
const maxWaiting = { own: 100, all: 1_000 };

/** Checking less data than this is faster than asking the database whether the plan has a slot left. */
const cheapDataLength = 16 * 1024;

export const createDocument = (deps: Deps): DocgenRpcs<"createDocument"> => ({
  async createDocument(request, context) {
    const caller = requireCaller(context);
    const keyed = keyedRequest("document", request);
    // Before anything else, so that it is answered again whatever has changed since.
    const use =
      keyed && (await withOrg(deps.pool, caller.orgId, (tenant) => findEarlierUse(tenant, keyed, deps.clock.now())));
    const created = use === undefined ? await createNew(deps, caller, request, keyed) : await replay(deps, caller, use);
    const document = await waitForEnd(deps, caller, created.document, request.waitMs, context.signal);
    if (request.waitMs > 0) throwFailure(document);
    return {
      document: documentMessage(document, deps.clock.now()),
      rate: rateMessage(created.rate),
      replayed: created.replayed,
    };
  },
});

interface Created {
  readonly document: Document;
  readonly rate: RateState;
  readonly replayed: boolean;
}

async function replay(deps: Deps, { orgId }: Caller, use: EarlierUse): Promise<Created> {
  if (use.kind === "conflict") throw new DomainError("GEN_IDEMPOTENCY_CONFLICT");
  const plan = await deps.plans.of(orgId);
  return withOrg(deps.pool, orgId, async (tenant) => {
    const document = await findDocument(tenant, use.targetId);
    if (document === undefined || document.deletedAt !== null) throw new DomainError("GEN_DOCUMENT_NOT_FOUND");
    return { document, rate: await readUsage(tenant, planLimits[plan]), replayed: true };
  });
}

async function createNew(
  deps: Deps,
  caller: Caller,
  request: CreateDocumentRequest,
  keyed: KeyedRequest | undefined,
): Promise<Created> {
  const { orgId } = caller;
  const { source } = request;
  // The proto's rules require it.
  if (source === undefined) throw new DomainError("GEN_INVALID_REQUEST");
  const plan = await deps.plans.of(orgId);
  if (source.dataJson.length > cheapDataLength) {
    await refuseUsedUp(deps, orgId, { plan, windows: ["hour", "minute"], keyed });
  }
  const prepared = await prepareSource(deps, caller, source);
  // As late as possible, since a reserved place is blocked for others. A caller that does not wait is told that the
  // document is queued.
  const place = request.waitMs === 0 ? undefined : deps.workLoop.keepPlace(prepared.document.isWord);
  try {
    // What has a place waits for nobody.
    if (place === undefined) await refuseWhenBusy(deps, caller);
    const target = { id: deps.newId(), createdAt: deps.clock.now() };
    const document = { ...prepared.document, ...target, ...begunOrQueued(place) };
    const outcome = await addNew(deps, caller, { document, plan, keyed });
    if (outcome.kind !== "created") return replay(deps, caller, outcome);
    if (place === undefined) deps.workLoop.wake();
    else place.begin(orgId, target.id, { ...document, version: prepared.version, traceparent: caller.traceparent });
    return { ...outcome, replayed: false };
  } finally {
    place?.free();
  }
}

/** If a place in the renderer is reserved, the transaction that adds the document also starts it. */
const begunOrQueued = (place: Place | undefined) =>
  place === undefined ? ({ status: "queued" } as const) : ({ status: "rendering", begun: place.begun } as const);

interface NewRequest {
  readonly document: Omit<NewDocument, "createdBy" | "requestId" | "traceparent" | "slots">;
  readonly plan: Plan;
  readonly keyed: KeyedRequest | undefined;
}

type Added = { readonly kind: "created" } & Pick<Created, "document" | "rate">;

/** Takes the key and the slots and adds the document, or does none of it. */
const addNew = (
  { pool }: Deps,
  { orgId, clientId: createdBy, requestId, traceparent }: Caller,
  { document, plan, keyed }: NewRequest,
): Promise<Added | EarlierUse> =>
  withOrg(pool, orgId, async (tenant) => {
    const use: KeyUse = keyed === undefined ? { kind: "new" } : await takeKey(tenant, keyed, document);
    if (use.kind !== "new") return use;
    const taken = await takeSlots(tenant, planLimits[plan], ["hour", "minute"]);
    // The rollback releases the key, too.
    if (!taken.granted) throw rateLimited(plan, taken.refusal);
    const request = { createdBy, requestId, traceparent, slots: taken.slots };
    const added = await addDocument(tenant, { ...document, ...request });
    return { kind: "created", document: added, rate: taken.rate };
  });

async function refuseWhenBusy({ claimerPool }: Deps, { orgId }: Caller): Promise<void> {
  const waiting = await countWaiting(claimerPool, orgId, maxWaiting);
  if (waiting.own < maxWaiting.own && waiting.all < maxWaiting.all) return;
  throw new DomainError("GEN_BUSY", { metadata: { retryAfterSeconds: "1" } });
}

async function waitForEnd(
  { workLoop }: Deps,
  { orgId }: Caller,
  document: Document,
  waitMs: number,
  signal: AbortSignal,
): Promise<Document> {
  if (waitMs === 0 || hasEnded(document)) return document;
  return (await workLoop.waitFor(orgId, document.id, waitMs, signal)) ?? document;
}

/** A waiting caller gets the failure as the error of the request; the document stays, with the same failure. */
function throwFailure({ id, failure }: Document): void {
  if (failure === null) return;
  const { code, message, details } = failure;
  throw new DomainError(code, { message, metadata: { ...details, documentId: id } });
}

interface EarlyRequest {
  readonly plan: Plan;
  readonly windows: readonly WindowName[];
  readonly keyed: KeyedRequest | undefined;
}

/**
 * Refuses a request without a free slot before it is checked, so that a refusal is cheap. It takes nothing; the
 * transaction that takes the slot decides.
 */
export const refuseUsedUp = (
  { pool, clock }: Pick<DocgenDeps, "pool" | "clock">,
  orgId: OrgId,
  { plan, windows, keyed }: EarlyRequest,
): Promise<void> =>
  withOrg(pool, orgId, async (tenant) => {
    const refusal = await readRefusal(tenant, planLimits[plan], windows);
    if (refusal === undefined) return;
    // The last slot may have been taken by the same request, whose result is then returned again.
    if (keyed !== undefined && (await findEarlierUse(tenant, keyed, clock.now())) !== undefined) return;
    throw rateLimited(plan, refusal);
  });
