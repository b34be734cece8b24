import { fromJsonString } from "@bufbuild/protobuf";
import { type CallOptions, type Client, Code, ConnectError } from "@connectrpc/connect";
import type { ClickService, Session } from "#gen/assent/click/v1/click_pb.ts";
import { type Event, EventSchema } from "#gen/assent/events/v1/events_pb.ts";
import type { Agreement } from "#gen/assent/sign/v1/agreement_pb.ts";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { StoredEvent } from "../domain/delivery.ts";

export type EventPayload = Event["payload"];
export type PayloadCase = NonNullable<EventPayload["case"]>;
export type PayloadOf<Case extends PayloadCase> = Extract<EventPayload, { readonly case: Case }>["value"];

/** Makes the data of events of some kinds from what they say, and from what others say now of the things they name. */
export type DataMakers<Case extends PayloadCase> = {
  readonly [C in Case]: (payload: PayloadOf<C>, lookups: Lookups, event: Event) => object | Promise<object>;
};

/** Reads an event as it was stored. What later versions have added is left out. */
export const parseEvent = ({ data }: Pick<StoredEvent, "data">): Event =>
  fromJsonString(EventSchema, data, { ignoreUnknownFields: true });

/** On whose behalf things are looked up: of nobody but the organization, within the request that caused the event. */
export const callerOf = (orgId: OrgId, { requestId, traceparent }: Event): Caller => ({
  orgId,
  clientId: "webhooks",
  requestId,
  traceparent,
});

/** In answers nothing is left out: what there is not is null. */
export const textOrNull = (text: string | undefined): string | null =>
  text === undefined || text === "" ? null : text;

export interface LookupClients {
  readonly click: Client<typeof ClickService>;
  readonly sign: Client<typeof SignService>;
}

/**
 * The current data of the objects that an event names, from the services that own them. Undefined when the
 * object does not exist. Rejects with SERVICE_UNAVAILABLE while a service is down, and with the service's own
 * error when a retry would not help.
 */
export interface Lookups {
  /** The object that reading the receipt answers. */
  receipt(receiptId: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  session(sessionId: string): Promise<Session | undefined>;
  agreement(agreementId: string, options?: { readonly withTabs: boolean }): Promise<Agreement | undefined>;
  template(templateId: string): Promise<Agreement | undefined>;
  /** The PDF of a document; sealed once the agreement is completed. */
  documentContent(agreementId: string, documentId: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  certificate(agreementId: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** Short, because a waiting attempt occupies one of the receiver's places. */
const deadlineMs = 4_000;
const contentDeadlineMs = 15_000;

export function createLookups({ click, sign }: LookupClients, caller: Caller): Lookups {
  const headers = callerHeaders(caller);
  const options = { headers, timeoutMs: deadlineMs };
  const contentOptions = (signal: AbortSignal): CallOptions => ({ headers, timeoutMs: contentDeadlineMs, signal });
  return {
    receipt: async (receiptId) => {
      const found = await ifFound(click.getReceipt({ receiptId }, options));
      return found && (JSON.parse(found.receiptJson) as Record<string, unknown>);
    },
    session: async (sessionId) => (await ifFound(click.getSession({ sessionId }, options)))?.session,
    agreement: async (agreementId, { withTabs } = { withTabs: false }) => {
      const target = { id: { case: "agreementId", value: agreementId } } as const;
      return (await ifFound(sign.getAgreement({ target, withoutTabs: !withTabs }, options)))?.agreement;
    },
    template: async (templateId) => {
      const target = { id: { case: "templateId", value: templateId } } as const;
      return (await ifFound(sign.getAgreement({ target, withoutTabs: true }, options)))?.agreement;
    },
    documentContent: async (agreementId, documentId, signal) => {
      const target = { id: { case: "agreementId", value: agreementId } } as const;
      return (await ifFound(sign.getDocumentContent({ target, documentId }, contentOptions(signal))))?.file?.content;
    },
    certificate: async (agreementId, signal) =>
      (await ifFound(sign.getCertificate({ agreementId }, contentOptions(signal))))?.file?.content,
  };
}

async function ifFound<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    const { code } = ConnectError.from(error);
    if (code === Code.NotFound || fromConnectError(error)?.code === "DOCUMENT_ERASED") return undefined;
    throw passingCodes.has(code) ? new DomainError("SERVICE_UNAVAILABLE", { cause: error }) : error;
  }
}

/** All else is about the thing itself, such as an answer that is too large: waiting for it would have no end. */
const passingCodes: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Canceled, Code.Aborted]);
