import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { DateField, type ListAgreementsRequestSchema, Order } from "#gen/assent/sign/v1/sign_pb.ts";
import { isUuid } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import { findFolder } from "../folders/folders.ts";
import type { Reader } from "./reader.ts";

export type ListInit = MessageInitShape<typeof ListAgreementsRequestSchema>;

export interface EnvelopeList {
  /** Undefined when nothing can match, because no envelope has these states or ids. */
  readonly wanted: ListInit | undefined;
  readonly start: number;
  readonly count: number;
}

/** Ids in the body, which are used instead of those in the query. */
export interface NamedIds {
  readonly ids: readonly string[] | undefined;
  readonly transactionIds: readonly string[] | undefined;
}

const maxCount = 1_000;

/** The parameters of a list of envelopes. */
export function readListQuery(query: Reader, named: NamedIds): EnvelopeList {
  const count = Math.max(1, Math.min(query.integer("count", { min: 0, max: 1_000_000 }) ?? maxCount, maxCount));
  const place = placeOf(query);
  const statuses = intersect(statusesOf(query), statusesOfFolders(query));
  const ids = named.ids ?? listOf(query, "envelope_ids");
  const known = ids?.filter(isUuid).map((id) => id.toLowerCase());
  const transactionIds = named.transactionIds ?? listOf(query, "transaction_ids");
  requireFew(query, "envelope_ids", ids);
  requireFew(query, "transaction_ids", transactionIds);
  const wanted = defined({
    ...rangeOf(query),
    ...orderOf(query),
    ...textsOf(query),
    statuses: statuses === undefined ? undefined : [...statuses],
    ids: known,
    transactionIds: transactionIds === undefined ? undefined : [...transactionIds],
    limit: count,
    offset: place.cursor === undefined ? place.start : undefined,
    cursor: place.cursor,
    withTotal: true,
  });
  const matchesNothing = statuses?.size === 0 || known?.length === 0;
  return { wanted: matchesNothing ? undefined : wanted, start: place.start, count };
}

/** Where a page begins: at an index, or after the page of the given token, which contains an index as well. */
function placeOf(query: Reader): { readonly start: number; readonly cursor?: string } {
  const start = query.integer("start_position", { min: 0, max: 2_000_000_000 }) ?? 0;
  const token = query.text("continuation_token")?.trim() ?? "";
  if (token === "") return { start };
  const found = token.length > 400 ? null : /^([0-9]{1,10})\.([A-Za-z0-9_-]+)$/.exec(token);
  if (found !== null && start === 0) return { start: Number(found[1]), cursor: found[2] ?? "" };
  const problem = start === 0 ? "must be the continuationToken of a page" : "must not be given with start_position";
  query.problem("continuation_token", "FORMAT", problem);
  return { start };
}

/** Splits a list in one text; undefined when there is none. */
function listOf(query: Reader, name: string): string[] | undefined {
  const items = (query.text(name) ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "" && item !== "request_body");
  return items.length === 0 ? undefined : items;
}

function requireFew(query: Reader, name: string, items: readonly string[] | undefined): void {
  if (items !== undefined && items.length > maxCount) {
    query.problem(name, "MAX_ITEMS", `must have at most ${maxCount} ids`);
  }
}

const statusNames: ReadonlyMap<string, readonly AgreementStatus[]> = new Map([
  ["created", [AgreementStatus.CREATED]],
  ["sent", [AgreementStatus.SENT]],
  ["delivered", [AgreementStatus.DELIVERED]],
  ["signed", [AgreementStatus.COMPLETING]],
  ["completed", [AgreementStatus.COMPLETED]],
  ["declined", [AgreementStatus.DECLINED]],
  ["voided", [AgreementStatus.VOIDED, AgreementStatus.EXPIRED]],
  ["timedout", [AgreementStatus.EXPIRED]],
  // No envelope is ever in these states here.
  ["deleted", []],
  ["processing", []],
  ["correct", []],
  ["template", []],
  ["authoritativecopy", []],
]);

function statusesOf(query: Reader): Set<AgreementStatus> | undefined {
  const names = listOf(query, "status")?.map((name) => name.toLowerCase());
  if (names === undefined || names.includes("any")) return undefined;
  return new Set(
    names.flatMap((name) => {
      const statuses = statusNames.get(name);
      if (statuses === undefined)
        query.problem("status", "ENUM", `must be of any, ${[...statusNames.keys()].join(", ")}`);
      return statuses ?? [];
    }),
  );
}

/** Folders are named by their ids or by their types. */
function statusesOfFolders(query: Reader): Set<AgreementStatus> | undefined {
  const names = listOf(query, "folder_ids") ?? listOf(query, "folder_types");
  if (names === undefined) return undefined;
  return new Set(names.flatMap((name) => findFolder(folderAlias(name.toLowerCase()))?.statuses ?? []));
}

const folderAlias = (name: string): string => (name === "drafts" ? "draft" : name);

function intersect<Value>(a: Set<Value> | undefined, b: Set<Value> | undefined): Set<Value> | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : new Set([...a].filter((value) => b.has(value)));
}

const dateFields: ReadonlyMap<string, DateField> = new Map([
  ["changed", DateField.STATUS_CHANGED],
  ["created", DateField.CREATED],
  ["sent", DateField.SENT],
  ["delivered", DateField.DELIVERED],
  ["signed", DateField.COMPLETED],
  ["completed", DateField.COMPLETED],
  ["declined", DateField.DECLINED],
  ["voided", DateField.VOIDED],
  ["timedout", DateField.VOIDED],
]);

/** DocuSign's ranges include their end. */
function rangeOf(query: Reader) {
  const from = query.date("from_date");
  const to = query.date("to_date");
  const dateField = query.choice("from_to_status", dateFields) ?? DateField.STATUS_CHANGED;
  if (from === undefined && to === undefined) return {};
  return { dateField, from, to: to === undefined ? undefined : justAfter(to) };
}

const justAfter = (time: Timestamp): Timestamp => timestampFromMs(timestampMs(time) + 1);

const orders: ReadonlyMap<string, Order> = new Map([
  ["status_changed", Order.STATUS_CHANGED],
  ["last_modified", Order.MODIFIED],
  ["action_required", Order.STATUS_CHANGED],
  ["created", Order.CREATED],
  ["completed", Order.COMPLETED],
  ["envelope_name", Order.SUBJECT],
  ["subject", Order.SUBJECT],
  ["expire", Order.EXPIRES],
  ["sent", Order.SENT],
  ["signer_list", Order.STATUS_CHANGED],
  ["status", Order.STATUS],
  ["user_name", Order.STATUS_CHANGED],
]);

const directions: ReadonlyMap<string, boolean> = new Map([
  ["asc", true],
  ["ascending", true],
  ["desc", false],
  ["descending", false],
]);

const orderOf = (query: Reader) => ({
  order: query.choice("order_by", orders) ?? Order.STATUS_CHANGED,
  ascending: query.choice("order", directions) ?? false,
});

function textsOf(query: Reader) {
  const text = query.text("search_text")?.trim();
  if (text !== undefined && text.length > 200)
    query.problem("search_text", "MAX_LENGTH", "must be at most 200 characters");
  return {
    text: text === "" ? undefined : text,
    email: query.text("email")?.trim(),
    recipientName: query.text("user_name")?.trim(),
    customField: customFieldOf(query),
  };
}

/** `name=value`. Equals signs within either are quoted, so the first one separates them. */
function customFieldOf(query: Reader) {
  const said = query.text("custom_field");
  if (said === undefined || said === "") return undefined;
  const at = said.indexOf("=");
  if (at > 0) return { name: said.slice(0, at), value: said.slice(at + 1) };
  query.problem("custom_field", "FORMAT", "must be name=value");
  return undefined;
}
