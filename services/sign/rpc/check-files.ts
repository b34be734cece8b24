import type { OrgId } from "#platform/ids.ts";
import type { CheckedFile, DocumentDefinition } from "../domain/definition.ts";
import type { SignDeps } from "./deps.ts";

/** Checks those of the documents that are files of the request; they must be numbered. */
export async function checkFiles(
  { intake }: Pick<SignDeps, "intake">,
  orgId: OrgId,
  documents: readonly DocumentDefinition[],
): Promise<readonly CheckedFile[]> {
  const files = documents.flatMap(({ documentId, name, source }) =>
    source.kind === "file" ? [{ documentId, name, fileExtension: source.fileExtension, content: source.content }] : [],
  );
  return files.length === 0 ? [] : intake.check(orgId, files);
}
