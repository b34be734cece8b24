import type { ServiceImpl } from "@connectrpc/connect";
import type { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { keyPurposes } from "../keys/key-schedule.ts";
import type { ClickDeps } from "./deps.ts";
import { signingKeyMessage } from "./signing-key-message.ts";

type Deps = Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys">;

export const revokeSigningKey = (deps: Deps): Pick<ServiceImpl<typeof EvidenceAdminService>, "revokeSigningKey"> => ({
  async revokeSigningKey({ kid }) {
    for (const purpose of keyPurposes) {
      const keys = deps[`${purpose}Keys`];
      const key = await keys.revoke(kid);
      if (key !== undefined) return { key: signingKeyMessage(await keys.all(), key, purpose) };
    }
    throw new DomainError("NOT_FOUND", { message: "There is no signing key with this kid." });
  },
});
