import { createHash, randomBytes } from "node:crypto";
import { canonicalJson } from "#platform/canonical-json.ts";
import { checkDeclinePolicy, checkPolicy } from "../../../services/click/accept/policy-checks.ts";
import { checkVerification } from "../../../services/click/accept/verification.ts";
import { effectivePolicy } from "../../../services/click/terms/policy.ts";
import { type Installation, signJws } from "./installation.ts";
import {
  decided,
  deploymentOf,
  ids,
  iso,
  label,
  mergeData,
  observed,
  person,
  presentation,
  purposes,
  type Scenario,
  textOf,
  wordsOf,
} from "./scenario.ts";

/** A leaf of the log before it has a place in it. */
export interface FixtureLeaf {
  readonly recordId: string;
  readonly kind: string;
  readonly leaf: string;
  readonly disclosures: readonly string[];
}

export interface FixtureAcceptance extends FixtureLeaf {
  readonly acceptedAt: number;
  readonly checks: readonly object[];
  readonly renderToken: string;
  readonly leafMembers: Record<string, unknown>;
}

export const flagsOf = ({ type, decision, undisclosed }: Scenario) =>
  effectivePolicy(type, {
    ...(undisclosed === undefined ? {} : { esignDisclosure: true }),
    requireCheckbox: true,
    requireScroll: true,
    minDisplaySeconds: 5,
    requireRenderToken: true,
    requireTypedName: type !== "CONSENT",
    expectedName: "ada  lovelace",
    requireAuthenticatedUser: true,
    verificationMethods: ["CUSTOMER_SESSION", "TYPED_NAME"],
    singleUseSession: false,
    allowDecline: decision === "DECLINE",
    reacceptIntervalDays: 30,
  });

export const termsOf = (scenario: Scenario) => ({
  templateId: ids.template,
  slug: "terms",
  name: "Terms",
  type: scenario.type,
  counterparty: { legalName: "Example Ltd.", address: null, url: "https://shop.example" },
  typeConfig: scenario.type === "CONSENT" ? { purposes, jurisdiction: "EU" } : {},
  policy: flagsOf(scenario),
});

/** What all records of a session say. */
export const boundMembers = (installation: Installation, scenario: Scenario) => ({
  v: 1,
  iss: installation.issuer,
  org: installation.organizationId,
  tpl: ids.template,
  ver: ids.version,
  rev: 3,
  label: "2.1",
  locale: "en-GB",
  contentHash: label(textOf(scenario).content),
  termsHash: label(canonicalJson(termsOf(scenario))),
});

export const dayMs = 86_400_000;

export const sessionIdOf = ({ origin }: Scenario): string => (origin === "DIRECT" ? ids.receipts[0] : ids.session);

export function makeAcceptance(installation: Installation, scenario: Scenario, n: number): FixtureAcceptance {
  const { type, decision, start } = scenario;
  const receiptId = ids.receipts[n] ?? "";
  const acceptedAt = start + 30_123 + n * 60_000;
  const renderHash = label(textOf(scenario).rendered);
  const isGenerated = type === "GENERATED";
  const renderToken = makeRenderToken(installation, scenario);
  const { pageTitle, acceptLanguage, timezone, gpc, ...named } = person.claimed;
  const { digests, disclosures } = commit(scenario.undisclosed ?? 17, {
    userRef: person.userRef,
    idempotencyKey: `key-${n}`,
    ...named,
    context: { pageTitle, acceptLanguage, timezone, gpc },
    observed,
    verification: person.verification,
    typedName: person.typedName,
    metadata: person.metadata,
    ...(isGenerated ? { mergeData, renderHash } : {}),
    ...(type === "CONSENT" ? { consents: decided } : {}),
    presentation,
    renderToken,
  });
  const leafMembers = {
    ...boundMembers(installation, scenario),
    kind: decision === "ACCEPT" ? "click.acceptance" : "click.decline",
    rid: receiptId,
    sid: sessionIdOf(scenario),
    renderHash: isGenerated ? null : renderHash,
    wordsHash: label(canonicalJson(wordsOf(scenario).words)),
    deployment: ids.deployment,
    deploymentHash: label(canonicalJson(deploymentOf(scenario))),
    policyHash: label(canonicalJson(flagsOf(scenario))),
    act: "BUTTON",
    assertedBy: "BACKEND",
    acceptedAt: iso(acceptedAt),
    clientAcceptedAt: iso(acceptedAt - 900),
    renderedAt: iso(start + 1_000),
    expiresAt: null,
    reacceptBy: decision === "ACCEPT" ? iso(acceptedAt + 30 * dayMs) : null,
    superseded: false,
    _sd: digests,
    _sd_alg: "sha-256",
  };
  return {
    recordId: receiptId,
    kind: leafMembers.kind,
    leaf: canonicalJson(leafMembers),
    disclosures,
    acceptedAt,
    checks: checksOf(scenario, acceptedAt),
    renderToken,
    leafMembers,
  };
}

/** By the rules of the service itself. */
function checksOf(scenario: Scenario, acceptedAt: number): readonly object[] {
  const { type, origin, decision, start } = scenario;
  const policy = { ...flagsOf(scenario), esignDisclosure: false };
  const body = { presentation, typedName: person.typedName, purposes: type === "CONSENT" ? decided : [] };
  const facts = {
    type,
    policy,
    body,
    action: "BUTTON",
    isDirect: origin === "DIRECT",
    displayedSince: new Date(start + 1_000),
    page: origin === "DIRECT" ? null : { scrolledToEnd: true, linksOpened: 0, ticked: true },
    hasDisclosure: false,
    now: new Date(acceptedAt),
  };
  if (decision === "DECLINE") return checkDeclinePolicy(facts);
  return [...checkPolicy(facts), ...checkVerification(policy, person.verification, person.typedName)];
}

function makeRenderToken(installation: Installation, scenario: Scenario): string {
  const made = (scenario.start + 1_000) / 1000;
  const claims = {
    rnd: ids.render,
    org: installation.organizationId,
    cid: "cl_shop",
    ...(scenario.origin === "API" ? { sid: ids.session } : {}),
    dep: ids.deployment,
    dsh: label(canonicalJson(deploymentOf(scenario))),
    tpl: ids.template,
    ver: ids.version,
    rev: 3,
    locale: "en-GB",
    ch: label(textOf(scenario).content),
    rh: label(textOf(scenario).rendered),
    wh: label(canonicalJson(wordsOf(scenario).words)),
    iat: made,
    exp: made + 3600,
  };
  return signJws(installation.renderKey, "click-render+jws", JSON.stringify(claims));
}

/** RFC 9901: a digest for each value, and decoys up to the number of places. */
export function commit(places: number, values: Readonly<Record<string, unknown>>) {
  const disclosures = Object.entries(values).map(([name, value]) =>
    Buffer.from(JSON.stringify([randomBytes(16).toString("base64url"), name, value])).toString("base64url"),
  );
  const digests = disclosures.map((one) => createHash("sha256").update(one).digest("base64url"));
  while (digests.length < places) digests.push(randomBytes(32).toString("base64url"));
  return { digests: digests.sort(), disclosures };
}
