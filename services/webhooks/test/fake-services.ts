import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { ClickService, type Session, SessionSchema, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import {
  type Agreement,
  AgreementSchema,
  AgreementStatus,
  RecipientRole,
  RecipientStatus,
  TabType,
} from "#gen/assent/sign/v1/agreement_pb.ts";
import { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { type Caller, requireCaller } from "#platform/caller.ts";
import { DomainError } from "#platform/errors.ts";
import { createLogger } from "#platform/logger.ts";
import { createMetrics } from "#platform/metrics.ts";
import { serverInterceptors } from "#platform/rpc/interceptors.ts";
import { createMemoryTransport } from "#platform/rpc/memory.ts";
import { receiptExample } from "../domain/event-types-others.ts";
import { ids, orgId } from "./sample-events.ts";

const at = (text: string) => timestampFromDate(new Date(text));

type AgreementFields = MessageInitShape<typeof AgreementSchema>;

/** A completed agreement; fields replace those of the sample. */
export const sampleAgreement = (fields: Partial<Agreement> = {}): Agreement =>
  create(AgreementSchema, {
    id: ids.agreement,
    organizationId: orgId,
    status: AgreementStatus.COMPLETED,
    emailSubject: "Please sign the NDA",
    emailBlurb: "Thank you.",
    documents: [
      {
        ...{ id: ids.document, documentId: "1", name: "NDA.pdf", order: 1, bytes: 7n },
        pages: [{ width: 612, height: 792 }],
      },
    ],
    recipients: [
      {
        ...{ id: ids.recipient, recipientId: "1", role: RecipientRole.SIGNER, routingOrder: 1 },
        ...{ name: "Ann Example", email: "ann@example.com", clientUserId: "1000" },
        status: RecipientStatus.COMPLETED,
        sentAt: at("2026-10-21T09:00:05Z"),
        completedAt: at("2026-10-21T09:24:38Z"),
        tabs: [{ tabId: "0198f3a1-7c00-7000-8000-000000000033", type: TabType.SIGNATURE, label: "Signature" }],
      },
    ],
    customFields: [{ fieldId: "1", name: "orderId", value: "42", show: true }],
    metadataJson: '{"orderId":"42"}',
    transactionId: "order-42",
    sender: { id: "cl_1", name: "Example AG", email: "sender@example.com" },
    createdAt: at("2026-10-21T09:00:00Z"),
    sentAt: at("2026-10-21T09:00:05Z"),
    completedAt: at("2026-10-21T09:24:40Z"),
    ...fields,
  } as AgreementFields);

const sampleSession = (): Session =>
  create(SessionSchema, {
    ...{ id: ids.session, organizationId: orgId, templateId: ids.template, versionId: ids.version, revision: 3 },
    ...{ templateSlug: "newsletter", label: "2.0", locale: "en", userRef: "user-1042" },
    ...{ status: SessionStatus.COMPLETED, renderToken: "secret-token", metadata: { orderId: "42" } },
    createdAt: at("2026-10-21T09:00:00Z"),
  });

/** What both services know, and what they were asked. */
export interface FakeServices {
  readonly receipts: Map<string, object>;
  readonly sessions: Map<string, Session>;
  readonly agreements: Map<string, Agreement>;
  /** By documentId; what is not here has 7 bytes. */
  readonly contents: Map<string, Uint8Array>;
  /** Documents whose files were erased. */
  readonly erased: Set<string>;
  readonly calls: { readonly method: string; readonly caller: Caller; readonly withoutTabs?: boolean }[];
  fail: unknown;
}

export function createFakeServices() {
  const state: FakeServices = {
    receipts: new Map([[ids.receipt, receiptExample]]),
    sessions: new Map([[ids.session, sampleSession()]]),
    agreements: new Map([
      [ids.agreement, sampleAgreement()],
      [ids.signTemplate, sampleAgreement({ id: ids.signTemplate, status: AgreementStatus.TEMPLATE, name: "NDA" })],
    ]),
    contents: new Map(),
    erased: new Set(),
    calls: [],
    fail: undefined,
  };
  const asked = (method: string, context: Parameters<typeof requireCaller>[0], more: object = {}): void => {
    state.calls.push({ method, caller: requireCaller(context), ...more });
    if (state.fail !== undefined) throw state.fail;
  };
  const interceptors = serverInterceptors({
    service: "fake",
    logger: createLogger("fake", "silent"),
    metrics: createMetrics(),
  });
  const transport = createMemoryTransport(
    (router) => {
      router.service(ClickService, {
        getReceipt: ({ receiptId }, context) => {
          asked("getReceipt", context);
          return { receiptJson: JSON.stringify(found(state.receipts.get(receiptId), "CLICK_RECEIPT_NOT_FOUND")) };
        },
        getSession: ({ sessionId }, context) => {
          asked("getSession", context);
          return { session: found(state.sessions.get(sessionId), "CLICK_SESSION_NOT_FOUND") };
        },
      });
      router.service(SignService, {
        getAgreement: ({ target, withoutTabs }, context) => {
          asked("getAgreement", context, { withoutTabs });
          return { agreement: found(state.agreements.get(target?.id.value ?? ""), "ENVELOPE_NOT_FOUND") };
        },
        getDocumentContent: ({ documentId }, context) => {
          asked("getDocumentContent", context);
          if (state.erased.has(documentId)) throw new DomainError("DOCUMENT_ERASED");
          return { file: { content: state.contents.get(documentId) ?? Buffer.from("%PDF-1.") } };
        },
        getCertificate: (_request, context) => {
          asked("getCertificate", context);
          return { file: { content: Buffer.from("%PDF-2.") } };
        },
      });
    },
    { interceptors, maxMessageBytes: 112 * 1024 * 1024, defaultTimeoutMs: 60_000 },
  );
  return { state, click: createClient(ClickService, transport), sign: createClient(SignService, transport) };
}

function found<Value>(
  value: Value | undefined,
  code: "CLICK_RECEIPT_NOT_FOUND" | "CLICK_SESSION_NOT_FOUND" | "ENVELOPE_NOT_FOUND",
): Value {
  if (value === undefined) throw new DomainError(code);
  return value;
}
