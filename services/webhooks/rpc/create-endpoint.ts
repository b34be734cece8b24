import { createHash } from "node:crypto";
import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { CreateEndpointRequest, WebhooksService } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { canonicalJson } from "#platform/canonical-json.ts";
import { inTransaction } from "#platform/db/transaction.ts";
import { DomainError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { switchedTo } from "../domain/change-endpoint.ts";
import type { Endpoint } from "../domain/endpoint.ts";
import { maxEndpoints } from "../domain/limits.ts";
import { refuse, textProblems } from "../domain/problems.ts";
import { newSecret, openSecret, sealSecret, secretText } from "../domain/seal-secret.ts";
import { countEndpoints, findEndpoint, insertEndpoint, lockOrganization, secretsOf } from "../store/endpoint-store.ts";
import { findKey, type KeyedRequest, type KeyUse, takeKey } from "../store/idempotency-store.ts";
import type { WebhooksDeps } from "./deps.ts";
import { checkEndpointInput } from "./endpoint-input.ts";
import { endpointMessage } from "./messages.ts";

type Deps = Pick<WebhooksDeps, "pool" | "secretKeys" | "rules" | "clock" | "newId">;

export const createEndpoint = (deps: Deps): Pick<ServiceImpl<typeof WebhooksService>, "createEndpoint"> => ({
  async createEndpoint(request, context) {
    const { orgId } = requireCaller(context);
    const keyed = keyedRequest(request, deps.clock.now());
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

function keyedRequest(request: CreateEndpointRequest, now: Date): KeyedRequest | undefined {
  const { idempotencyKey: key, url, description, eventTypes, enabled } = request;
  if (key === "") return undefined;
  refuse(textProblems("idempotencyKey", key));
  const text = canonicalJson({ url, description, eventTypes, enabled });
  return { key, requestHash: createHash("sha256").update(text).digest(), now };
}

/** What an earlier request with the key has made. Looks first of all, so that it is answered whatever holds by now. */
async function findEarlier(deps: Deps, orgId: OrgId, keyed: KeyedRequest | undefined): Promise<Created | undefined> {
  if (keyed === undefined) return undefined;
  return inTransaction(orgId, deps.pool, async (client) => {
    const use = await findKey(client, orgId, keyed);
    return use.kind === "new" ? undefined : replay(deps, client, orgId, use);
  });
}

/** As the endpoint is now, with the secret that signs now. */
async function replay(
  { secretKeys }: Deps,
  client: pg.PoolClient,
  orgId: OrgId,
  use: Exclude<KeyUse, { kind: "new" }>,
): Promise<Created> {
  if (use.kind === "conflict") throw new DomainError("IDEMPOTENCY_KEY_REUSED");
  const endpoint = await findEndpoint(client, orgId, use.endpointId);
  const sealed = await secretsOf(client, orgId, use.endpointId);
  if (endpoint === undefined || sealed === undefined) throw new DomainError("WEBHOOK_ENDPOINT_NOT_FOUND");
  return { endpoint, secret: openSecret(secretKeys, orgId, endpoint.id, sealed.current), replayed: true };
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
  return inTransaction(orgId, deps.pool, async (client) => {
    const use: KeyUse = keyed === undefined ? { kind: "new" } : await takeKey(client, orgId, keyed, endpoint.id);
    if (use.kind !== "new") return replay(deps, client, orgId, use);
    await lockOrganization(client, orgId);
    // Gives the key back as well.
    if ((await countEndpoints(client, orgId, "standard")) >= maxEndpoints) {
      throw new DomainError("WEBHOOK_ENDPOINT_LIMIT");
    }
    const secret = newSecret();
    await insertEndpoint(client, orgId, endpoint, sealSecret(deps.secretKeys, orgId, endpoint.id, secret));
    return { endpoint, secret, replayed: false };
  });
}
