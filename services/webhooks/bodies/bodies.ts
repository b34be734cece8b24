import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { genErrorName } from "#api/generation-errors.ts";
import type { Audited, CampaignReport, Event } from "#gen/assent/events/v1/events_pb.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { Clock } from "#platform/clock.ts";
import { isErrorCode } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import { defined } from "#platform/json-object.ts";
import { envelopeView } from "../../../views/compat/envelope.ts";
import { compatTime, numberText, type Written } from "../../../views/compat/scalars.ts";
import { isoTime } from "../../../views/scalars.ts";
import { type ConnectReceiver, receiversOfAgreement } from "../connect/receiver.ts";
import type { StoredEvent } from "../domain/delivery.ts";
import type { AuditFormat } from "../domain/endpoint.ts";
import { connectEventOf } from "../domain/event-types.ts";
import { testData } from "../domain/event-types-others.ts";
import { clickData } from "./click-data.ts";
import { type Room, withContents } from "./connect-documents.ts";
import {
  callerOf,
  createLookups,
  type DataMakers,
  type EventPayload,
  type LookupClients,
  type Lookups,
  type PayloadCase,
  parseEvent,
  textOrNull,
} from "./lookups.ts";
import { auditMakers, ocsfOf } from "./ocsf.ts";
import { signData } from "./sign-data.ts";

interface ToldDocument {
  readonly documentId: string;
  readonly templateId: string;
  readonly version: number;
  readonly batchId: string;
}

const documentOf = ({ documentId: id, templateId, version, batchId }: ToldDocument) => ({
  id,
  templateId: textOrNull(templateId),
  version: version === 0 ? null : version,
  batchId: textOrNull(batchId),
});

/** These events say all there is to say. */
const generationData: DataMakers<"documentCompleted" | "documentFailed" | "batchCompleted"> = {
  documentCompleted: (payload) => {
    const { documentId, pages, bytes, sha256 } = payload;
    const contentUrl = `/v1/gen/documents/${documentId}/content`;
    return { document: { ...documentOf(payload), pages, bytes: Number(bytes), sha256, contentUrl } };
  },
  documentFailed: (payload) => {
    const { errorCode } = payload;
    const code = isErrorCode(errorCode) ? genErrorName(errorCode) : errorCode;
    return { document: { ...documentOf(payload), error: { code } } };
  },
  batchCompleted: ({ batchId, status, total, completed, failed, cancelled }) => ({
    batch: { id: batchId, status, counts: { total, completed, failed, cancelled } },
  }),
};

type TemplateCase =
  | `version${"Published" | "Unpublished" | "Archived" | "Scheduled" | "Unscheduled"}`
  | `approval${"Requested" | "Granted" | "Refused"}`
  | `template${"Archived" | "Restored" | "Removed"}`;

interface ToldVersion {
  readonly versionId: string;
  readonly templateId: string;
  readonly locale: string;
}

const versionOf = ({ versionId: id, templateId, locale }: ToldVersion) => ({ id, templateId, locale });

const templateOf = ({ templateId }: { readonly templateId: string }) => ({ template: { id: templateId } });

interface ToldApproval extends ToldVersion {
  readonly contentHash: string;
  readonly textHash: string;
  readonly by: string;
  readonly comment: string;
}

const approvalOf = (payload: ToldApproval) => {
  const { contentHash, textHash, by, comment } = payload;
  return { version: { ...versionOf(payload), contentHash, textHash }, approval: { by, comment: textOrNull(comment) } };
};

/** These events say all there is to say. */
const templateData: DataMakers<TemplateCase> = {
  versionPublished: (payload) => {
    const { revision, label, contentHash, requiresReacceptance } = payload;
    return { version: { ...versionOf(payload), revision, label, contentHash, requiresReacceptance } };
  },
  versionScheduled: (payload) => {
    const { publishAt, previousPublishAt, contentHash, requiresReacceptance } = payload;
    const times = { publishAt: isoTime(publishAt), previousPublishAt: isoTime(previousPublishAt) ?? null };
    return { version: { ...versionOf(payload), ...times, contentHash, requiresReacceptance } };
  },
  versionUnscheduled: (payload) => ({ version: { ...versionOf(payload), publishAt: isoTime(payload.publishAt) } }),
  approvalRequested: approvalOf,
  approvalGranted: approvalOf,
  approvalRefused: approvalOf,
  versionUnpublished: (payload) => ({ version: versionOf(payload) }),
  versionArchived: (payload) => ({ version: versionOf(payload) }),
  templateArchived: templateOf,
  templateRestored: templateOf,
  templateRemoved: templateOf,
};

const webhooksData: DataMakers<"endpointDisabled"> = {
  endpointDisabled: ({ endpointId, reason }) => ({
    endpoint: { id: endpointId, enabled: false, disabledReason: reason },
  }),
};

type CampaignCase = "campaignStarted" | "campaignReminder" | "campaignEnded" | "campaignCancelled";

/** Nobody is named: the list of those who are outstanding takes a credential. */
const campaignOf = ({ campaignId: id, templateId, dueAt, reminders, ...counts }: CampaignReport): object => {
  const { people, unchecked, asked, accepted, declined, withdrawn } = counts;
  return {
    campaign: {
      ...{ id, templateId, dueAt: isoTime(dueAt) ?? null, remindersSent: reminders },
      counts: {
        ...{ people, unchecked, asked, accepted, declined, withdrawn },
        outstanding: people - unchecked - accepted,
      },
      outstandingUrl: `/v1/click/campaigns/${id}/people?state=OUTSTANDING`,
    },
  };
};
const campaignData: DataMakers<CampaignCase> = {
  campaignStarted: campaignOf,
  campaignReminder: campaignOf,
  campaignEnded: campaignOf,
  campaignCancelled: campaignOf,
};

/** Whom it is about is not told, and the link takes a credential. */
const exportData: DataMakers<"exportEnded"> = {
  exportEnded: ({ exportId: id, kind, status, scheduleId, format, parts, bytes, expiresAt }) => ({
    export: {
      ...{ id, kind, status, scheduleId: textOrNull(scheduleId), format: textOrNull(format), parts },
      ...{ bytes: Number(bytes), expiresAt: isoTime(expiresAt) ?? null },
      contentUrl: status === "completed" ? `/v1/privacy/exports/${id}/content` : null,
    },
  }),
};

/**
 * Builds request bodies anew at each attempt, from the stored event and the current data of the services that
 * own the objects it names. So no personal data is stored here, and what was erased or deleted since is not
 * sent. All methods reject with SERVICE_UNAVAILABLE while such a service is down.
 */
export interface Bodies {
  /** The body of our own format; that of events of the audit trail may be a class of OCSF. */
  standard(orgId: OrgId, event: StoredEvent, auditFormat?: AuditFormat): Promise<string>;
  /** The body of the compatible interface, of an event that it has. */
  connect(orgId: OrgId, event: StoredEvent, receiver: ConnectReceiver, about: AboutDelivery): Promise<string>;
  /** The receivers that an agreement names; none when it is gone. */
  agreementReceivers(orgId: OrgId, agreementId: string): Promise<readonly ConnectReceiver[]>;
}

export interface BodiesDeps extends LookupClients {
  readonly clock: Clock;
}

export function createBodies({ clock, ...clients }: BodiesDeps): Bodies {
  return {
    standard: async (orgId, stored, auditFormat) => {
      const event = parseEvent(stored);
      const audited = auditFormat === "ocsf" ? auditedIn(event.payload) : undefined;
      if (audited !== undefined) return JSON.stringify(ocsfOf(event, audited));
      const data = await dataOf(event, createLookups(clients, callerOf(orgId, event)));
      return JSON.stringify({ ...envelopeOf(orgId, stored, event), data });
    },
    connect: async (orgId, stored, receiver, about) => {
      const event = parseEvent(stored);
      const lookups = createLookups(clients, callerOf(orgId, event));
      return connectBody({ orgId, event, receiver, about, now: clock.now() }, lookups);
    },
    agreementReceivers: async (orgId, agreementId) => {
      const lookups = createLookups(clients, { orgId, clientId: "webhooks", requestId: "", traceparent: "" });
      const agreement = await lookups.agreement(agreementId);
      return agreement === undefined ? [] : receiversOfAgreement(agreement.subscriptionJson);
    },
  };
}

/** Two names of one time: timestamp is that of Standard Webhooks, createdAt the one that everything else here has. */
function envelopeOf(organizationId: OrgId, { id, type, occurredAt }: StoredEvent, event: Event): object {
  const createdAt = isoTime(event.occurredAt) ?? occurredAt.toISOString();
  return { id, type, timestamp: createdAt, organizationId, createdAt };
}

/** A maker for every payload, so that a new one cannot be forgotten. */
const makers: DataMakers<PayloadCase> = {
  ...clickData,
  ...templateData,
  ...generationData,
  ...signData,
  ...webhooksData,
  ...exportData,
  ...campaignData,
  ...auditMakers,
};

/** Only a test has no payload. */
function dataOf(event: Event, lookups: Lookups): object | Promise<object> {
  const { payload } = event;
  if (payload.case === undefined) return testData;
  const make = makers[payload.case] as (value: unknown, lookups: Lookups, event: Event) => object | Promise<object>;
  return make(payload.value, lookups, event);
}

const auditedIn = ({ value }: EventPayload): Audited | undefined =>
  value?.$typeName === "assent.events.v1.Audited" ? value : undefined;

/** What only the delivery knows. */
interface AboutDelivery {
  readonly configurationId: number;
  /** Attempts before this one. */
  readonly retryCount: number;
  /** Without it, documents are not waited for. */
  readonly room?: Room;
}

interface ConnectInput {
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

/** A person's click decision on a text; undefined for other events. The person is named in the receipt. */
function decisionIn({ payload }: Event): Told | undefined {
  if (payload.case !== "acceptanceRecorded") return undefined;
  const { receiptId, templateId, versionId, revision, decision, acceptedAt } = payload.value;
  const at = compatTime(acceptedAt);
  const outcome = decision === "DECLINE" ? { status: "declined", declinedOn: at } : { status: "agreed", agreedOn: at };
  const version = { versionId, versionNumber: numberText(revision) };
  return {
    uri: `/v1/click/receipts/${receiptId}`,
    data: defined({ clickwrapId: templateId, agreementId: receiptId, ...version, ...outcome }),
  };
}

interface Named {
  readonly noun: "envelope" | "template";
  readonly id: string;
  /** For events about a recipient. */
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

/** For a deleted object only its id is known. */
async function summaryOf({ id, agreement, included, room }: Summed, lookups: Lookups): Promise<Written> {
  if (agreement === undefined) return { envelopeId: id, status: "deleted" };
  const envelope = envelopeView(agreement, included);
  return included.has("documents") ? await withContents(agreement, envelope, lookups, room) : envelope;
}
