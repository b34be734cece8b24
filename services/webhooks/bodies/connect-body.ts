import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Event } from "#gen/assent/events/v1/events_pb.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import { envelopeView } from "../../../views/compat/envelope.ts";
import { compatTime, numberText, present, type Written } from "../../../views/compat/scalars.ts";
import type { ConnectReceiver } from "../connect/receiver.ts";
import { connectEventOf } from "../domain/event-types.ts";
import { type Room, withContents } from "./connect-documents.ts";
import type { Lookups } from "./lookups.ts";

/** What only the delivery knows. */
export interface AboutDelivery {
  readonly configurationId: number;
  /** Attempts before this one. */
  readonly retryCount: number;
  /** Without it, documents are not waited for. */
  readonly room?: Room;
}

export interface ConnectInput {
  readonly orgId: string;
  readonly event: Event;
  readonly receiver: ConnectReceiver;
  readonly about: AboutDelivery;
  readonly now: Date;
}

/** The body of a message of the compatible interface: one event, in JSON. All but two of its scalars are texts. */
export async function connectBody(input: ConnectInput, lookups: Lookups): Promise<string> {
  const { orgId, event, about, now } = input;
  const { uri, data } = decisionIn(event) ?? (await subjectOf(input, lookups));
  return JSON.stringify({
    event: connectEventOf(event) ?? "",
    apiVersion: "v2.1",
    uri,
    retryCount: about.retryCount,
    configurationId: about.configurationId,
    generatedDateTime: compatTime(timestampFromDate(now)),
    data: { accountId: orgId, userId: orgId, ...data },
  });
}

interface Told {
  readonly uri: string;
  readonly data: Readonly<Record<string, Written>>;
}

async function subjectOf(input: ConnectInput, lookups: Lookups): Promise<Told> {
  const { orgId, event } = input;
  const { noun, id, recipientGuid } = namedBy(event);
  const more = noun === "template" ? {} : await envelopeData(id, recipientGuid, input, lookups);
  return { uri: `/restapi/v2.1/accounts/${orgId}/${noun}s/${id}`, data: { [`${noun}Id`]: id, ...more } };
}

/** What somebody has said to a text by a click; undefined for other events. Who it was stands in the receipt. */
function decisionIn({ payload }: Event): Told | undefined {
  if (payload.case !== "acceptanceRecorded") return undefined;
  const { receiptId, templateId, versionId, revision, decision, acceptedAt } = payload.value;
  const at = compatTime(acceptedAt);
  const outcome = decision === "DECLINE" ? { status: "declined", declinedOn: at } : { status: "agreed", agreedOn: at };
  const version = { versionId, versionNumber: numberText(revision) };
  return {
    uri: `/v1/click/receipts/${receiptId}`,
    data: present({ clickwrapId: templateId, agreementId: receiptId, ...version, ...outcome }),
  };
}

interface Named {
  readonly noun: "envelope" | "template";
  readonly id: string;
  /** Of events about a recipient. */
  readonly recipientGuid: string | undefined;
}

function namedBy({ payload: { value }, subject, aggregateId }: Event): Named {
  const isAboutRecipient = subject.startsWith("assent.sign.recipient.");
  const named = (value ?? {}) as { readonly agreementId?: string; readonly templateId?: string; recipientId?: string };
  const { agreementId, templateId } = named;
  return {
    noun: subject.startsWith("assent.sign.template.") ? "template" : "envelope",
    id: agreementId ?? templateId ?? aggregateId,
    recipientGuid: isAboutRecipient ? named.recipientId : undefined,
  };
}

/** Nothing is looked up for a receiver that asks for nothing, unless a recipient has to be called by its number. */
async function envelopeData(
  id: string,
  recipientGuid: string | undefined,
  { receiver: { includeData }, about: { room } }: ConnectInput,
  lookups: Lookups,
): Promise<Readonly<Record<string, Written>>> {
  const included = new Set(includeData);
  if (included.size === 0 && recipientGuid === undefined) return {};
  const withTabs = included.has("recipients") || included.has("tabs");
  const agreement = await lookups.agreement(id, { withTabs });
  return {
    ...(recipientGuid === undefined ? {} : { recipientId: recipientIdIn(agreement, recipientGuid) }),
    ...(included.size === 0 ? {} : { envelopeSummary: await summaryOf({ id, agreement, included, room }, lookups) }),
  };
}

/** As the integration calls the recipient. */
const recipientIdIn = (agreement: Agreement | undefined, guid: string): string =>
  agreement?.recipients.find((recipient) => recipient.id === guid)?.recipientId ?? guid;

interface Summed {
  readonly id: string;
  readonly agreement: Agreement | undefined;
  readonly included: ReadonlySet<string>;
  readonly room: Room | undefined;
}

/** Of what was deleted since, nothing else is known. */
async function summaryOf({ id, agreement, included, room }: Summed, lookups: Lookups): Promise<Written> {
  if (agreement === undefined) return { envelopeId: id, status: "deleted" };
  const envelope = envelopeView(agreement, included);
  return included.has("documents") ? await withContents(agreement, envelope, lookups, room) : envelope;
}
