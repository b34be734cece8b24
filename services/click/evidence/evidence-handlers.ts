import type { JsonObject } from "@bufbuild/protobuf";
import type { VerifyReceiptRequest } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid, type OrgId } from "#platform/ids.ts";
import { findConsentReceipt, writeConsentReceipts } from "../consent/consent-receipts.ts";
import type { ClickDeps, ClickRpcs } from "../deps.ts";
import { noteOpening } from "../erasure/note-opening.ts";
import { invalid, problem } from "../problems.ts";
import { writeReceipts } from "../receipts/acceptance-receipts.ts";
import { collectEvidence } from "./collect-evidence.ts";
import { withholdPersonal } from "./evidence.ts";
import type { GivenReceipt } from "./evidence-receipt.ts";
import { makeArchive } from "./make-archive.ts";
import { verifyReceipt as verify } from "./verify-receipt.ts";
import { type EvidenceDeps, writeBundle } from "./write-bundle.ts";

type GetEvidenceBundleDeps = EvidenceDeps & Pick<ClickDeps, "clock" | "newId" | "tsaCertificates" | "evidencePrinter">;

export const getEvidenceBundle = (deps: GetEvidenceBundleDeps): ClickRpcs<"getEvidenceBundle"> => ({
  async getEvidenceBundle({ sessionId, undisclosed, archive, pdf }, context) {
    const caller = requireCaller(context);
    const { orgId } = caller;
    const request = { sessionId, openRestricted: false, generatedAt: deps.clock.now() };
    const evidence = isUuid(sessionId) ? await collectEvidence(deps, orgId, request) : undefined;
    if (evidence === undefined) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    const shown = undisclosed ? withholdPersonal(evidence) : evidence;
    const bundle = await writeBundle(deps, shown, { bundleId: deps.newId(), disclosed: !undisclosed });
    if (pdf) return { pdf: await deps.evidencePrinter.print(caller, shown, bundle) };
    return archive ? { archive: await makeArchive(deps, shown, bundle) } : { bundleJson: bundle.json };
  },
});

type GetReceiptDeps = Pick<ClickDeps, "pool" | "findAcceptance" | "vault" | "receiptKeys" | "issuer" | "content">;

export const getReceipt = (deps: GetReceiptDeps): ClickRpcs<"getReceipt"> => ({
  async getReceipt({ receiptId }, context) {
    const { orgId } = requireCaller(context);
    const receiptJson = isUuid(receiptId) ? await findReceipt(deps, orgId, receiptId) : undefined;
    if (receiptJson === undefined) throw new DomainError("CLICK_RECEIPT_NOT_FOUND");
    return { receiptJson };
  },
});

/** Finds the receipt of an acceptance, or of a consent change made without one. */
async function findReceipt(deps: GetReceiptDeps, orgId: OrgId, receiptId: string): Promise<string | undefined> {
  const acceptance = await deps.findAcceptance(orgId, receiptId);
  if (acceptance !== undefined) return (await writeReceipts(deps, [acceptance]))[0];
  const change = await withOrg(deps.pool, orgId, (tenant) => findConsentReceipt(tenant, receiptId));
  return change === undefined ? undefined : (await writeConsentReceipts(deps, orgId, [change]))[0];
}

type VerifyReceiptDeps = Pick<ClickDeps, "pool" | "vault" | "issuer" | "receiptKeys" | "logKeys" | "proofs" | "clock">;

export const verifyReceipt = (deps: VerifyReceiptDeps): ClickRpcs<"verifyReceipt"> => ({
  async verifyReceipt(request, context) {
    const { orgId } = requireCaller(context);
    const { disclosures } = request;
    const checks = await verify(deps, orgId, { ...givenReceipt(request), disclosures, now: deps.clock.now() });
    return { valid: checks.every(({ ok }) => ok), checks };
  },
});

function givenReceipt({ receiptJson, jws }: VerifyReceiptRequest): GivenReceipt {
  if (receiptJson.length > 0 === (jws !== "")) {
    throw invalid(problem("receipt", "ONE_OF", "either the receipt or its jws is required"));
  }
  return jws === "" ? { receipt: parseReceipt(receiptJson), jws: undefined } : { receipt: undefined, jws };
}

function parseReceipt(bytes: Uint8Array): JsonObject {
  const value = parseJson(bytes);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw invalid(problem("receipt", "TYPE", "must be a JSON object"));
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

export const openRestrictedEvidence = (deps: ClickDeps): ClickRpcs<"openRestrictedEvidence"> => ({
  async openRestrictedEvidence({ sessionId: name, reason }, context) {
    const caller = requireCaller(context);
    if (!isUuid(name)) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    if (reason.includes("\0")) throw invalid(problem("reason", "PATTERN", "must not have the character U+0000"));
    const sessionId = name.toLowerCase();
    const now = deps.clock.now();
    const openRestricted = await noteOpening(deps, caller, { sessionId, reason, now });
    const evidence = await collectEvidence(deps, caller.orgId, { sessionId, openRestricted, generatedAt: now });
    if (evidence === undefined) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    const bundle = await writeBundle(deps, evidence, { bundleId: deps.newId(), disclosed: true });
    return { bundleJson: bundle.json };
  },
});
