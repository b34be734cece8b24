import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";
import { type Delivery, DeliveryStatus } from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { connectLogDetails, connectLogView, isFailure, isOfConnect, retryView } from "../../../views/compat/connect.ts";
import { numberText } from "../../../views/compat/scalars.ts";
import { jsonReply, type Reply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route, type RouteRequest } from "../../routes/route.ts";
import { listOf, required } from "../../routes/schema-parts.ts";
import type { Services } from "../../routes/services.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { looseBody, sampleId, sampleTime, textsAnswer } from "../schema-parts.ts";
import { envelopeTarget } from "../target.ts";
import { changeConnect, readConnect } from "./connect.ts";

/** Which log entries are asked for. Both ends of the range are included. */
export interface LogRange {
  readonly from: number;
  readonly to: number;
}

const readLogRange = (query: Reader): LogRange => ({
  from: msOf(query.date("from_date"), Number.NEGATIVE_INFINITY),
  to: msOf(query.date("to_date"), Number.POSITIVE_INFINITY),
});

const msOf = (time: Timestamp | undefined, otherwise: number): number =>
  time === undefined ? otherwise : timestampMs(time);

type Ask = Pick<Services, "webhooks">;

/** The newest deliveries of the compatible interface, successful or not. */
const findLogs = (services: Ask, range: LogRange, options: CallOptions): Promise<Delivery[]> =>
  findInRange(services, { status: DeliveryStatus.UNSPECIFIED, range }, options);

/** The newest deliveries whose last attempt failed. */
async function findFailures(services: Ask, range: LogRange, options: CallOptions): Promise<Delivery[]> {
  const ofStatus = [DeliveryStatus.FAILED, DeliveryStatus.DEAD].map((status) =>
    findInRange(services, { status, range }, options),
  );
  const found = (await Promise.all(ofStatus)).flat();
  return found.sort((a, b) => createdMs(b) - createdMs(a)).slice(0, maxLogs);
}

/** The maximum number of entries in one answer. */
const maxLogs = 100;
const pageSize = 200;
/** Entries newer than the range have to be skipped, at most this many pages. */
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

const logSchema = textsAnswer(
  {
    accountId: sampleId,
    connectId: "1748293",
    envelopeId: sampleId,
    status: "Completed",
    created: sampleTime,
    lastTry: sampleTime,
    configUrl: "https://www.example.com/hooks/signing",
    retryCount: "0",
    error: "The receiver answered 503.",
    logId: sampleId,
    logUri: `/connect/logs/${sampleId}`,
    failureId: sampleId,
    failureUri: `/connect/logs/${sampleId}`,
    retryUri: `/connect/envelopes/${sampleId}/retry_queue`,
  },
  {
    connectDebugLog: listOf(
      textsAnswer(
        {
          connectConfig: "1748293",
          eventDateTime: sampleTime,
          eventDescription: "503 Service Unavailable",
        },
        { errorDetails: textsAnswer({ errorCode: "CONNECT_FAILED", message: "The receiver answered 503." }) },
      ),
    ),
  },
  ["accountId", "created", "logId", "status"],
);

const logsSchema = textsAnswer(
  { totalRecords: "1", type: "logs" },
  { logs: listOf(logSchema), failures: listOf(logSchema) },
  ["failures", "logs", "totalRecords"],
);

const range = {
  from_date: "Start of the time range of entries, inclusive.",
  to_date: "End of the time range of entries, inclusive.",
} as const;

const retrySchema = textsAnswer(
  {},
  {
    retryQueue: listOf(
      textsAnswer({
        envelopeId: sampleId,
        configId: "1748293",
        configUrl: "https://www.example.com/hooks/signing",
        status: "queued",
        statusMessage: "It is sent again.",
      }),
    ),
  },
  ["retryQueue"],
);

/** The log of Connect messages, and sending them again. */
export const compatConnectLogRoutes: readonly Route[] = [
  defineCompatRoute({
    ...readConnect,
    operationId: "compatListConnectLogs",
    method: "GET",
    path: "/connect/logs",
    summary: "List deliveries",
    description: `The newest ${maxLogs} entries of the last 30 days: \`failures\` has those whose last attempt failed, \`logs\` the others. They are kept regardless of enableLog.`,
    query: compatQuery(range),
    success: { status: 200, description: "The entries, newest first.", schema: logsSchema },
    errors: [],
    call: (request, services) => findLogs(services, readWith(request.query, readLogRange), onBehalfOf(request)),
    respond: (deliveries, { caller }) => logsReply("logs", deliveries, caller.orgId),
  }),
  defineCompatRoute({
    ...readConnect,
    operationId: "compatListConnectFailures",
    method: "GET",
    path: "/connect/failures",
    summary: "List failed deliveries",
    description: `The newest ${maxLogs} entries of the last 30 days whose last attempt failed.`,
    query: compatQuery(range),
    success: { status: 200, description: "The entries, newest first.", schema: logsSchema },
    errors: [],
    call: (request, services) => findFailures(services, readWith(request.query, readLogRange), onBehalfOf(request)),
    respond: (deliveries, { caller }) => logsReply("failures", deliveries, caller.orgId),
  }),
  defineCompatRoute({
    ...readConnect,
    operationId: "compatGetConnectLog",
    method: "GET",
    path: "/connect/logs/{logId}",
    summary: "Read an entry of the log",
    notFound: { logId: "WEBHOOK_DELIVERY_NOT_FOUND" },
    query: compatQuery({ additional_info: "true: each attempt in connectDebugLog too." }),
    success: { status: 200, description: "The entry.", schema: logSchema },
    errors: [],
    call: async (request, { webhooks }) => {
      const { logId = "" } = request.params as Readonly<Record<string, string>>;
      const withAttempts = readWith(request.query, (query) => query.flag("additional_info")) === true;
      const delivery = required((await webhooks.getDelivery({ id: logId }, onBehalfOf(request))).delivery);
      if (!isOfConnect(delivery)) throw new DomainError("WEBHOOK_DELIVERY_NOT_FOUND");
      return { delivery, withAttempts };
    },
    respond: ({ delivery, withAttempts }, { caller }) =>
      jsonReply(200, (withAttempts ? connectLogDetails : connectLogView)(delivery, caller.orgId)),
  }),
  defineCompatRoute({
    ...changeConnect,
    operationId: "compatRetryConnectEnvelope",
    method: "PUT",
    path: "/connect/envelopes/{envelopeId}/retry_queue",
    summary: "Resend failed deliveries of an envelope",
    success: { status: 200, description: "The deliveries that were queued again.", schema: retrySchema },
    errors: [],
    call: async (request, { sign, webhooks }) => {
      const { envelopeId } = request.params;
      const options = retryOptions(request);
      await sign.getAgreement({ target: envelopeTarget(envelopeId), withoutTabs: true }, options);
      return await webhooks.retryConnect({ agreementIds: [envelopeId] }, options);
    },
    respond: ({ deliveries }) => retryReply(deliveries),
  }),
  defineCompatRoute({
    ...changeConnect,
    operationId: "compatRetryConnect",
    method: "PUT",
    path: "/connect/envelopes/retry_queue",
    summary: "Recover missed events",
    description: "For the envelopes in envelopeIds, or for all if there are none. Unknown IDs are ignored.",
    body: jsonBody<object>({
      schema: looseBody({
        envelopeIds: "The ids of at most 1,000 envelopes.",
        synchronous: "Has no effect.",
      }),
      required: false,
      example: { envelopeIds: [sampleId] },
    }),
    success: { status: 200, description: "The deliveries that were queued again.", schema: retrySchema },
    errors: [],
    call: async (request, { webhooks }) => {
      const agreementIds = readWith(request.body ?? {}, readEnvelopeIds);
      // A list of unknown envelopes must not count as no list, which means all.
      if (agreementIds?.length === 0) return { deliveries: [] };
      return await webhooks.retryConnect({ agreementIds: agreementIds ?? [] }, retryOptions(request));
    },
    respond: ({ deliveries }) => retryReply(deliveries),
  }),
];

/** Sending many messages again takes longer than the default of an RPC allows. */
const retryOptions = (request: Pick<RouteRequest, "caller">) => ({ ...onBehalfOf(request), timeoutMs: 30_000 });

const maxIds = 1_000;

/** Undefined when the body names none. */
function readEnvelopeIds(body: Reader): string[] | undefined {
  const named = body.texts("envelopeIds");
  if (named.length > maxIds) body.problem("envelopeIds", "MAX_ITEMS", `must have at most ${maxIds} items`);
  if (named.length === 0) return undefined;
  return [...new Set(named.filter(isUuid).map((id) => id.toLowerCase()))];
}

function logsReply(type: string, deliveries: readonly Delivery[], accountId: string): Reply {
  const viewsOf = (wanted: boolean) =>
    deliveries.filter((one) => isFailure(one) === wanted).map((one) => connectLogView(one, accountId));
  return jsonReply(200, {
    totalRecords: numberText(deliveries.length),
    type,
    logs: viewsOf(false),
    failures: viewsOf(true),
  });
}

const retryReply = (deliveries: readonly Delivery[]): Reply =>
  jsonReply(200, { retryQueue: deliveries.map(retryView) });
