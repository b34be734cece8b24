import type { ServiceImpl } from "@connectrpc/connect";
import type { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { keyPurposes } from "../keys/key-schedule.ts";
import type { ClickDeps } from "./deps.ts";
import { signingKeyMessage } from "./signing-key-message.ts";

type Deps = Pick<ClickDeps, "renderKeys" | "receiptKeys" | "logKeys">;

export const rotateSigningKey = (deps: Deps): Pick<ServiceImpl<typeof EvidenceAdminService>, "rotateSigningKey"> => ({
  async rotateSigningKey(request) {
    const purpose = keyPurposes.find((one) => one === request.purpose);
    if (purpose === undefined) {
      throw new DomainError("NOT_FOUND", { message: `The purpose of a key is one of ${keyPurposes.join(", ")}.` });
    }
    const keys = deps[`${purpose}Keys`];
    const key = await keys.rotate();
    return { key: signingKeyMessage(await keys.all(), key, purpose) };
  },
});
