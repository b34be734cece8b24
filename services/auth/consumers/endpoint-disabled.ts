import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { Clock } from "#platform/clock.ts";
import type { Tenant } from "#platform/db/pool.ts";
import { type NewId, parseOrgId } from "#platform/ids.ts";
import { plainLifetimeMs } from "../domain/mail.ts";
import { insertMailJob } from "../store/mail-job-store.ts";
import { listActiveOwnerIds } from "../store/user-store.ts";

export const endpointDisabledSubject = "assent.webhooks.endpoint.disabled";

/** Asks for a mail to each owner of the organization whose webhook endpoint is turned off. */
export const applyEndpointDisabled =
  ({ clock, newId }: { readonly clock: Clock; readonly newId: NewId }) =>
  async (tenant: Tenant, { organizationId, payload, occurredAt }: Event): Promise<void> => {
    const orgId = parseOrgId(organizationId);
    if (orgId === undefined || payload.case !== "endpointDisabled" || occurredAt === undefined) {
      throw new Error("an event of a webhook endpoint does not tell which was turned off");
    }
    const kind = "endpoint-disabled";
    const createdAt = timestampDate(occurredAt);
    // A consumer that is new reads what the stream still holds, and old news would only alarm.
    if (createdAt.getTime() + plainLifetimeMs[kind] <= clock.now().getTime()) return;
    const { endpointId, host, reason } = payload.value;
    const details = { endpointId, host, reason };
    for (const userId of await listActiveOwnerIds(tenant)) {
      await insertMailJob(tenant, { id: newId(), userId, kind, sealedToken: null, details, createdAt });
    }
  };
