import { DomainError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import type { FakeSignCore, SignHandlers } from "./fake-sign.ts";
import { at } from "./sample-agreement.ts";

/** Files that come in parts, of which the fake keeps the lengths of the parts. */
export function createFakeSignUploads({ enter }: FakeSignCore): SignHandlers {
  const known = new Map<string, { readonly orgId: string; readonly parts: Map<number, number>; committed: boolean }>();
  const find = (id: string, orgId: string) => {
    const upload = known.get(id.toLowerCase());
    if (upload?.orgId !== orgId) throw new DomainError("UPLOAD_NOT_FOUND");
    return upload;
  };
  const answer = (id: string) => {
    const { parts = new Map<number, number>(), committed = false } = known.get(id.toLowerCase()) ?? {};
    const sizes = [...parts].map(([sequence, bytes]) => ({ sequence, bytes }));
    const bytes = BigInt(sizes.reduce((sum, part) => sum + part.bytes, 0));
    const sha256 = committed ? new Uint8Array(32) : new Uint8Array();
    return { upload: { id: id.toLowerCase(), parts: sizes, bytes, committed, expiresAt: at(1), sha256 } };
  };
  return {
    createUpload: (request, context) => {
      const { orgId } = enter(context, "createUpload", request);
      const id = newId();
      known.set(id, { orgId, parts: new Map([[0, request.content.length]]), committed: false });
      return answer(id);
    },
    putUploadPart: (request, context) => {
      const { orgId } = enter(context, "putUploadPart", request);
      find(request.uploadId, orgId).parts.set(request.sequence, request.content.length);
      return answer(request.uploadId);
    },
    commitUpload: (request, context) => {
      find(request.uploadId, enter(context, "commitUpload", request).orgId).committed = true;
      return answer(request.uploadId);
    },
    getUpload: (request, context) => {
      find(request.uploadId, enter(context, "getUpload", request).orgId);
      return answer(request.uploadId);
    },
    // It stays, for operations that come after.
    deleteUpload: (request, context) => {
      find(request.uploadId, enter(context, "deleteUpload", request).orgId);
      return answer(request.uploadId);
    },
  };
}
