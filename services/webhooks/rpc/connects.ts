import { randomInt } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { type Tenant, withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { parseJsonObject } from "#platform/json-object.ts";
import { receiverOf } from "../connect/receiver.ts";
import { changeEndpoint, type Endpoint, maxConnectSecrets, maxEndpoints, switchedTo } from "../domain/endpoint.ts";
import { problem, refuse } from "../domain/problems.ts";
import { connectSecretText, newSecret, sealSecret } from "../domain/seal-secret.ts";
import { audit } from "../events.ts";
import { deleteConnectSecret, insertConnectSecret, listSealedConnectSecrets } from "../store/connect-secret-store.ts";
import { giveUpWaiting } from "../store/delivery-store.ts";
import {
  countEndpoints,
  deleteEndpoint,
  findByConnectId,
  insertEndpoint,
  listConnects,
  lockOrganization,
  saveEndpoint,
} from "../store/endpoint-store.ts";
import type { WebhooksDeps, WebhooksRpcs } from "./deps.ts";
import { parseId, urlProblems } from "./endpoint-input.ts";
import { connectMessage, connectSecretMessage } from "./messages.ts";

type Deps = Pick<WebhooksDeps, "pool" | "rules" | "clock" | "newId" | "wakeRelay">;
type Connects = ServiceImpl<typeof WebhooksService>;

export const connects = (
  deps: Deps,
): Pick<Connects, "createConnect" | "getConnect" | "listConnects" | "updateConnect" | "deleteConnect"> => ({
  ...changes(deps),
  async createConnect({ settingsJson }, context) {
    const caller = requireCaller(context);
    const { isEnabled, ...given } = await parseConnectSettings(deps, settingsJson);
    const now = deps.clock.now();
    const wanted: Omit<Endpoint, "connectId"> = {
      ...given,
      ...{ id: deps.newId(), kind: "connect", description: "", auditFormat: "assent" },
      ...switchedTo(isEnabled, now),
      ...{ failingSince: undefined, previousSecretUntil: undefined, createdAt: now, updatedAt: now },
    };
    const connect = await withOrg(deps.pool, caller.orgId, async (tenant) => {
      const added = await add(tenant, wanted);
      await audit(deps, tenant, caller, { action: "connect.created", targetId: numberOf(added) });
      return added;
    });
    deps.wakeRelay();
    return { connect: connectMessage(connect) };
  },
  async getConnect({ id }, context) {
    const { orgId } = requireCaller(context);
    const connect = await withOrg(deps.pool, orgId, (tenant) => requireConnect(tenant, id));
    return { connect: connectMessage(connect) };
  },
  async listConnects(_request, context) {
    const { orgId } = requireCaller(context);
    const found = await withOrg(deps.pool, orgId, (tenant) => listConnects(tenant));
    return { connects: found.map(connectMessage) };
  },
});

const changes = (deps: Deps): Pick<Connects, "updateConnect" | "deleteConnect"> => ({
  async updateConnect({ id, settingsJson }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    // Who names an unknown one hears that, and nothing of its settings; and no name is looked up for it.
    await withOrg(deps.pool, orgId, (tenant) => requireConnect(tenant, id));
    const given = await parseConnectSettings(deps, settingsJson);
    const now = deps.clock.now();
    const connect = await withOrg(deps.pool, orgId, async (tenant) => {
      const before = await requireConnect(tenant, id, { lock: true });
      const { endpoint, givesUp } = changeEndpoint(before, given, now);
      await saveEndpoint(tenant, endpoint);
      if (givesUp) await giveUpWaiting(tenant, before.id);
      await audit(deps, tenant, caller, { action: "connect.updated", targetId: numberOf(before) });
      return endpoint;
    });
    deps.wakeRelay();
    return { connect: connectMessage(connect) };
  },
  async deleteConnect(request, context) {
    const caller = requireCaller(context);
    await withOrg(deps.pool, caller.orgId, async (tenant) => {
      const connect = await requireConnect(tenant, request.id, { lock: true });
      const { id } = connect;
      await deleteEndpoint(tenant, id, deps.clock.now());
      await giveUpWaiting(tenant, id);
      await audit(deps, tenant, caller, { action: "connect.deleted", targetId: numberOf(connect) });
    });
    deps.wakeRelay();
    return {};
  },
});

/** As the compatible interface calls it. */
const numberOf = ({ connectId }: Endpoint): string => String(connectId);

/** Integrations keep the number as an integer of 32 bits; it tells nobody how many there are. */
const maxId = 2 ** 31;

async function add(tenant: Tenant, wanted: Omit<Endpoint, "connectId">): Promise<Endpoint> {
  await lockOrganization(tenant);
  if ((await countEndpoints(tenant, "connect")) >= maxEndpoints) throw new DomainError("WEBHOOK_ENDPOINT_LIMIT");
  for (;;) {
    const connect = { ...wanted, connectId: randomInt(1, maxId) };
    if (await insertEndpoint(tenant, connect)) return connect;
  }
}

/** `lock` as for findByConnectId. Throws SUBSCRIPTION_NOT_FOUND, also for numbers that are never given. */
async function requireConnect(
  tenant: Tenant,
  id: bigint,
  options: { readonly lock?: boolean } = {},
): Promise<Endpoint> {
  const isPossible = id >= 1n && id < BigInt(maxId);
  const connect = isPossible ? await findByConnectId(tenant, Number(id), options) : undefined;
  if (connect === undefined) throw new DomainError("SUBSCRIPTION_NOT_FOUND");
  return connect;
}

type ConnectSecrets = WebhooksRpcs<"createConnectSecret" | "listConnectSecrets" | "deleteConnectSecret">;

export const connectSecrets = (
  deps: Pick<WebhooksDeps, "pool" | "secretKeys" | "clock" | "newId" | "wakeRelay">,
): ConnectSecrets => ({
  async createConnectSecret(_request, context) {
    const { pool, secretKeys, clock, newId } = deps;
    const caller = requireCaller(context);
    const { orgId } = caller;
    const [id, secret] = [newId(), newSecret()];
    const row = { id, sealed: sealSecret(secretKeys, orgId, id, secret), createdAt: clock.now() };
    await withOrg(pool, orgId, async (tenant) => {
      await lockOrganization(tenant);
      const existing = await listSealedConnectSecrets(tenant);
      if (existing.length >= maxConnectSecrets) throw new DomainError("CONNECT_SECRET_LIMIT");
      await insertConnectSecret(tenant, row);
      await audit(deps, tenant, caller, { action: "connect-key.created", targetId: id });
    });
    deps.wakeRelay();
    return { secret: connectSecretMessage(row), value: connectSecretText(secret) };
  },
  async listConnectSecrets(_request, context) {
    const { orgId } = requireCaller(context);
    const secrets = await withOrg(deps.pool, orgId, (tenant) => listSealedConnectSecrets(tenant));
    return { secrets: secrets.map(connectSecretMessage) };
  },
  async deleteConnectSecret(request, context) {
    const caller = requireCaller(context);
    const id = parseId(request.id, "CONNECT_SECRET_NOT_FOUND");
    await withOrg(deps.pool, caller.orgId, async (tenant) => {
      if (!(await deleteConnectSecret(tenant, id))) throw new DomainError("CONNECT_SECRET_NOT_FOUND");
      await audit(deps, tenant, caller, { action: "connect-key.deleted", targetId: id });
    });
    deps.wakeRelay();
    return {};
  },
});

const maxBytes = 64 * 1024;
const maxEvents = 200;

/** What the settings of the compatible interface say. Throws VALIDATION_FAILED; may look up a name. */
async function parseConnectSettings(
  deps: Pick<WebhooksDeps, "rules">,
  settingsJson: string,
): Promise<Pick<Endpoint, "url" | "eventTypes" | "isEnabled" | "settings">> {
  const settings = parseJsonObject("settings", settingsJson, maxBytes);
  // Numbers are written out when they are stored, and become longer by that.
  if (Buffer.byteLength(JSON.stringify(settings)) > maxBytes) {
    refuse([problem("settings", "TOO_LARGE", `must have at most ${maxBytes} bytes`)]);
  }
  // What is checked is what is used: the same function reads the settings when something is sent.
  const { url, events: eventTypes, isEnabled } = receiverOf(settings as JsonObject);
  refuse([
    ...(eventTypes.length > maxEvents ? [problem("events", "MAX_ITEMS", `must have at most ${maxEvents} items`)] : []),
    ...(await urlProblems(deps, "urlToPublishTo", url)),
  ]);
  return { url, eventTypes, isEnabled, settings };
}
