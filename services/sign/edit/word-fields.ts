import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { WordField, WordFieldSchema, WordFieldsOfDocument } from "#gen/assent/sign/v1/sign_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { DomainError, fromConnectError } from "#platform/errors.ts";
import type { OrgId } from "#platform/ids.ts";
import type { Agreement, AgreementDocument } from "../agreement/agreement.ts";
import { changeAgreement, type TargetId } from "../agreement/change-agreement.ts";
import { decisionContext, requireTarget, targetOf, waitingCaller, withTarget } from "../agreement/context.ts";
import { originalOf } from "../agreement/file-store.ts";
import { agreementMessage } from "../agreement/messages.ts";
import { invalid, problem, refuse, requireModifiable } from "../agreement/problems.ts";
import type { SignDeps, SignRpcs } from "../deps.ts";
import { rendererFailure } from "../intake/convert-document.ts";
import { bytesOfAddition } from "./documents.ts";
import { type DocumentAddition, putDocuments, requireDocument } from "./edit-documents.ts";
import { dataOf, fieldsOf } from "./word-schema.ts";

/** Fields of the Word files that documents were made of. The files stay, so that they can be filled again. */
export const wordFields = (deps: SignDeps): SignRpcs<"listWordFields" | "fillWordFields"> => ({
  async listWordFields(request, context) {
    const { orgId } = requireCaller(context);
    const target = targetOf(request.target);
    const found = [];
    for (const document of (await requireTarget(deps, orgId, target)).documents) {
      if (!isWord(document)) continue;
      const { schema, problems } = await readWord(deps, orgId, await readFile(deps, orgId, target, document));
      const fields = fieldsOf(schema);
      if (fields.length + problems.length > 0) found.push({ documentId: document.id, fields, problems });
    }
    return { documents: found };
  },

  async fillWordFields(request, context) {
    const caller = waitingCaller(context);
    const target = targetOf(request.target);
    await deps.organizations.of(caller.orgId);
    const draft = await requireTarget(deps, caller.orgId, target);
    requireModifiable(draft);
    const asked = documentsOf(draft, request.documents);
    const filled: Filled[] = [];
    for (const one of asked) filled.push(await fill(deps, caller.orgId, target, one));
    const decision = decisionContext(deps, caller, request.observed);
    const additions = filled.map(({ addition }) => addition);
    const agreement = await changeAgreement(
      deps,
      caller,
      target,
      (current) => {
        for (const { document } of asked) requireSameFile(current, document);
        return putDocuments(current, additions, decision);
      },
      new Map(additions.flatMap(bytesOfAddition)),
    );
    const documents = filled.map(({ addition, fields }) => ({ documentId: addition.id, fields }));
    return { agreement: agreementMessage(agreement, caller.orgId), documents };
  },
});

const isWord = ({ originalFormat }: AgreementDocument): boolean => originalFormat === "docx";

interface Asked {
  readonly document: AgreementDocument;
  readonly fields: readonly WordField[];
  readonly place: string;
}

function documentsOf(draft: Agreement, wanted: readonly WordFieldsOfDocument[]): readonly Asked[] {
  const asked = wanted.map(({ documentId, fields }, index) => {
    const place = `docGenFormFields[${index}]`;
    const document = requireDocument(draft, documentId);
    if (!isWord(document))
      throw invalid(problem(`${place}.documentId`, "NOT_ALLOWED", "is not of a Word file (.docx)"));
    return { document, fields, place };
  });
  const twice = asked.find(({ document }, index) => asked.findIndex((one) => one.document === document) !== index);
  if (twice !== undefined) throw invalid(problem(`${twice.place}.documentId`, "DUPLICATE", "is named twice"));
  return asked;
}

interface Filled {
  readonly addition: DocumentAddition;
  readonly fields: MessageInitShape<typeof WordFieldSchema>[];
}

async function fill(deps: SignDeps, orgId: OrgId, target: TargetId, asked: Asked): Promise<Filled> {
  const { document, fields, place } = asked;
  const { documentId, name, sentSha256 } = document;
  const file = await readFile(deps, orgId, target, document);
  const { schema, problems: findings } = await readWord(deps, orgId, file);
  refuse(findings.map(({ code, message }) => problem(`${place}.documentId`, code, `has a wrong tag: ${message}`)));
  const { data, problems } = dataOf(schema, fields, place);
  refuse(problems);
  const content = await filledFile(deps, orgId, { file, data, place });
  const [checked] = await deps.intake.check(orgId, [{ documentId, name, fileExtension: "docx", content }]);
  if (checked === undefined) throw new Error("a file was checked without a result");
  const kept = { ...checked, sentSha256: sentSha256 ?? checked.sentSha256, original: { format: "docx", bytes: file } };
  const values = new Map(fields.map((field) => [field.name, field]));
  return {
    addition: { id: deps.newId(), originalId: deps.newId(), file: kept },
    fields: fieldsOf(schema).map((field) => {
      const { value = "", rows = [] } = values.get(field.name ?? "") ?? {};
      return { ...field, value, rows };
    }),
  };
}

/** Throws ENVELOPE_CONFLICT for a document that was replaced by another file meanwhile, or removed. */
function requireSameFile({ documents }: Agreement, { documentId, sentSha256 }: AgreementDocument): void {
  const current = documents.find((document) => document.documentId === documentId);
  const isSame = current?.sentSha256 && sentSha256 && current.sentSha256.equals(sentSha256);
  if (!isSame) throw new DomainError("ENVELOPE_CONFLICT");
}

const readFile = (deps: SignDeps, orgId: OrgId, target: TargetId, document: AgreementDocument) =>
  withTarget(deps, orgId, target, async (agreement, tenant) => {
    const [file] = originalOf(document);
    if (file === undefined) throw new DomainError("DOCUMENT_NOT_FOUND");
    return deps.files.read(tenant, agreement.id, file);
  });

const timeoutMs = 20_000;
const asSign = (orgId: OrgId) => ({ headers: { "x-org-id": orgId, "x-client-id": "sign" }, timeoutMs });

async function readWord({ renderer }: SignDeps, orgId: OrgId, content: Uint8Array) {
  try {
    const { schemaJson, findings } = await renderer.readWord({ content }, asSign(orgId));
    const schema: JsonObject = schemaJson === "" ? {} : JSON.parse(schemaJson);
    return { schema, problems: findings.map(({ code, message }) => ({ code, message })) };
  } catch (error) {
    throw rendererFailure(error, "documents");
  }
}

interface Filling {
  readonly file: Uint8Array;
  readonly data: JsonObject;
  readonly place: string;
}

async function filledFile(deps: SignDeps, orgId: OrgId, { file, data, place }: Filling): Promise<Uint8Array> {
  const createdAt = timestampFromDate(deps.clock.now());
  try {
    const request = { content: file, dataJson: JSON.stringify(data), createdAt };
    return (await deps.renderer.fillWord(request, asSign(orgId))).content;
  } catch (error) {
    const known = fromConnectError(error);
    if (known?.code !== "GEN_INVALID_DATA" && known?.code !== "GEN_TEMPLATE_ERROR") throw rendererFailure(error, place);
    throw invalid(problem(place, "VALUE", `has a value that does not fit: ${known.message}`));
  }
}
