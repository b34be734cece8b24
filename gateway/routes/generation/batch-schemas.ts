import type { JsonObject } from "@bufbuild/protobuf";
import {
  answer,
  count,
  dateTime,
  described,
  example,
  listOf,
  object,
  oneOf,
  orNull,
  text,
  uuid,
} from "../schema-parts.ts";
import {
  type DefaultsBody,
  data,
  defaultsParts,
  documentStatus,
  type TemplateChoiceBody,
  templateChoiceParts,
} from "./document-schemas.ts";
import { failure, pageCount, sha256, warning } from "./schema-parts.ts";

export interface BatchItemBody extends DefaultsBody, TemplateChoiceBody {
  readonly ref?: string;
  readonly data?: JsonObject;
}

export interface BatchBody extends TemplateChoiceBody {
  readonly defaults?: DefaultsBody;
  readonly items: readonly BatchItemBody[];
}

const ref = example(text(1, 255, "Your name for the item."), "row-1");

export const createBatchSchema = object(
  {
    ...templateChoiceParts,
    defaults: described(object(defaultsParts, []), "What holds for items that do not say otherwise."),
    items: {
      type: "array",
      minItems: 1,
      maxItems: 500,
      items: object({ ref, ...templateChoiceParts, data, ...defaultsParts }, []),
      description: "An item without a template of its own is made from that of the batch.",
    },
  },
  ["items"],
);

export const batchExample = {
  templateId: "01961234-5678-7abc-8def-0123456789ab",
  version: 3,
  defaults: { locale: "en" },
  items: [
    { ref: "row-1", data: { number: "17", customer: { name: "Example AG" } } },
    { ref: "row-2", data: { number: "18", customer: { name: "Sample Ltd" } } },
  ],
};

export const batchState = oneOf("queued", "running", "completed", "completed_with_errors", "cancelled");

export const batchSchema = answer({
  id: uuid,
  status: described({ ...batchState, examples: ["running"] }, "It has ended when it is none of queued and running."),
  counts: answer({
    total: example(count, 2),
    queued: example(described(count, "Those that are being rendered included."), 1),
    completed: example(count, 1),
    failed: example(count, 0),
    cancelled: example(count, 0),
  }),
  createdAt: dateTime,
  completedAt: orNull(dateTime),
});

export const batchItemSchema = answer({
  index: described(example(count, 1), "Its place in the request, from 0."),
  ref: orNull(ref),
  status: { ...documentStatus, examples: ["failed"] },
  documentId: { ...orNull(uuid), description: "The document, which can be read and deleted like any other." },
  pages: example(pageCount, 0),
  bytes: example(count, 0),
  sha256: { ...orNull(sha256), examples: [null] },
  contentUrl: example(
    { type: ["string", "null"], description: "Where the bytes are; null while there are none." },
    null,
  ),
  warnings: { ...listOf(warning), examples: [[]] },
  error: failure,
});

export const itemState = oneOf("queued", "rendering", "completed", "failed", "cancelled", "expired");

/** What the archive of a batch says about itself. */
export const manifestNote =
  "A ZIP with the documents that are done, and `manifest.json`: every item with its status, its file, the SHA-256 of it and its error. While the batch runs, it has what is done by then.";
