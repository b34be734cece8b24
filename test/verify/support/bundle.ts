import { canonicalJson, sha256Label } from "#platform/canonical-json.ts";
import {
  boundMembers,
  commit,
  type FixtureAcceptance,
  type FixtureLeaf,
  makeAcceptance,
  sessionIdOf,
  termsOf,
} from "./acceptance.ts";
import { earlierOf, outcomeOf, presentationOf, receiptOf, sessionOf, timelineOf } from "./bundle-parts.ts";
import { type Installation, keyFile, signJws } from "./installation.ts";
import { logParts, type RecordPart } from "./log-parts.ts";
import {
  ids,
  iso,
  label,
  mergeData,
  observed,
  pdf,
  person,
  type Scenario,
  sessionContext,
  textOf,
} from "./scenario.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests reach into every part of a bundle
export type Bundle = Record<string, any>;

/** A genuine bundle, as the service would hand it out. */
export function makeBundle(installation: Installation, scenario: Scenario): Bundle {
  const acceptances = Array.from({ length: scenario.acceptances }, (_, n) => makeAcceptance(installation, scenario, n));
  const completedAt = scenario.start + 15 * 60_000;
  const completion = scenario.isCompleted ? [makeCompletion(installation, scenario, completedAt)] : [];
  const leaves = [
    ...acceptances.map((one) => ({ ...visible(scenario, one), madeAt: one.acceptedAt })),
    ...completion.map((one) => ({ ...visible(scenario, one), madeAt: completedAt })),
  ];
  const { records, anchor } = logParts(installation, scenario, leaves);
  const main = records[acceptances.length - 1] ?? records.at(-1);
  const { keys, logKeys } = keyFile(installation);
  const bundle = {
    bundleVersion: 1,
    bundleId: ids.bundle,
    generatedAt: iso(scenario.generatedAt),
    organizationId: installation.organizationId,
    sessionId: sessionIdOf(scenario),
    disclosed: scenario.visibility !== "none",
    ...describe(installation, scenario, acceptances, records),
    integrity: {
      contentHash: label(textOf(scenario).content),
      leafData: main?.leafData ?? null,
      leafHash: main?.leafHash ?? null,
      receiptJws: main?.receiptJws ?? null,
      disclosures: main?.disclosures ?? [],
      log: main?.log ?? null,
      anchor,
      records,
      keys,
      logKeys,
    },
    statement: { process: "…", assertedBy: "BACKEND", limitations: [] },
  };
  return sign(installation, bundle);
}

/** Signs a bundle, again if it was signed before. */
export function sign(installation: Installation, bundle: Bundle): Bundle {
  const { bundleSignature: _, ...others } = bundle;
  const payload = {
    bundleId: others.bundleId,
    iss: installation.issuer,
    org: others.organizationId,
    generatedAt: others.generatedAt,
    digest: sha256Label(canonicalJson(others)),
  };
  const jws = signJws(installation.receiptKey, "click-evidence+jws", JSON.stringify(payload));
  return { ...others, bundleSignature: { alg: "EdDSA", kid: installation.receiptKey.jwk.kid, jws } };
}

const visible = <L extends FixtureLeaf>({ visibility }: Scenario, leaf: L): L =>
  visibility === "all" ? leaf : { ...leaf, disclosures: [] };

function makeCompletion(installation: Installation, scenario: Scenario, completedAt: number): FixtureLeaf {
  const { digests, disclosures } = commit(4, {
    userRef: person.userRef,
    reason: "checked out",
    metadata: { cart: "88" },
    context: sessionContext,
  });
  const leaf = {
    ...boundMembers(installation, scenario),
    kind: "click.session.completed",
    sid: ids.session,
    outcome: outcomeOf(scenario),
    createdAt: iso(scenario.start),
    completedAt: iso(completedAt),
    receipts: ids.receipts.slice(0, scenario.acceptances),
    _sd: digests,
    _sd_alg: "sha-256",
  };
  return { recordId: ids.session, kind: leaf.kind, leaf: canonicalJson(leaf), disclosures };
}

/** Everything but what proves it. */
function describe(
  installation: Installation,
  scenario: Scenario,
  acceptances: readonly FixtureAcceptance[],
  records: readonly RecordPart[],
): Bundle {
  const isShown = scenario.visibility === "all";
  const main = acceptances.at(-1);
  const { policy, templateId, ...template } = termsOf(scenario);
  const isGenerated = scenario.type === "GENERATED";
  const renderHash = main === undefined || (isGenerated && !isShown) ? null : label(textOf(scenario).rendered);
  return {
    session: sessionOf(installation, scenario, acceptances, renderHash),
    receipts: acceptances.map((one, n) => receiptOf(installation, scenario, one, records[n] as RecordPart)),
    subject: {
      userRef: isShown ? person.userRef : null,
      verification: isShown && main !== undefined ? person.verification : [],
      typedName: isShown && main !== undefined ? person.typedName : null,
      erased: scenario.visibility === "erased",
    },
    agreement: {
      template: { id: templateId, ...template },
      version: { id: ids.version, locale: "en-GB", revision: 3, label: "2.1", title: "Terms", texts: {} },
      content: textOf(scenario).content,
      contentType: scenario.pdf ? "application/vnd.assent.pdf-text+json" : "text/html; charset=utf-8",
      ...(scenario.pdf
        ? { pdf: { hash: label(pdf), size: pdf.length, pages: 2, content: pdf.toString("base64") } }
        : {}),
      contentHash: label(textOf(scenario).content),
      rendered: renderHash === null ? null : textOf(scenario).rendered,
      renderHash,
      data: isGenerated && isShown ? mergeData : null,
      linkedDocuments: [],
    },
    presentation: presentationOf(scenario, main),
    policy: { flags: policy, hash: label(canonicalJson(policy)), checks: isShown ? (main?.checks ?? []) : [] },
    context: {
      claimed: isShown && main !== undefined ? person.claimed : null,
      observed: isShown && main !== undefined ? observed : null,
      metadata: isShown && main !== undefined ? person.metadata : {},
      session: isShown && scenario.origin === "API" ? sessionContext : null,
    },
    earlier: acceptances.slice(0, -1).map((one) => earlierOf(scenario, one)),
    timeline: timelineOf(scenario, acceptances),
    consents: [],
    delivery: [],
    after: { withdrawals: [], laterAcceptances: [], currentRevision: 3 },
  };
}
