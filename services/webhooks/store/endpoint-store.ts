import type pg from "pg";
import { lockInOrganization, type Tenant } from "#platform/db/pool.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Endpoint, EndpointKind } from "../domain/endpoint.ts";

/** Locks the organization against new endpoints and keys until the end of the transaction. */
export const lockOrganization = (tenant: Tenant): Promise<void> => lockInOrganization(tenant, "webhooks.endpoint");

/** Without those that were deleted. */
export async function countEndpoints({ orgId, client }: Tenant, kind: EndpointKind): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from webhooks.endpoint
     where organization_id = $1 and kind = $2 and deleted_at is null`,
    [orgId, kind],
  );
  return rows[0]?.count ?? 0;
}

/** False when the number of a configuration is taken, be it by one that was deleted. */
export async function insertEndpoint(
  { orgId, client }: Tenant,
  endpoint: Endpoint,
  sealedSecret?: Buffer,
): Promise<boolean> {
  const { id, kind, connectId, url, description, eventTypes, isEnabled, disabledReason, disabledAt } = endpoint;
  const { settings, createdAt, updatedAt, auditFormat } = endpoint;
  const { rowCount } = await client.query(
    `insert into webhooks.endpoint (organization_id, id, kind, connect_id, url, description, event_types, is_enabled,
       disabled_reason, disabled_at, settings, created_at, updated_at, secret, audit_format)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     on conflict (organization_id, connect_id) do nothing`,
    [
      ...[orgId, id, kind, connectId, url, description, eventTypes, isEnabled, disabledReason, disabledAt],
      ...[settings, createdAt, updatedAt, sealedSecret, auditFormat],
    ],
  );
  return rowCount === 1;
}

/**
 * Of either kind; undefined when it does not exist or was deleted. `lock` prevents other changes until the end
 * of the transaction.
 */
export async function findEndpoint(
  { orgId, client }: Tenant,
  id: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<Endpoint | undefined> {
  const name = lock ? "webhooks-lock-endpoint" : "webhooks-find-endpoint";
  const text = `${selectSql} and id = $2 ${lock ? "for update" : ""}`;
  return one(await client.query<EndpointRow>({ name, text, values: [orgId, id] }));
}

/** Of the organization's own number; see findEndpoint. */
export async function findByConnectId(
  { orgId, client }: Tenant,
  connectId: number,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<Endpoint | undefined> {
  const text = `${selectSql} and connect_id = $2 ${lock ? "for update" : ""}`;
  return one(await client.query<EndpointRow>(text, [orgId, connectId]));
}

/** Where a page ended. */
export interface EndpointPosition {
  readonly at: Date;
  readonly id: string;
}

/** Newest first. A page goes on after the place of the one before even when that endpoint is gone. */
export async function pageOfEndpoints(
  { orgId, client }: Tenant,
  page: { readonly after: EndpointPosition | undefined; readonly limit: number },
): Promise<Endpoint[]> {
  const { rows } = await client.query<EndpointRow>(
    `${selectSql} and kind = 'standard' and ($2::timestamptz is null or (created_at, id) < ($2, $3::uuid))
     order by created_at desc, id desc limit $4`,
    [orgId, page.after?.at, page.after?.id, page.limit],
  );
  return rows.map(endpointOf);
}

/** All configurations of the compatible interface, oldest first. */
export async function listConnects({ orgId, client }: Tenant): Promise<Endpoint[]> {
  const text = `${selectSql} and kind = 'connect' order by created_at, id`;
  return (await client.query<EndpointRow>(text, [orgId])).rows.map(endpointOf);
}

/** Where events go. */
export interface Receiver {
  readonly id: string;
  readonly kind: EndpointKind;
  readonly connectId: number | undefined;
  /** Empty for all of its kind. */
  readonly eventTypes: readonly string[];
}

/** Those of both kinds that are enabled, by organization. */
export async function listReceivers(
  client: pg.PoolClient,
  orgIds: readonly OrgId[],
): Promise<ReadonlyMap<string, readonly Receiver[]>> {
  const { rows } = await client.query<ReceiverRow>({
    name: "webhooks-list-receivers",
    text: `select n.organization_id as "orgId", n.id, n.kind, n.connect_id as "connectId", n.event_types as "eventTypes"
     from unnest($1::uuid[]) as o (id) join webhooks.endpoint n on n.organization_id = o.id
     where n.is_enabled and n.deleted_at is null order by n.created_at, n.id`,
    values: [orgIds],
  });
  const byOrganization = Map.groupBy(rows, ({ orgId }) => orgId);
  return new Map([...byOrganization].map(([orgId, some]) => [orgId, some.map(receiverOf)]));
}

type ReceiverRow = Pick<EndpointRow, "id" | "kind" | "connectId" | "eventTypes"> & { readonly orgId: string };

const receiverOf = ({ orgId: _, ...row }: ReceiverRow): Receiver => ({ ...row, connectId: row.connectId ?? undefined });

/** Writes what may change, of an endpoint that is locked. */
export async function saveEndpoint({ orgId, client }: Tenant, endpoint: Endpoint): Promise<void> {
  const { id, url, description, eventTypes, isEnabled, disabledReason, disabledAt, failingSince } = endpoint;
  await client.query(
    `update webhooks.endpoint set url = $3, description = $4, event_types = $5, is_enabled = $6, disabled_reason = $7,
       disabled_at = $8, failing_since = $9, settings = $10, updated_at = $11, audit_format = $12
     where organization_id = $1 and id = $2`,
    [
      ...[orgId, id, url, description, eventTypes, isEnabled, disabledReason, disabledAt, failingSince],
      ...[endpoint.settings, endpoint.updatedAt, endpoint.auditFormat],
    ],
  );
}

/** Nobody finds it any more, and its secrets are gone. */
export async function deleteEndpoint({ orgId, client }: Tenant, id: string, now: Date): Promise<void> {
  await client.query(
    `update webhooks.endpoint set deleted_at = $3, updated_at = $3, previous_secret = null,
       previous_secret_until = null, secret = case when secret is not null then ''::bytea end
     where organization_id = $1 and id = $2`,
    [orgId, id, now],
  );
}

/** As they are stored. */
export interface SealedSecrets {
  readonly current: Buffer;
  readonly previous: Buffer | undefined;
  /** The previous one signs until then. */
  readonly previousUntil: Date | undefined;
}

/** An endpoint with its secrets, where it has some; see findEndpoint. */
export async function findWithSecrets(
  { orgId, client }: Tenant,
  id: string,
): Promise<{ readonly endpoint: Endpoint; readonly secrets: SealedSecrets | undefined } | undefined> {
  const { rows } = await client.query<
    EndpointRow & { readonly secret: Buffer | null; readonly previous: Buffer | null }
  >({
    name: "webhooks-find-with-secrets",
    text: `select ${columns}, secret, previous_secret as previous from webhooks.endpoint
     where organization_id = $1 and deleted_at is null and id = $2`,
    values: [orgId, id],
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { secret, previous, ...rest } = row;
  const endpoint = endpointOf(rest);
  const previousUntil = endpoint.previousSecretUntil;
  const secrets = secret === null ? undefined : { current: secret, previous: previous ?? undefined, previousUntil };
  return { endpoint, secrets };
}

/** Undefined for what has none: configurations of the compatible interface, and what is not there. */
export async function secretsOf({ orgId, client }: Tenant, id: string): Promise<SealedSecrets | undefined> {
  const { rows } = await client.query<{ current: Buffer; previous: Buffer | null; previousUntil: Date | null }>({
    name: "webhooks-secrets-of",
    text: `select secret as current, previous_secret as previous, previous_secret_until as "previousUntil"
     from webhooks.endpoint where organization_id = $1 and id = $2 and secret is not null and deleted_at is null`,
    values: [orgId, id],
  });
  const [row] = rows;
  return row && { ...row, previous: row.previous ?? undefined, previousUntil: row.previousUntil ?? undefined };
}

/** Only the last of the secrets before stays. The endpoint after that; undefined when there is none. */
export async function replaceSecret(
  { orgId, client }: Tenant,
  id: string,
  replacement: { readonly sealed: Buffer; readonly previousUntil: Date; readonly now: Date },
): Promise<Endpoint | undefined> {
  const { sealed, previousUntil, now } = replacement;
  return one(
    await client.query<EndpointRow>(
      `update webhooks.endpoint
       set previous_secret = secret, previous_secret_until = $4, secret = $3, updated_at = $5
       where organization_id = $1 and id = $2 and kind = 'standard' and deleted_at is null returning ${columns}`,
      [orgId, id, sealed, previousUntil, now],
    ),
  );
}

/** Without its secrets. */
const columns = `id, kind, connect_id as "connectId", url, description, event_types as "eventTypes", audit_format as "auditFormat",
    is_enabled as "isEnabled", disabled_reason as "disabledReason", disabled_at as "disabledAt",
    failing_since as "failingSince", previous_secret_until as "previousSecretUntil", settings,
    created_at as "createdAt", updated_at as "updatedAt"`;

const selectSql = `select ${columns} from webhooks.endpoint where organization_id = $1 and deleted_at is null`;

/** What may be missing is null in the database. */
type EndpointRow = { readonly [K in keyof Endpoint]: undefined extends Endpoint[K] ? Endpoint[K] | null : Endpoint[K] };

const one = ({ rows }: pg.QueryResult<EndpointRow>): Endpoint | undefined => rows[0] && endpointOf(rows[0]);

const endpointOf = (row: EndpointRow): Endpoint => ({
  ...row,
  connectId: row.connectId ?? undefined,
  disabledReason: row.disabledReason ?? undefined,
  disabledAt: row.disabledAt ?? undefined,
  failingSince: row.failingSince ?? undefined,
  previousSecretUntil: row.previousSecretUntil ?? undefined,
  settings: row.settings ?? undefined,
});
