import { createHash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import type { CreateEndpointRequest, WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { cursorOf, readCursor } from "#platform/cursor.ts";
import { createIdempotencyKeys, type KeyedRequest, type KeyUse } from "#platform/db/idempotency-keys.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import {
  changeEndpoint,
  type Endpoint,
  keyLifetimeMs,
  maxEndpoints,
  overlapMs,
  switchedTo,
} from "../domain/endpoint.ts";
import { refuse, textProblems } from "../domain/problems.ts";
import { newSecret, openSecret, sealSecret, secretText } from "../domain/seal-secret.ts";
import { giveUpWaiting } from "../store/attempt-store.ts";
import {
  countEndpoints,
  deleteEndpoint as deleteRow,
  findEndpoint,
  insertEndpoint,
  lockOrganization,
  pageOfEndpoints,
  replaceSecret,
  saveEndpoint,
  secretsOf,
} from "../store/endpoint-store.ts";
import type { WebhooksDeps } from "./deps.ts";
import { checkEndpointInput, parseId, requireEndpoint } from "./endpoint-input.ts";
import { endpointMessage } from "./messages.ts";

type Deps = Pick<WebhooksDeps, "pool" | "secretKeys" | "rules" | "clock" | "newId">;

export const createEndpoint = (deps: Deps): Pick<ServiceImpl<typeof WebhooksService>, "createEndpoint"> => ({
  async createEndpoint(request, context) {
    const { orgId } = requireCaller(context);
    const keyed = keyedRequest(request);
    const created = (await findEarlier(deps, orgId, keyed)) ?? (await createNew(deps, orgId, request, keyed));
    const { endpoint, secret, replayed } = created;
    return { endpoint: endpointMessage(endpoint, deps.clock.now()), secret: secretText(secret), replayed };
  },
});

interface Created {
  readonly endpoint: Endpoint;
  readonly secret: Buffer;
  readonly replayed: boolean;
}

const { findKey, takeKey } = createIdempotencyKeys({
  ...{ schema: "webhooks", target: "endpoint_id", lifetimeMs: keyLifetimeMs },
});

function keyedRequest(request: CreateEndpointRequest): KeyedRequest | undefined {
  const { idempotencyKey: key, url, description, eventTypes, enabled } = request;
  if (key === "") return undefined;
  refuse(textProblems("idempotencyKey", key));
  const text = canonicalJson({ url, description, eventTypes, enabled });
  return { key, requestHash: createHash("sha256").update(text).digest() };
}

/**
 * The result of an earlier request with the key. Checked before anything else, so that a replay succeeds
 * whatever the current state is.
 */
async function findEarlier(deps: Deps, orgId: OrgId, keyed: KeyedRequest | undefined): Promise<Created | undefined> {
  if (keyed === undefined) return undefined;
  return withOrg(deps.pool, orgId, async (tenant) => {
    const use = await findKey(tenant, keyed, deps.clock.now());
    return use.kind === "new" ? undefined : replay(deps, tenant, use);
  });
}

/** As the endpoint is now, with the secret that signs now. */
async function replay({ secretKeys }: Deps, tenant: Tenant, use: Exclude<KeyUse, { kind: "new" }>): Promise<Created> {
  if (use.kind === "conflict") throw new DomainError("IDEMPOTENCY_KEY_REUSED");
  const endpoint = await findEndpoint(tenant, use.targetId);
  const sealed = await secretsOf(tenant, use.targetId);
  if (endpoint === undefined || sealed === undefined) throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND");
  return { endpoint, secret: openSecret(secretKeys, tenant.orgId, endpoint.id, sealed.current), replayed: true };
}

async function createNew(
  deps: Deps,
  orgId: OrgId,
  { url, description, eventTypes, enabled }: CreateEndpointRequest,
  keyed: KeyedRequest | undefined,
): Promise<Created> {
  const input = await checkEndpointInput(deps, { url, description, eventTypes });
  const now = deps.clock.now();
  const endpoint: Endpoint = {
    ...input,
    ...{ id: deps.newId(), kind: "standard", connectId: undefined, settings: undefined },
    ...switchedTo(enabled, now),
    ...{ failingSince: undefined, previousSecretUntil: undefined, createdAt: now, updatedAt: now },
  };
  return withOrg(deps.pool, orgId, async (tenant) => {
    const use: KeyUse = keyed === undefined ? { kind: "new" } : await takeKey(tenant, keyed, endpoint);
    if (use.kind !== "new") return replay(deps, tenant, use);
    await lockOrganization(tenant);
    // Gives the key back as well.
    if ((await countEndpoints(tenant, "standard")) >= maxEndpoints) {
      throw new DomainError("WEBHOOK_ENDPOINT_LIMIT");
    }
    const secret = newSecret();
    await insertEndpoint(tenant, endpoint, sealSecret(deps.secretKeys, orgId, endpoint.id, secret));
    return { endpoint, secret, replayed: false };
  });
}

export const updateEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "rules" | "clock">,
): Pick<ServiceImpl<typeof WebhooksService>, "updateEndpoint"> => ({
  async updateEndpoint({ id, url, description, eventTypes, enabled }, context) {
    const { orgId } = requireCaller(context);
    // Who names an unknown one hears that, and nothing of its fields; and no name is looked up for it.
    await withOrg(deps.pool, orgId, (tenant) => requireEndpoint(tenant, id));
    const input = await checkEndpointInput(deps, { url, description, eventTypes: eventTypes?.types });
    const now = deps.clock.now();
    const endpoint = await withOrg(deps.pool, orgId, async (tenant) => {
      const before = await requireEndpoint(tenant, id, { lock: true });
      const changed = changeEndpoint(before, { ...input, isEnabled: enabled }, now);
      await saveEndpoint(tenant, changed.endpoint);
      if (changed.givesUp) await giveUpWaiting(tenant, before.id);
      return changed.endpoint;
    });
    return { endpoint: endpointMessage(endpoint, now) };
  },
});

export const deleteEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof WebhooksService>, "deleteEndpoint"> => ({
  async deleteEndpoint(request, context) {
    const { orgId } = requireCaller(context);
    await withOrg(deps.pool, orgId, async (tenant) => {
      const { id } = await requireEndpoint(tenant, request.id, { lock: true });
      await deleteRow(tenant, id, deps.clock.now());
      await giveUpWaiting(tenant, id);
    });
    return {};
  },
});

export const getEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof WebhooksService>, "getEndpoint"> => ({
  async getEndpoint({ id }, context) {
    const { orgId } = requireCaller(context);
    const endpoint = await withOrg(deps.pool, orgId, (tenant) => requireEndpoint(tenant, id));
    return { endpoint: endpointMessage(endpoint, deps.clock.now()) };
  },
});

const defaultLimit = 100;

export const listEndpoints = (
  deps: Pick<WebhooksDeps, "pool" | "clock">,
): Pick<ServiceImpl<typeof WebhooksService>, "listEndpoints"> => ({
  async listEndpoints(request, context) {
    const { orgId } = requireCaller(context);
    const limit = request.limit || defaultLimit;
    const after = readCursor(request.cursor, "VALIDATION_FAILED");
    // One more than wanted tells whether there is another page.
    const found = await withOrg(deps.pool, orgId, (tenant) => pageOfEndpoints(tenant, { after, limit: limit + 1 }));
    const page = found.slice(0, limit);
    const last = found.length > page.length ? page.at(-1) : undefined;
    return {
      endpoints: page.map((endpoint) => endpointMessage(endpoint, deps.clock.now())),
      nextCursor: last === undefined ? "" : cursorOf({ at: last.createdAt, id: last.id }),
    };
  },
});

export const rotateEndpointSecret = ({
  pool,
  secretKeys,
  clock,
}: Pick<WebhooksDeps, "pool" | "secretKeys" | "clock">): Pick<
  ServiceImpl<typeof WebhooksService>,
  "rotateEndpointSecret"
> => ({
  async rotateEndpointSecret(request, context) {
    const { orgId } = requireCaller(context);
    const id = parseId(request.id, "WEBHOOK_ENDPOINT_NOT_FOUND");
    const now = clock.now();
    const secret = newSecret();
    const sealed = sealSecret(secretKeys, orgId, id, secret);
    const previousUntil = new Date(now.getTime() + overlapMs);
    const endpoint = await withOrg(pool, orgId, (tenant) => replaceSecret(tenant, id, { sealed, previousUntil, now }));
    if (endpoint === undefined) throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND");
    return { endpoint: endpointMessage(endpoint, now), secret: secretText(secret) };
  },
});
