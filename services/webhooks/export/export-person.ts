import type { ServiceImpl } from "@connectrpc/connect";
import { exportedAnswers } from "#api/exported.ts";
import type { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { addressPattern } from "#platform/db/address-pattern.ts";
import { withOrg } from "#platform/db/pool.ts";
import { exportPage, jsonFile, schemaFile } from "#platform/export-page.ts";
import type { WebhooksDeps } from "../rpc/deps.ts";

/** What receivers have answered, where it says the address: nothing else that is kept here says anything of anybody. */
export const exportPerson = (
  deps: Pick<WebhooksDeps, "pool">,
): Pick<ServiceImpl<typeof PersonalDataService>, "exportPerson"> => ({
  exportPerson({ person, cursor }, context) {
    const { orgId } = requireCaller(context);
    const email = (person?.email ?? "").trim().toLowerCase();
    return exportPage(cursor, (after) =>
      withOrg(deps.pool, orgId, async ({ client }) => {
        const { rows } = await client.query<{ id: string; at: Date; number: number; response: string }>(
          `select delivery_id as id, number, at, response from webhooks.attempt
           where organization_id = $1 and ${names} and delivery_id = (
             select delivery_id from webhooks.attempt where organization_id = $1 and ${names} and delivery_id > $2 order by delivery_id limit 1)
           order by number`,
          [orgId, after || "00000000-0000-0000-0000-000000000000", email, addressPattern(email)],
        );
        const [first] = rows;
        if (first === undefined) return undefined;
        const answers = rows.map(({ at, number, response }) => ({ at: at.toISOString(), attempt: number, response }));
        return {
          id: first.id,
          files: [
            schemaFile("webhook-answers", "What a receiver of events has answered", exportedAnswers.schemas.answer),
            jsonFile(`data/webhook-answers/${first.id}.json`, "What a receiver has answered", () => ({
              ...{ deliveryId: first.id, answers },
            })),
          ],
        };
      }),
    );
  },
});

const names = "$3 <> '' and strpos(lower(response), $3) > 0 and lower(response) ~ $4";
