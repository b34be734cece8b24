import { statuses } from "../../../views/sign/names.ts";
import { usageSchema } from "../generation/usage-view.ts";
import type { JsonSchema } from "../route.ts";
import { answer, count, dateTime, day, described, listOf, orNull } from "../schema-parts.ts";
import { timeZone } from "./schemas.ts";

const counts = { acceptances: count, declines: count };

/** Of agreements; templates have none that counts. */
const counted = statuses.names.filter((name) => name !== "template");

export const overviewSchema: JsonSchema = answer({
  date: described(day, "The day that it is in the time zone."),
  timeZone,
  from: described(dateTime, "When the day began."),
  acceptances: orNull(
    answer({
      ...counts,
      hours: described(
        listOf(answer({ hour: dateTime, ...counts })),
        "Every hour of UTC that has begun today, oldest first.",
      ),
    }),
  ),
  agreements: orNull(
    answer({
      byStatus: described(answer(Object.fromEntries(counted.map((name) => [name, count]))), "As they are now."),
      sentToday: count,
      completedToday: count,
      declinedToday: count,
    }),
  ),
  generation: orNull(usageSchema),
  webhooks: orNull(
    answer({
      endpoints: count,
      failing: described(count, "Enabled ones whose attempts have all failed for a while."),
      disabled: described(count, "Those that were disabled because they failed or were gone."),
      undeliveredToday: described(count, "Deliveries of today that have failed so far or were given up."),
    }),
  ),
});
