import {
  ActivityHourSchema,
  type GetActivityResponse as ClickActivity,
  GetActivityResponseSchema as ClickActivitySchema,
} from "#gen/assent/click/v1/click_pb.ts";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import {
  type GetActivityResponse as SignActivity,
  GetActivityResponseSchema as SignActivitySchema,
} from "#gen/assent/sign/v1/sign_pb.ts";
import { GetActivityResponseSchema as WebhooksActivitySchema } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { Agreement } from "./agreements.ts";
import type { Usage } from "./generation-templates.ts";
import { bigCount, count, list, namesOf, time } from "./kinds.ts";
import { type AnswerOf, computed, readOnly } from "./members.ts";
import { nested, shown } from "./resource.ts";

const hour = shown(ActivityHourSchema, {
  hour: readOnly(time),
  acceptances: readOnly(bigCount),
  declines: readOnly(bigCount),
});
const number = { type: "integer", minimum: 0 } as const;
const total = (name: "acceptances" | "declines") =>
  computed(number, ({ hours }: ClickActivity) => hours.reduce((sum, one) => sum + Number(one[name]), 0));

export const acceptancesToday = shown(ClickActivitySchema, {
  acceptances: total("acceptances"),
  declines: total("declines"),
  hours: readOnly(list(nested(hour)), {
    description: "Every UTC hour that has begun today, oldest first.",
  }),
});

/** Of agreements; templates have none that counts. */
const statuses = namesOf(AgreementStatus, "camel").filter((name) => name !== "template") as Agreement["status"][];
const names = new Map<number, string>(Object.entries(AgreementStatus).map(([name, value]) => [value, name]));

export const agreementsToday = shown(SignActivitySchema, {
  byStatus: computed(
    { type: "object", properties: Object.fromEntries(statuses.map((name) => [name, number])), required: statuses },
    ({ statuses: counted }: SignActivity) => {
      const counts = new Map(counted.map((one) => [names.get(one.status)?.toLowerCase(), Number(one.agreements)]));
      return Object.fromEntries(statuses.map((name) => [name, counts.get(name) ?? 0])) as Readonly<
        Record<Agreement["status"], number>
      >;
    },
    { description: "The current numbers." },
  ),
  sentToday: readOnly(bigCount, { at: "sent" }),
  completedToday: readOnly(bigCount, { at: "completed" }),
  declinedToday: readOnly(bigCount, { at: "declined" }),
});

export const webhooksToday = shown(WebhooksActivitySchema, {
  endpoints: readOnly(count),
  failing: readOnly(count, { description: "Enabled endpoints whose attempts have all failed for a while." }),
  disabled: readOnly(count, { description: "Endpoints that were disabled because they failed or were gone." }),
  undeliveredToday: readOnly(bigCount, {
    at: "undelivered",
    description: "Today's deliveries that have failed so far or were given up.",
  }),
});

/** What happens today; a part whose service is away is null. */
export interface Overview {
  readonly date: string;
  readonly timeZone: string;
  readonly from: string;
  readonly acceptances: AnswerOf<typeof acceptancesToday.table> | null;
  readonly agreements: AnswerOf<typeof agreementsToday.table> | null;
  readonly generation: Usage | null;
  readonly webhooks: AnswerOf<typeof webhooksToday.table> | null;
}
