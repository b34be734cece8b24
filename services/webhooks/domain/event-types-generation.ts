import type { EventTypeInfo } from "./event-type.ts";

const documentId = "0198f3a1-7c00-7000-8000-000000000050";
const templateId = "0198f3a1-7c00-7000-8000-000000000051";
const batchId = "0198f3a1-7c00-7000-8000-000000000052";

export const generationEvents: readonly EventTypeInfo[] = [
  {
    type: "document.completed",
    subject: "assent.docgen.document.completed",
    description: "A document was generated and can be fetched.",
    example: {
      document: {
        id: documentId,
        templateId,
        version: 3,
        batchId: null,
        pages: 4,
        bytes: 37_920,
        sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        contentUrl: `/v1/gen/documents/${documentId}/content`,
      },
    },
  },
  {
    type: "document.failed",
    subject: "assent.docgen.document.failed",
    description: "A document could not be generated.",
    example: {
      document: { id: documentId, templateId, version: 3, batchId, error: { code: "render_failed" } },
    },
  },
  {
    type: "batch.completed",
    subject: "assent.docgen.batch.completed",
    description: "Every item of a batch has ended: was completed, has failed, or was cancelled.",
    example: {
      batch: {
        id: batchId,
        status: "completed_with_errors",
        counts: { total: 100, completed: 98, failed: 2, cancelled: 0 },
      },
    },
  },
];
