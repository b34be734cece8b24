import type { CallOptions } from "@connectrpc/connect";
import { tellingOf } from "#api/spelling.ts";
import { DateField } from "#gen/assent/sign/v1/sign_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { pageOf, pageUri } from "../../../views/compat/page.ts";
import { numberText } from "../../../views/compat/scalars.ts";
import { jsonReply } from "../../http/reply.ts";
import { jsonBody, onBehalfOf, type Route } from "../../routes/route.ts";
import { listOf } from "../../routes/schema-parts.ts";
import type { Services } from "../../routes/services.ts";
import {
  type Folder,
  findFolder,
  folderItem,
  folders,
  type Moved,
  putBack,
  recycle,
  recycleBin,
} from "../folders/folders.ts";
import { type Reader, readWith } from "../read/reader.ts";
import { compatQuery, defineCompatRoute } from "../route.ts";
import { looseBody, pageAnswer, sampleId, textsAnswer } from "../schema-parts.ts";

const tag = "Compatible folders";

interface CountedFolder extends Pick<Folder, "folderId" | "name"> {
  readonly count: number;
}

const folderTexts = tellingOf<CountedFolder>({
  folderId: ["draft", ({ folderId }) => folderId],
  name: ["Draft", ({ name }) => name],
  type: ["draft", ({ folderId }) => folderId],
  itemCount: ["3", ({ count }) => numberText(count)],
  uri: ["/folders/draft", ({ folderId }) => `/folders/${folderId}`, "sometimes"],
  hasSubFolders: ["false", () => "false", "sometimes"],
  hasAccess: ["true", () => "true", "sometimes"],
});
const folderSchema = textsAnswer(folderTexts.examples, {}, folderTexts.required);

const movedTexts = tellingOf<Moved>({
  envelopeId: [sampleId, ({ id }) => id],
  status: ["deleted", ({ status }) => status],
  uri: [`/envelopes/${sampleId}`, ({ id, isTemplate }) => `/${isTemplate ? "templates" : "envelopes"}/${id}`],
});

const folderId = {
  schema: {
    type: "string",
    minLength: 1,
    maxLength: 50,
    description: "draft, inbox, sentitems, recyclebin or templates.",
    examples: ["sentitems"],
  },
  names: "folder",
  otherwise: "FOLDER_NOT_FOUND",
} as const;

const maxCount = 1_000;
const defaultCount = 100;
const maxMoved = 100;

export const compatFolderRoutes: readonly Route[] = [
  defineCompatRoute({
    tag,
    scopes: ["sign:read"],
    operationId: "compatListFolders",
    method: "GET",
    path: "/folders",
    summary: "List the folders",
    description: "Every account has the same folders. You can't create your own.",
    success: {
      status: 200,
      description: "All folders.",
      schema: pageAnswer("folders", folderSchema),
    },
    errors: [],
    call: async (request, { sign }) => {
      const counts: number[] = [];
      for (const folder of folders) counts.push((await itemsOf(sign, folder, { limit: 1 }, onBehalfOf(request))).total);
      return counts;
    },
    respond: (counts) =>
      jsonReply(200, {
        ...pageOf({ start: 0, size: folders.length, total: folders.length }),
        folders: folders.map((folder, index) => folderTexts.write({ ...folder, count: counts[index] ?? 0 })),
      }),
  }),
  defineCompatRoute({
    tag,
    scopes: ["sign:read"],
    operationId: "compatListFolderItems",
    method: "GET",
    path: "/folders/{folderId}",
    summary: "List the items of a folder",
    texts: { folderId },
    query: compatQuery({
      start_position: "The index of the first item, from 0.",
      count: "1 to 1,000; 100 when absent.",
      search_text:
        "Searches the subject, the name, and the recipients' names and emails. If the organization searches in files, also finds files that contain all of its words.",
      from_date: "Created then or later.",
      to_date: "Created before.",
    }),
    success: {
      status: 200,
      description: "The folder with its items, newest first.",
      schema: pageAnswer("folders", {
        ...folderSchema,
        properties: {
          ...(folderSchema.properties as object),
          folderItems: listOf(textsAnswer(folderItem.examples, {}, folderItem.required)),
        },
      }),
    },
    errors: [],
    call: async (request, { sign }) => {
      const folder = findFolder(request.params.folderId);
      if (folder === undefined) throw new DomainError("FOLDER_NOT_FOUND");
      const wanted = readWith(request.query, readWanted);
      return { folder, start: wanted.offset, ...(await itemsOf(sign, folder, wanted, onBehalfOf(request))) };
    },
    respond: ({ folder, start, items, total }, { query }) =>
      jsonReply(200, {
        ...pageOf({
          start,
          size: items.length,
          total,
          uriFrom: (from) => pageUri(`/folders/${folder.folderId}`, query, { start: from, count: items.length }),
        }),
        folders: [
          {
            ...folderTexts.write({ ...folder, count: total }),
            folderItems: items.map((agreement) => folderItem.write({ agreement, folder })),
          },
        ],
      }),
  }),
  defineCompatRoute({
    tag,
    scopes: ["sign:admin"],
    operationId: "compatMoveToFolder",
    method: "PUT",
    path: "/folders/{folderId}",
    summary: "Delete envelopes and templates",
    description:
      "recyclebin deletes drafts and templates, and voids envelopes in process, which stay in sentitems. If one of them is already completed, declined or voided, nothing is moved. draft, sentitems and templates accept what they already contain, and nothing changes. Deleted items cannot be restored.",
    texts: { folderId: { ...folderId, schema: { ...folderId.schema, examples: [recycleBin] } } },
    body: jsonBody<object>({
      schema: looseBody({ envelopeIds: "1 to 100 ids of envelopes or templates.", fromFolderId: "Ignored." }),
      example: { envelopeIds: [sampleId] },
    }),
    success: {
      status: 200,
      description: "The result for each.",
      schema: pageAnswer("envelopes", textsAnswer(movedTexts.examples, {}, movedTexts.required)),
    },
    errors: ["ENVELOPE_NOT_FOUND", "ENVELOPE_CANNOT_BE_MODIFIED", "INVALID_ENVELOPE_STATUS", "LEGAL_HOLD"],
    call: (request, { sign }) => {
      const { folderId } = request.params;
      const ids = readWith(request.body, readIds);
      if (folderId.toLowerCase() !== recycleBin) return putBack(sign, folderId, ids, onBehalfOf(request));
      return recycle(sign, ids, request.observed, onBehalfOf(request));
    },
    respond: (moved) =>
      jsonReply(200, {
        ...pageOf({ start: 0, size: moved.length, total: moved.length }),
        envelopes: moved.map(movedTexts.write),
      }),
  }),
];

function readIds(body: Reader): string[] {
  const ids = [...new Set(body.texts("envelopeIds").map((id) => id.trim().toLowerCase()))];
  if (ids.length === 0) body.problem("envelopeIds", "REQUIRED", "must have at least one id");
  if (ids.length > maxMoved) body.problem("envelopeIds", "MAX_ITEMS", `must have at most ${maxMoved} ids`);
  return ids;
}

const readWanted = (query: Reader) => ({
  offset: query.integer("start_position", { min: 0, max: 1_000_000 }) ?? 0,
  limit: Math.min(query.integer("count", { min: 1 }) ?? defaultCount, maxCount),
  text: (query.text("search_text") ?? "").slice(0, 200),
  from: query.date("from_date"),
  to: query.date("to_date"),
});

type Wanted = Partial<ReturnType<typeof readWanted>>;

async function itemsOf(
  sign: Pick<Services["sign"], "listAgreements">,
  { templates, statuses }: Folder,
  { from, to, ...wanted }: Wanted,
  options: CallOptions,
) {
  if (statuses.length === 0) return { items: [], total: 0 };
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const list = { templates, statuses: templates ? [] : [...statuses], ...wanted, ...range };
  const dateField = from === undefined && to === undefined ? {} : { dateField: DateField.CREATED };
  const { agreements, total } = await sign.listAgreements({ ...list, ...dateField, withTotal: true }, options);
  return { items: agreements, total: Number(total ?? 0n) };
}
