import { isErrorCode } from "#platform/errors.ts";
import { genErrorName } from "../../../views/generation/error-facts.ts";
import { type DataMakers, textOrNull } from "./event-parts.ts";

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
export const generationData: DataMakers<"documentCompleted" | "documentFailed" | "batchCompleted"> = {
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
