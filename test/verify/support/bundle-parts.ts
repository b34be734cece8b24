import { canonicalJson } from "#platform/canonical-json.ts";
import { dayMs, type FixtureAcceptance, flagsOf, sessionIdOf } from "./acceptance.ts";
import type { Bundle } from "./bundle.ts";
import { type Installation, logOrigin } from "./installation.ts";
import type { RecordPart } from "./log-parts.ts";
import {
  decided,
  deploymentOf,
  ids,
  iso,
  label,
  mergeData,
  observed,
  person,
  picture,
  presentation,
  type Scenario,
  textOf,
  wordsOf,
} from "./scenario.ts";

export const outcomeOf = ({ acceptances, decision }: Scenario): string =>
  acceptances === 0 ? "NONE" : decision === "ACCEPT" ? "ACCEPTED" : "DECLINED";

export function sessionOf(
  installation: Installation,
  scenario: Scenario,
  acceptances: readonly FixtureAcceptance[],
  renderHash: string | null,
): Bundle {
  const { start, origin, type, isCompleted, visibility } = scenario;
  const isShown = visibility === "all";
  return {
    id: sessionIdOf(scenario),
    organizationId: installation.organizationId,
    templateId: ids.template,
    templateSlug: "terms",
    templateType: type,
    versionId: ids.version,
    revision: 3,
    label: "2.1",
    locale: "en-GB",
    contentHash: label(textOf(scenario).content),
    userRef: isShown ? person.userRef : null,
    status: isCompleted || origin === "DIRECT" ? "COMPLETED" : "ACCEPTED",
    outcome: isCompleted || origin === "DIRECT" ? outcomeOf(scenario) : null,
    origin,
    policy: flagsOf(scenario),
    receiptIds: acceptances.map(({ recordId }) => recordId),
    metadata: isShown ? (origin === "DIRECT" ? person.metadata : { cart: "88" }) : {},
    returnUrl: null,
    deploymentId: ids.deployment,
    renderHash,
    data: null,
    createdAt: iso(origin === "DIRECT" ? (acceptances[0]?.acceptedAt ?? start) : start),
    presentedAt: origin === "DIRECT" ? null : iso(start + 1_000),
    completedAt: isCompleted ? iso(start + 15 * 60_000) : null,
  };
}

export function receiptOf(
  installation: Installation,
  scenario: Scenario,
  one: FixtureAcceptance,
  record: RecordPart,
): Bundle {
  const isShown = scenario.visibility === "all";
  const { acceptedAt } = one;
  const { leafMembers: leaf } = one;
  return {
    receiptId: one.recordId,
    status: "RECORDED",
    decision: scenario.decision,
    organizationId: installation.organizationId,
    sessionId: leaf.sid,
    userRef: isShown ? person.userRef : null,
    templateId: ids.template,
    templateSlug: "terms",
    templateName: "Terms",
    templateType: scenario.type,
    versionId: ids.version,
    revision: 3,
    versionLabel: "2.1",
    locale: "en-GB",
    contentHash: leaf.contentHash,
    renderHash: isShown || leaf.renderHash !== null ? label(textOf(scenario).rendered) : null,
    deploymentId: ids.deployment,
    action: "BUTTON",
    assertedBy: "BACKEND",
    purposes: isShown && scenario.type === "CONSENT" ? decided : [],
    acceptedAt: iso(acceptedAt),
    clientAcceptedAt: iso(acceptedAt - 900),
    expiresAt: null,
    reacceptBy: scenario.decision === "ACCEPT" ? iso(acceptedAt + 30 * dayMs) : null,
    superseded: false,
    verification: isShown ? [{ method: "CUSTOMER_SESSION", verifiedAt: person.verification[0]?.verifiedAt }] : [],
    policy: { hash: leaf.policyHash, satisfied: true },
    idempotencyKey: isShown ? `key-${ids.receipts.indexOf(one.recordId as never)}` : null,
    evidenceUrl: `/v1/click/evidence/${leaf.sid}`,
    erased: scenario.visibility === "erased",
    restricted: scenario.visibility === "restricted",
    log: {
      logId: installation.organizationId,
      origin: logOrigin(installation) + scenario.epochs.records,
      leafIndex: (record.log as Bundle).leafIndex,
      leafHash: record.leafHash,
      integrateBy: iso(acceptedAt + 60_000),
    },
    signature: { alg: "EdDSA", kid: installation.receiptKey.jwk.kid, jws: record.receiptJws },
  };
}

const heldPicture = { hash: label(picture), contentType: "image/png", content: picture.toString("base64") };

export function presentationOf(scenario: Scenario, main: FixtureAcceptance | undefined): Bundle {
  const { visibility, start } = scenario;
  const { screenshotHash, ...sent } = presentation;
  const { words, changes } = wordsOf(scenario);
  const isShown = visibility === "all" && main !== undefined;
  return {
    deployment: main === undefined ? null : deploymentOf(scenario),
    deploymentHash: main === undefined ? null : label(canonicalJson(deploymentOf(scenario))),
    ...(scenario.screenshot === "HELD" ? { deploymentScreenshot: heldPicture } : {}),
    renderedAt: main === undefined ? null : iso(start + 1_000),
    rendering: main === undefined ? null : { words, renderToken: isShown ? main.renderToken : null },
    changes: main === undefined ? null : changes,
    surface: null,
    documentsOpened: [],
    checkboxText: null,
    ...(isShown ? { ...sent, screenshot: { hash: screenshotHash, url: null } } : { screenshot: null, events: [] }),
  };
}

export const earlierOf = (scenario: Scenario, one: FixtureAcceptance): Bundle =>
  scenario.visibility === "all"
    ? {
        receiptId: one.recordId,
        presentation,
        claimed: person.claimed,
        observed,
        verification: person.verification,
        typedName: person.typedName,
        metadata: person.metadata,
        checks: one.checks,
        shown: {
          renderId: ids.render,
          renderedAt: one.leafMembers.renderedAt,
          renderHash: label(textOf(scenario).rendered),
          wordsHash: one.leafMembers.wordsHash,
          renderToken: one.renderToken,
          deploymentId: one.leafMembers.deployment,
          deploymentHash: one.leafMembers.deploymentHash,
          data: scenario.type === "GENERATED" ? mergeData : null,
        },
      }
    : { receiptId: one.recordId };

export function timelineOf(scenario: Scenario, acceptances: readonly FixtureAcceptance[]): Bundle[] {
  const { origin, visibility, start, isCompleted } = scenario;
  const isShown = visibility === "all";
  const entry = (at: number, type: string, actor: string, detail: string | null = null) => ({
    at: iso(at),
    serverAt: iso(at),
    type,
    actor,
    detail,
  });
  const onPage = origin === "API" && isShown ? ["DISPLAYED", "SCROLLED_TO_END", "CHECKED"] : [];
  return [
    ...(origin === "API" ? [entry(start, "SESSION_CREATED", "BACKEND")] : []),
    ...onPage.map((type, n) => entry(start + 2_000 + n, type, "USER")),
    ...acceptances.flatMap(({ acceptedAt, recordId }) => [
      ...(isShown ? presentation.events.map(({ type }) => entry(acceptedAt, type, "USER")) : []),
      entry(acceptedAt, "ACCEPTED", "USER", recordId),
    ]),
    ...(isCompleted
      ? [entry(start + 15 * 60_000, "SESSION_COMPLETED", "BACKEND", isShown ? "checked out" : outcomeOf(scenario))]
      : []),
  ];
}
