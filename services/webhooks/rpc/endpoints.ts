import { createHash } from "node:crypto";
import type { CreateEndpointRequest } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { cursorOf, readCursor } from "#platform/cursor.ts";
import { createIdempotencyKeys, type KeyedRequest, type KeyUse } from "#platform/db/idempotency-keys.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
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
import { audit } from "../events.ts";
import { giveUpWaiting } from "../store/delivery-store.ts";
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
import type { WebhooksDeps, WebhooksRpcs } from "./deps.ts";
import { checkEndpointInput, parseId, requireEndpoint } from "./endpoint-input.ts";
import { auditFormatOf, endpointMessage } from "./messages.ts";

type Deps = Pick<WebhooksDeps, "pool" | "secretKeys" | "rules" | "clock" | "newId" | "wakeRelay">;

export const createEndpoint = (deps: Deps): WebhooksRpcs<"createEndpoint"> => ({
  async createEndpoint(request, context) {
    const caller = requireCaller(context);
    const keyed = keyedRequest(request);
    const created = (await findEarlier(deps, caller.orgId, keyed)) ?? (await createNew(deps, caller, request, keyed));
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
  const auditFormat = auditFormatOf(request.auditFormat);
  if (key === "") return undefined;
  refuse(textProblems("idempotencyKey", key));
  const text = canonicalJson(defined({ url, description, eventTypes, enabled, auditFormat }));
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
  caller: Caller,
  { url, description, eventTypes, enabled, auditFormat }: CreateEndpointRequest,
  keyed: KeyedRequest | undefined,
): Promise<Created> {
  const input = await checkEndpointInput(deps, { url, description, eventTypes });
  const now = deps.clock.now();
  const { orgId } = caller;
  const endpoint: Endpoint = {
    ...{ ...input, auditFormat: auditFormatOf(auditFormat) ?? "assent" },
    ...{ id: deps.newId(), kind: "standard", connectId: undefined, settings: undefined },
    ...switchedTo(enabled, now),
    ...{ failingSince: undefined, previousSecretUntil: undefined, createdAt: now, updatedAt: now },
  };
  const created = await withOrg(deps.pool, orgId, async (tenant) => {
    const use: KeyUse = keyed === undefined ? { kind: "new" } : await takeKey(tenant, keyed, endpoint);
    if (use.kind !== "new") return replay(deps, tenant, use);
    await lockOrganization(tenant);
    // Gives the key back as well.
    if ((await countEndpoints(tenant, "standard")) >= maxEndpoints) {
      throw new DomainError("WEBHOOK_ENDPOINT_LIMIT");
    }
    const secret = newSecret();
    await insertEndpoint(tenant, endpoint, sealSecret(deps.secretKeys, orgId, endpoint.id, secret));
    await audit(deps, tenant, caller, { action: "endpoint.created", targetId: endpoint.id });
    return { endpoint, secret, replayed: false };
  });
  deps.wakeRelay();
  return created;
}

export const updateEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "rules" | "clock" | "newId" | "wakeRelay">,
): WebhooksRpcs<"updateEndpoint"> => ({
  async updateEndpoint({ id, url, description, eventTypes, enabled, auditFormat }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    // Who names an unknown one hears that, and nothing of its fields; and no name is looked up for it.
    await withOrg(deps.pool, orgId, (tenant) => requireEndpoint(tenant, id));
    const input = await checkEndpointInput(deps, { url, description, eventTypes: eventTypes?.types });
    const now = deps.clock.now();
    const endpoint = await withOrg(deps.pool, orgId, async (tenant) => {
      const before = await requireEndpoint(tenant, id, { lock: true });
      const changed = changeEndpoint(
        before,
        { ...input, isEnabled: enabled, auditFormat: auditFormatOf(auditFormat) },
        now,
      );
      await saveEndpoint(tenant, changed.endpoint);
      if (changed.givesUp) await giveUpWaiting(tenant, before.id);
      const changes = changesOf(before, changed.endpoint);
      if (Object.keys(changes).length > 0) {
        await audit(deps, tenant, caller, { action: "endpoint.updated", targetId: before.id, changes });
      }
      return changed.endpoint;
    });
    deps.wakeRelay();
    return { endpoint: endpointMessage(endpoint, now) };
  },
});

export const deleteEndpoint = (
  deps: Pick<WebhooksDeps, "pool" | "clock" | "newId" | "wakeRelay">,
): WebhooksRpcs<"deleteEndpoint"> => ({
  async deleteEndpoint(request, context) {
    const caller = requireCaller(context);
    await withOrg(deps.pool, caller.orgId, async (tenant) => {
      const { id } = await requireEndpoint(tenant, request.id, { lock: true });
      await deleteRow(tenant, id, deps.clock.now());
      await giveUpWaiting(tenant, id);
      await audit(deps, tenant, caller, { action: "endpoint.deleted", targetId: id });
    });
    deps.wakeRelay();
    return {};
  },
});

/** As the API calls what has changed, with what it is now. */
function changesOf(before: Endpoint, after: Endpoint): Readonly<Record<string, unknown>> {
  const members = ({ url, description, eventTypes, auditFormat, isEnabled }: Endpoint) => ({
    ...{
      url,
      description,
      eventTypes: eventTypes.join(" "),
      auditFormat: auditFormat.toUpperCase(),
      enabled: isEnabled,
    },
  });
  const was: Readonly<Record<string, unknown>> = members(before);
  return Object.fromEntries(Object.entries(members(after)).filter(([name, value]) => value !== was[name]));
}

export const getEndpoint = (deps: Pick<WebhooksDeps, "pool" | "clock">): WebhooksRpcs<"getEndpoint"> => ({
  async getEndpoint({ id }, context) {
    const { orgId } = requireCaller(context);
    const endpoint = await withOrg(deps.pool, orgId, (tenant) => requireEndpoint(tenant, id));
    return { endpoint: endpointMessage(endpoint, deps.clock.now()) };
  },
});

const defaultLimit = 100;

export const listEndpoints = (deps: Pick<WebhooksDeps, "pool" | "clock">): WebhooksRpcs<"listEndpoints"> => ({
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

export const rotateEndpointSecret = (
  deps: Pick<WebhooksDeps, "pool" | "secretKeys" | "clock" | "newId" | "wakeRelay">,
): WebhooksRpcs<"rotateEndpointSecret"> => ({
  async rotateEndpointSecret(request, context) {
    const { pool, secretKeys, clock } = deps;
    const caller = requireCaller(context);
    const { orgId } = caller;
    const id = parseId(request.id, "WEBHOOK_ENDPOINT_NOT_FOUND");
    const now = clock.now();
    const secret = newSecret();
    const sealed = sealSecret(secretKeys, orgId, id, secret);
    const previousUntil = new Date(now.getTime() + overlapMs);
    const endpoint = await withOrg(pool, orgId, async (tenant) => {
      const replaced = await replaceSecret(tenant, id, { sealed, previousUntil, now });
      if (replaced === undefined) throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND");
      await audit(deps, tenant, caller, { action: "endpoint.secret-rotated", targetId: id });
      return replaced;
    });
    deps.wakeRelay();
    return { endpoint: endpointMessage(endpoint, now), secret: secretText(secret) };
  },
});
