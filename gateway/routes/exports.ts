import { exportSchedule, personExport } from "#api/exports.ts";
import { type Export, type ExportFile, ExportKind } from "#gen/assent/auth/v1/exports_pb.ts";
import { AcceptanceFormat } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { type Caller, callerHeaders } from "#platform/caller.ts";
import { signDialect } from "../http/error-dialect.ts";
import { jsonReply, noContent, type Reply } from "../http/reply.ts";
import { type StreamedFile, zipStream } from "../http/zip-stream.ts";
import { listing, type PageQuery, pageLimit } from "./pages.ts";
import { changeBody, createBody, defineRoute, onBehalfOf, queryOf, type Route } from "./route.ts";
import { described, integer, listOf, required, text } from "./schema-parts.ts";
import type { Services } from "./services.ts";

const base = {
  tag: "Privacy",
  dialect: signDialect,
  access: { scopes: ["privacy:admin"], limitGroup: "sign" },
} as const;

/** What services give at once. */
const maxPage = 200;

const csvType = "text/csv; charset=utf-8";
const jsonlType = "application/jsonl";

export const exportRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    access: { ...base.access, whileSuspended: true },
    operationId: "createExport",
    method: "POST",
    path: "/v1/privacy/exports",
    summary: "Export a person's data, the organization's data, or receipts",
    description:
      "For requests under GDPR art. 15 and 20, and for receipts of acceptances as CSV or JSON Lines. The export is created in the background: read it until its status is completed, then download it. The same X-Idempotency-Key with the same person returns the first export.",
    body: createBody(personExport, { example: { email: "ann@example.com" } }),
    idempotencyKey: "optional",
    success: { status: 202, description: "The export, which is being created.", schema: personExport.schemas.answer },
    errors: ["IDEMPOTENCY_KEY_REUSED"],
    call: (request, { exports }) =>
      exports.createExport(
        { ...personExport.create(request.body), idempotencyKey: request.idempotencyKey },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(202, personExport.answer(required(answer.export))),
  }),
  defineRoute({
    ...base,
    operationId: "listExports",
    method: "GET",
    path: "/v1/privacy/exports",
    summary: "List exports",
    description: "Newest first. They don't say whom they are about. Without limit, up to 1,000.",
    query: queryOf<PageQuery>({
      limit: pageLimit,
      cursor: text(1, 200, "X-Next-Cursor of the previous page."),
    }),
    ...listing(
      { name: "exports", items: personExport, description: "The exports.", maxPage },
      ({ exports }, page, options) => exports.listExports(page, options),
    ),
  }),
  defineRoute({
    ...base,
    operationId: "getExport",
    method: "GET",
    path: "/v1/privacy/exports/{id}",
    summary: "Read an export",
    notFound: { id: "EXPORT_NOT_FOUND" },
    success: { status: 200, description: "The export.", schema: personExport.schemas.answer },
    errors: [],
    call: (request, { exports }) => exports.getExport({ id: request.params.id }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, personExport.answer(required(answer.export))),
  }),
  defineRoute({
    ...base,
    operationId: "downloadExport",
    method: "GET",
    path: "/v1/privacy/exports/{id}/content",
    summary: "Download an export",
    description:
      "A ZIP archive with a page for people to read (index.html), the data as JSON with schemas, documents and proofs; or receipts of acceptances in the requested format. Each download (not HEAD) is recorded in the audit trail. After seven days the files are destroyed.",
    notFound: { id: "EXPORT_NOT_FOUND" },
    query: queryOf<{ part?: number }>({ part: described(integer(1, 1_000_000), "Which archive; 1 when absent.") }),
    success: {
      status: 200,
      description: "The archive.",
      contentType: "application/zip",
      alsoTypes: [csvType, jsonlType],
      textExamples: {
        [csvType]: '"receiptId","acceptedAt","decision","userRef"\r\n',
        [jsonlType]: '{"receiptId":"01961234-5678-7abc-8def-0123456789ab","status":"RECORDED"}\n',
      },
      headers: { "Content-Disposition": "attachment, with the file's name." },
    },
    errors: ["EXPORT_NOT_READY", "EXPORT_EXPIRED"],
    call: async ({ query, ...request }, { exports }) => {
      const part = query.part ?? 1;
      const asked = { id: request.params.id, part, looksOnly: request.method === "HEAD" };
      return { part, ...(await exports.openExport(asked, onBehalfOf(request))) };
    },
    respond: ({ part, files, export: made }, { params: { id }, caller }, { exports, clock }) => {
      if (made?.kind === ExportKind.ACCEPTANCES) return textReply(exports, caller, made);
      return {
        status: 200,
        body: undefined,
        stream: zipStream(filesOf(exports, caller, id, files), clock.now()),
        headers: {
          "Content-Type": "application/zip",
          "Content-Disposition": `attachment; filename="export-${id}${part === 1 ? "" : `-${part}`}.zip"`,
        },
      };
    },
  }),
];

/** Exports of acceptances that come by themselves. */
export const exportScheduleRoutes: readonly Route[] = [
  defineRoute({
    ...base,
    operationId: "createExportSchedule",
    method: "POST",
    path: "/v1/privacy/export-schedules",
    summary: "Schedule exports of receipts",
    description:
      "Each export has what was recorded since the one before; the first has everything. When it is completed, the webhook event export.ended says where to download it. Times missed while nothing runs share one export. An organization can have 50 schedules.",
    body: createBody(exportSchedule, { example: { format: "csv", every: "weekly", day: 1, at: "06:00" } }),
    idempotencyKey: "optional",
    success: { status: 201, description: "The schedule.", schema: exportSchedule.schemas.answer },
    errors: ["IDEMPOTENCY_KEY_REUSED", "TOO_MANY_EXPORT_SCHEDULES"],
    call: (request, { exports }) =>
      exports.createExportSchedule(
        { ...exportSchedule.create(request.body), idempotencyKey: request.idempotencyKey },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(201, exportSchedule.answer(required(answer.schedule))),
  }),
  defineRoute({
    ...base,
    operationId: "listExportSchedules",
    method: "GET",
    path: "/v1/privacy/export-schedules",
    summary: "List export schedules",
    description: "All of them, newest first.",
    success: { status: 200, description: "The schedules.", schema: listOf(exportSchedule.schemas.answer) },
    errors: [],
    call: (request, { exports }) => exports.listExportSchedules({}, onBehalfOf(request)),
    respond: ({ schedules }) =>
      jsonReply(
        200,
        schedules.map((one) => exportSchedule.answer(one)),
      ),
  }),
  defineRoute({
    ...base,
    operationId: "getExportSchedule",
    method: "GET",
    path: "/v1/privacy/export-schedules/{id}",
    summary: "Read an export schedule",
    notFound: { id: "EXPORT_SCHEDULE_NOT_FOUND" },
    success: { status: 200, description: "The schedule.", schema: exportSchedule.schemas.answer },
    errors: [],
    call: (request, { exports }) => exports.getExportSchedule({ id: request.params.id }, onBehalfOf(request)),
    respond: (answer) => jsonReply(200, exportSchedule.answer(required(answer.schedule))),
  }),
  defineRoute({
    ...base,
    operationId: "updateExportSchedule",
    method: "PATCH",
    path: "/v1/privacy/export-schedules/{id}",
    summary: "Change, pause or resume an export schedule",
    description: "Absent members stay as they are. An export that is being created isn't affected.",
    notFound: { id: "EXPORT_SCHEDULE_NOT_FOUND" },
    body: changeBody(exportSchedule, { example: { paused: true } }),
    success: { status: 200, description: "The changed schedule.", schema: exportSchedule.schemas.answer },
    errors: [],
    call: (request, { exports }) =>
      exports.updateExportSchedule(
        { ...exportSchedule.change(request.body), id: request.params.id },
        onBehalfOf(request),
      ),
    respond: (answer) => jsonReply(200, exportSchedule.answer(required(answer.schedule))),
  }),
  defineRoute({
    ...base,
    operationId: "deleteExportSchedule",
    method: "DELETE",
    path: "/v1/privacy/export-schedules/{id}",
    summary: "Delete an export schedule",
    description: "Its exports stay.",
    notFound: { id: "EXPORT_SCHEDULE_NOT_FOUND" },
    success: { status: 204, description: "The schedule was deleted." },
    errors: [],
    call: (request, { exports }) => exports.deleteExportSchedule({ id: request.params.id }, onBehalfOf(request)),
    respond: () => noContent,
  }),
];

/** Receipts as one text, however many files it was made in. */
function textReply(exports: Reading, caller: Caller, { id, files, format }: Export): Reply {
  const isCsv = format === AcceptanceFormat.CSV;
  async function* contents(): AsyncGenerator<Uint8Array> {
    for (let number = 0; number < files; number += 1) yield* piecesOf(exports, caller, id, number);
  }
  return {
    status: 200,
    body: undefined,
    stream: contents(),
    headers: {
      "Content-Type": isCsv ? csvType : jsonlType,
      "Content-Disposition": `attachment; filename="acceptances-${id}.${isCsv ? "csv" : "jsonl"}"`,
    },
  };
}

const pieceTimeoutMs = 30_000;

type Reading = Pick<Services["exports"], "readExportFile">;

async function* filesOf(
  exports: Reading,
  caller: Caller,
  id: string,
  files: readonly ExportFile[],
): AsyncGenerator<StreamedFile> {
  for (const { number, path, bytes, crc32 } of files) {
    yield { name: path, size: Number(bytes), crc32, pieces: piecesOf(exports, caller, id, number) };
  }
}

async function* piecesOf(exports: Reading, caller: Caller, id: string, number: number): AsyncGenerator<Uint8Array> {
  const options = { headers: callerHeaders(caller), timeoutMs: pieceTimeoutMs };
  for (let piece = 0, isLast = false; !isLast; piece += 1) {
    const read = await exports.readExportFile({ id, number, piece }, options);
    isLast = read.isLast;
    yield read.content;
  }
}
