import type { Client } from "@connectrpc/connect";
import type { EvidenceAdminService } from "#gen/assent/click/v1/click_pb.ts";
import type { CommandOf } from "./values.ts";
import { requiredText } from "./values.ts";
import { signingKeyView } from "./views.ts";

export type EvidenceAdminClient = Client<typeof EvidenceAdminService>;

/** The keys that evidence is signed with. */
export const evidenceCommands: readonly CommandOf<EvidenceAdminClient>[] = [
  {
    name: "evidence-keys list",
    synopsis: "",
    options: {},
    prepare: () => async (admin) => ({ keys: (await admin.listSigningKeys({})).keys.map(signingKeyView) }),
  },
  {
    name: "evidence-keys rotate",
    synopsis: "--purpose P",
    options: { purpose: { type: "string" } },
    prepare(values) {
      const request = { purpose: requiredText(values, "purpose") };
      return async (admin) => signingKeyView((await admin.rotateSigningKey(request)).key);
    },
  },
  {
    name: "evidence-keys revoke",
    synopsis: "--kid K",
    options: { kid: { type: "string" } },
    prepare(values) {
      const request = { kid: requiredText(values, "kid") };
      return async (admin) => signingKeyView((await admin.revokeSigningKey(request)).key);
    },
  },
];
