import type { ServiceImpl } from "@connectrpc/connect";
import type { SignService } from "#gen/assent/sign/v1/sign_pb.ts";
import { type DocumentAddition, putDocuments as decidePut } from "../domain/edit-documents.ts";
import { requireModifiable } from "../domain/modifiable.ts";
import { changeAgreement } from "../store/change-agreement.ts";
import { checkFiles } from "./check-files.ts";
import { decisionContext, targetOf, waitingCaller } from "./context.ts";
import type { SignDeps } from "./deps.ts";
import { parseDocument } from "./input.ts";
import { agreementMessage } from "./messages.ts";
import { requireTarget } from "./require-target.ts";

export const putDocuments = (deps: SignDeps): Pick<ServiceImpl<typeof SignService>, "putDocuments"> => ({
  async putDocuments(request, context) {
    const caller = waitingCaller(context);
    const target = targetOf(request.target);
    await deps.organizations.of(caller.orgId);
    requireModifiable(await requireTarget(deps, caller.orgId, target));
    // Files are checked before anything is locked: that takes its time.
    const checked = await checkFiles(deps, caller.orgId, request.documents.map(parseDocument));
    const additions = checked.map(
      (file, index): DocumentAddition => ({ id: deps.newId(), file, order: request.documents[index]?.order }),
    );
    const decision = decisionContext(deps, caller, request.observed);
    const bytes = new Map(additions.map(({ id, file }) => [id, file.bytes]));
    const agreement = await changeAgreement(
      deps,
      caller,
      target,
      (current) => decidePut(current, additions, decision),
      bytes,
    );
    const documentIdOf = new Map(agreement.documents.map(({ id, documentId }) => [id, documentId]));
    return {
      agreement: agreementMessage(agreement, caller.orgId),
      documentIds: additions.map(({ id }) => documentIdOf.get(id) ?? ""),
    };
  },
});
