import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { verifierKey } from "#platform/transparency/signed-note.ts";

export const logName = "assent.localhost/click/log";

/** A key of each purpose, and one of receipts that was replaced and revoked. */
export function createFakeEvidenceKeys() {
  const made = { old: makeKey(), receipt: makeKey(), render: makeKey(), log: makeKey() };
  const at = (iso: string) => timestampFromDate(new Date(iso));
  const keys = [
    { ...made.render.published, purpose: "render", notBefore: at("2026-11-19T23:00:00Z") },
    {
      ...made.old.published,
      purpose: "receipt",
      notBefore: at("2026-01-01T00:00:00Z"),
      notAfter: at("2026-11-20T01:00:00.500Z"),
      revokedAt: at("2026-11-20T00:01:00.123Z"),
    },
    { ...made.receipt.published, purpose: "receipt", notBefore: at("2026-11-19T23:00:00Z") },
    { ...made.log.published, purpose: "log", notBefore: at("2026-11-19T23:00:00Z") },
  ];
  const state = { calls: 0, isDown: false };
  const handlers = {
    listEvidenceKeys: () => {
      state.calls += 1;
      if (state.isDown) throw new DomainError("SERVICE_UNAVAILABLE");
      const verifierKeys = [verifierKey(`${logName}/anchor`, made.log.published.publicKey)];
      return { keys, verifierKeys, logName, tsaCertificates: ["-----BEGIN CERTIFICATE-----\n"], highestEpoch: 1 };
    },
  } satisfies Partial<ServiceImpl<typeof ClickService>>;
  return { handlers, state, made };
}

interface MadeKey {
  readonly privateKey: KeyObject;
  readonly published: { readonly kid: string; readonly publicKey: Buffer };
}

function makeKey(): MadeKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  const kid = createHash("sha256")
    .update(JSON.stringify({ crv: "Ed25519", kty: "OKP", x }))
    .digest("base64url");
  return { privateKey, published: { kid, publicKey: Buffer.from(x, "base64url") } };
}
