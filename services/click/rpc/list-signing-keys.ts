import type { ServiceImpl } from "@connectrpc/connect";
import type { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import { keyPurposes } from "../keys/key-schedule.ts";
import type { ClickDeps } from "./deps.ts";
import { signingKeyMessage } from "./signing-key-message.ts";

type Deps = Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys">;

export const listSigningKeys = (deps: Deps): Pick<ServiceImpl<typeof EvidenceAdminService>, "listSigningKeys"> => ({
  async listSigningKeys() {
    const listed = await Promise.all(
      keyPurposes.map(async (purpose) => {
        const keys = await deps[`${purpose}Keys`].all();
        return keys.map((key) => signingKeyMessage(keys, key, purpose));
      }),
    );
    return { keys: listed.flat() };
  },
});
