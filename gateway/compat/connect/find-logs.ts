import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";
import { type Delivery, DeliveryStatus } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { Services } from "../../routes/services.ts";
import type { Reader } from "../read/reader.ts";

/** Which entries of the log are asked for; both ends belong to them. */
export interface LogRange {
  readonly from: number;
  readonly to: number;
}

export const readLogRange = (query: Reader): LogRange => ({
  from: msOf(query.date("from_date"), Number.NEGATIVE_INFINITY),
  to: msOf(query.date("to_date"), Number.POSITIVE_INFINITY),
});

const msOf = (time: Timestamp | undefined, otherwise: number): number =>
  time === undefined ? otherwise : timestampMs(time);

type Ask = Pick<Services, "webhooks">;

/** The newest deliveries of the compatible interface, whatever became of them. */
export const findLogs = (services: Ask, range: LogRange, options: CallOptions): Promise<Delivery[]> =>
  findInRange(services, { status: DeliveryStatus.UNSPECIFIED, range }, options);

/** The newest of them whose last attempt failed. */
export async function findFailures(services: Ask, range: LogRange, options: CallOptions): Promise<Delivery[]> {
  const ofStatus = [DeliveryStatus.FAILED, DeliveryStatus.DEAD].map((status) =>
    findInRange(services, { status, range }, options),
  );
  const found = (await Promise.all(ofStatus)).flat();
  return found.sort((a, b) => createdMs(b) - createdMs(a)).slice(0, maxLogs);
}

/** The most that one answer has. */
export const maxLogs = 100;
const pageSize = 200;
/** Entries that are newer than asked for have to be passed over. */
const maxPages = 10;

async function findInRange(
  { webhooks }: Ask,
  { status, range: { from, to } }: { status: DeliveryStatus; range: LogRange },
  options: CallOptions,
): Promise<Delivery[]> {
  const found: Delivery[] = [];
  let cursor = "";
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await webhooks.listDeliveries({ connectOnly: true, status, limit: pageSize, cursor }, options);
    found.push(...answer.deliveries.filter((one) => createdMs(one) >= from && createdMs(one) <= to));
    cursor = answer.nextCursor;
    const isPast = answer.deliveries.some((one) => createdMs(one) < from);
    if (cursor === "" || isPast || found.length >= maxLogs) break;
  }
  return found.slice(0, maxLogs);
}

const createdMs = ({ createdAt }: Delivery): number => (createdAt === undefined ? 0 : timestampMs(createdAt));
