import type { ServiceImpl } from "@connectrpc/connect";
import type pg from "pg";
import type { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { requireCaller } from "#platform/caller.ts";
import { withOrg } from "#platform/db/pool.ts";
import { DomainError } from "#platform/errors.ts";
import { isUuid } from "#platform/ids.ts";
import { readAftermath } from "../consent/read-aftermath.ts";
import type { AcceptanceEvidence } from "../domain/acceptance-evidence.ts";
import { parseJws } from "../domain/compact-jws.ts";
import { buildBundle } from "../domain/evidence-bundle.ts";
import { hashesOf } from "../domain/evidence-shown.ts";
import type { Receipt } from "../domain/receipt.ts";
import { renderTokenForm } from "../domain/render-claims.ts";
import type { ShownFacts } from "../domain/shown.ts";
import { parseTerms } from "../domain/terms.ts";
import type { StoredAcceptance } from "../store/acceptance-store.ts";
import { findText } from "../store/content-store.ts";
import { findPublicKey } from "../store/render-key-store.ts";
import { listSessionEvents } from "../store/session-event-store.ts";
import { findShown } from "../store/shown-store.ts";
import type { ClickDeps } from "./deps.ts";
import { type FoundSession, readSession } from "./read-session.ts";

export const getEvidenceBundle = ({
  pool,
  clock,
  newId,
  templateOffers,
}: Pick<ClickDeps, "pool" | "clock" | "newId" | "templateOffers">): Pick<
  ServiceImpl<typeof ClickService>,
  "getEvidenceBundle"
> => ({
  async getEvidenceBundle({ sessionId }, context) {
    const { orgId } = requireCaller(context);
    if (!isUuid(sessionId)) throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    const generatedAt = clock.now();
    const { found, text, showing, events, since } = await withOrg(pool, orgId, async (client) => {
      const session = await readSession(orgId, client, sessionId, generatedAt);
      const facts = session === undefined ? null : factsOf(session);
      const contents = await findShown(orgId, client, hashesOf(facts));
      const shownText = session && (await findText(orgId, client, session.view));
      const since = session && (await readAftermath(orgId, client, session));
      const events = session && (await listSessionEvents(orgId, client, session.view.id));
      const key = await readTokenKey(client, facts);
      return { found: session, text: shownText, showing: { facts, contents, key }, events, since };
    });
    if (found === undefined || events === undefined || since === undefined)
      throw new DomainError("CLICK_EVIDENCE_NOT_FOUND");
    if (text === undefined) throw new Error("the text of a session is not stored");
    const { terms, policyHash } = parseTerms(found.terms);
    const published = await templateOffers.published(orgId, found.view.templateId);
    const currentRevision = published.find(({ versionId }) => versionId === found.view.versionId)?.revision ?? null;
    const bundle = buildBundle({
      bundleId: newId(),
      generatedAt,
      session: found.view,
      reason: found.reason,
      sessionContext: found.context,
      receipts: found.acceptances.map(parseAcceptance),
      terms,
      policyHash,
      text,
      showing,
      events,
      aftermath: { ...since, currentRevision },
    });
    return { bundleJson: JSON.stringify(bundle) };
  },
});

/** What the last acceptance tells, or what the session itself does while there is none. */
function factsOf({ shown, acceptances }: FoundSession): ShownFacts | null {
  const last = acceptances.at(-1);
  const evidence = last && (JSON.parse(last.evidence) as AcceptanceEvidence);
  const facts = evidence === undefined ? shown : (evidence.shown ?? null);
  return facts && { ...facts, data: facts.data ?? shown?.data ?? null };
}

/** What the render token of an acceptance is to be verified with. */
async function readTokenKey(client: pg.ClientBase, facts: ShownFacts | null): Promise<object | null> {
  const jws = facts?.renderToken == null ? undefined : parseJws(facts.renderToken, renderTokenForm);
  const x = jws && (await findPublicKey(client, jws.kid));
  return jws === undefined || x === undefined ? null : { kty: "OKP", crv: "Ed25519", x, kid: jws.kid, alg: "EdDSA" };
}

const parseAcceptance = ({ receipt, evidence }: StoredAcceptance) => ({
  receipt: JSON.parse(receipt) as Receipt,
  evidence: JSON.parse(evidence) as AcceptanceEvidence,
});
