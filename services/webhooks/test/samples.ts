import { randomUUID } from "node:crypto";
import type { Endpoint } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { Organization, WebhooksHarness } from "./harness.ts";

export const hookUrl = "https://hooks.example.com/in";

/** An endpoint of the organization that takes everything, with its secret. */
export async function createHook(
  organization: Organization,
  wish: Partial<{
    url: string;
    description: string;
    eventTypes: string[];
    enabled: boolean;
    idempotencyKey: string;
  }> = {},
): Promise<{ readonly endpoint: Endpoint; readonly id: string; readonly secret: string; readonly replayed: boolean }> {
  const { endpoint, secret, replayed } = await organization.createEndpoint({ url: hookUrl, enabled: true, ...wish });
  if (endpoint === undefined) throw new Error("the answer has no endpoint");
  return { endpoint, id: endpoint.id, secret, replayed };
}

/** Deliveries to a receiver, of each status so many, as the loop that sends would find or leave them. */
export async function insertDeliveries(
  { superuser }: Pick<WebhooksHarness, "superuser">,
  to: { readonly orgId: string; readonly endpointId: string },
  counts: Readonly<Partial<Record<"pending" | "failed" | "delivered", number>>>,
): Promise<void> {
  for (const [status, count] of Object.entries(counts)) {
    await superuser.query(
      `insert into webhooks.delivery (organization_id, id, event_id, event_type, receiver_id, endpoint_id, status, due_at,
         claim, claimed_until, occurred_at, created_at)
       select $1, gen_random_uuid(), gen_random_uuid(), 'agreement.sent', $2, $2, $3,
         case when $3 <> 'delivered' then now() + n * interval '1 second' end,
         case when $3 = 'failed' then $5::uuid end, case when $3 = 'failed' then now() end, now(), now()
       from generate_series(1, $4) n`,
      [to.orgId, to.endpointId, status, count, randomUUID()],
    );
  }
}

/** How many deliveries to it have each status; what is dead and would still be sent is called so. */
export async function countDeliveries(
  { superuser }: Pick<WebhooksHarness, "superuser">,
  endpointId: string,
): Promise<Readonly<Record<string, number>>> {
  const { rows } = await superuser.query<{ status: string; count: number }>(
    `select status || case when claim is not null then ' claimed' else '' end as status, count(*)::integer as count
     from webhooks.delivery where receiver_id = $1 group by 1`,
    [endpointId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}
