import type { GetActivityResponse as ClickActivity } from "#gen/assent/click/v1/click_pb.ts";
import type { GetActivityResponse as SignActivity } from "#gen/assent/sign/v1/sign_pb.ts";
import type { GetActivityResponse as WebhooksActivity } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { isoTime } from "../scalars.ts";
import { statuses } from "../sign/names.ts";

/** What was decided in each of the hours. */
export function acceptancesView({ hours: counted }: ClickActivity, hours: readonly Date[]): object {
  const byHour = new Map(counted.map((one) => [isoTime(one.hour), one]));
  const rows = hours.map((hour) => {
    const { acceptances = 0n, declines = 0n } = byHour.get(hour.toISOString()) ?? {};
    return { hour: hour.toISOString(), acceptances: Number(acceptances), declines: Number(declines) };
  });
  const total = (name: "acceptances" | "declines"): number => rows.reduce((sum, row) => sum + row[name], 0);
  return { acceptances: total("acceptances"), declines: total("declines"), hours: rows };
}

export function agreementsView({ statuses: counted, sent, completed, declined }: SignActivity): object {
  const counts = new Map(counted.map(({ status, agreements }) => [statuses.nameOf(status), Number(agreements)]));
  const names = statuses.names.filter((name) => name !== "template");
  return {
    byStatus: Object.fromEntries(names.map((name) => [name, counts.get(name) ?? 0])),
    sentToday: Number(sent),
    completedToday: Number(completed),
    declinedToday: Number(declined),
  };
}

export const webhooksView = ({ endpoints, failing, disabled, undelivered }: WebhooksActivity): object => ({
  endpoints,
  failing,
  disabled,
  undeliveredToday: Number(undelivered),
});
