import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type ListAgreementsRequest, DateField as WireDate, Order as WireOrder } from "#gen/assent/sign/v1/sign_pb.ts";
import { isUuid } from "#platform/ids.ts";
import type { DateField, ListFilter, ListOrder } from "../store/list-query.ts";
import { agreementStatusFromWire } from "./messages.ts";

export const parseFilter = (request: ListAgreementsRequest): ListFilter => ({
  templates: request.templates,
  statuses: request.statuses.map(agreementStatusFromWire).filter((status) => status !== undefined),
  // What is not a UUID names nothing, and so nothing is found when there is nothing else.
  ids: request.ids.length === 0 ? undefined : request.ids.filter(isUuid).map((id) => id.toLowerCase()),
  transactionIds: request.transactionIds,
  email: request.email,
  recipientName: request.recipientName,
  text: request.text,
  customField: request.customField,
  bulkBatchId: request.bulkBatchId.toLowerCase(),
  dateField: dateFields.get(request.dateField),
  from: dateOf(request.from),
  to: dateOf(request.to),
});

export const parseOrder = (order: WireOrder): ListOrder => orders.get(order) ?? "created";

const dateOf = (timestamp: Timestamp | undefined): Date | undefined =>
  timestamp === undefined ? undefined : timestampDate(timestamp);

const dateFields: ReadonlyMap<WireDate, DateField> = new Map([
  [WireDate.STATUS_CHANGED, "status-changed"],
  [WireDate.CREATED, "created"],
  [WireDate.SENT, "sent"],
  [WireDate.DELIVERED, "delivered"],
  [WireDate.COMPLETED, "completed"],
  [WireDate.DECLINED, "declined"],
  [WireDate.VOIDED, "voided"],
  [WireDate.MODIFIED, "modified"],
]);

const orders: ReadonlyMap<WireOrder, ListOrder> = new Map([
  [WireOrder.CREATED, "created"],
  [WireOrder.STATUS_CHANGED, "status-changed"],
  [WireOrder.MODIFIED, "modified"],
  [WireOrder.SENT, "sent"],
  [WireOrder.COMPLETED, "completed"],
  [WireOrder.SUBJECT, "subject"],
  [WireOrder.STATUS, "status"],
  [WireOrder.EXPIRES, "expires"],
  [WireOrder.NAME, "name"],
]);
