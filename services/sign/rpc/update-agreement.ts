import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService, UpdateAgreementRequest } from "#gen/assent/sign/v1/sign_pb.ts";
import type { Caller } from "#platform/caller.ts";
import type { AgreementDocument } from "../domain/agreement.ts";
import type { Definition } from "../domain/definition.ts";
import { documentLimitProblems } from "../domain/edit-documents.ts";
import { requireModifiable } from "../domain/modifiable.ts";
import { bytesOf, newDocuments, numberDocuments } from "../domain/new-documents.ts";
import { refuse } from "../domain/problems.ts";
import { requireUnmodified } from "../domain/unmodified.ts";
import { updateAgreement as decideUpdate } from "../domain/update-agreement.ts";
import { changeAgreement, type NewBytes, type TargetId } from "../store/change-agreement.ts";
import { checkFiles } from "./check-files.ts";
import { decisionContext, targetOf, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { parseDefinition } from "./input.ts";
import { agreementMessage } from "./messages.ts";
import { requireTarget } from "./require-target.ts";

export const updateAgreement = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "updateAgreement"> => ({
  async updateAgreement(request, context) {
    const caller = waitingCaller(context);
    const target = targetOf(request.target);
    await deps.organizations.of(caller.orgId);
    const replacement = await prepareReplacement(deps, caller, target, request);
    const decision = decisionContext(deps, caller, request.observed);
    const { replaceRecipients, replaceCustomFields } = request;
    const decide = (current: Parameters<typeof decideUpdate>[0]) => {
      // The state is looked at before anything that the request says.
      requireModifiable(current);
      if (request.ifModifiedAt) requireUnmodified(current, timestampDate(request.ifModifiedAt));
      const changes = parseDefinition(request.changes);
      return decideUpdate(current, { changes, replaceRecipients, replaceCustomFields, ...replacement.given }, decision);
    };
    const agreement = await changeAgreement(deps, caller, target, decide, replacement.bytes);
    return { agreement: agreementMessage(agreement, caller.orgId) };
  },
});

interface Replacement {
  readonly given: { readonly documents?: readonly AgreementDocument[] };
  readonly bytes: NewBytes;
}

/** The documents that take the place of all there are. They are checked before anything is locked. */
async function prepareReplacement(
  deps: SignDeps,
  { orgId }: Caller,
  target: TargetId,
  request: UpdateAgreementRequest,
): Promise<Replacement> {
  if (!request.replaceDocuments) return { given: {}, bytes: new Map() };
  requireModifiable(await requireTarget(deps, orgId, target));
  const definition: Definition = parseDefinition(request.changes);
  const numbered = numberDocuments(definition.documents);
  refuse(documentLimitProblems(numbered.map((one) => ({ bytes: sizeOf(one) }))));
  const checked = await checkFiles(deps, orgId, numbered);
  const documents = newDocuments(numbered, checked, deps);
  return { given: { documents }, bytes: bytesOf(documents, checked) };
}

const sizeOf = ({ source }: Definition["documents"][number]): number =>
  source.kind === "file" && typeof source.content !== "string" ? source.content.byteLength : 0;
