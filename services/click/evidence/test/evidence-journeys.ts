import { SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { ContentFormat, TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import type { OrgId } from "#platform/ids.ts";
import { consentTemplate, decide } from "../../consent/test/consent-actions.ts";
import { renderActions } from "../../render/test/render-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness } from "../../test/harness.ts";

/** A session that there is evidence of. */
export interface Journey {
  readonly orgId: OrgId;
  readonly sessionId: string;
}

/** All that the sender of an acceptance can tell. */
export const everything = {
  typedName: "Ada Lovelace",
  metadata: { order: "order-4711" },
  action: "CHECKBOX_AND_BUTTON",
  presentation: {
    surface: "WEB",
    buttonText: "I agree",
    checkboxInitiallyChecked: false,
    scrolledToEnd: true,
    displayedMs: 4_000,
    documentsOpened: ["https://shop.example/prices"],
    viewport: { w: 390, h: 844 },
    screenshotHash: `sha256:${"0".repeat(64)}`,
    events: [{ type: "CHECKED", at: "2026-11-20T17:00:00Z", target: "#box" }, { type: "SCROLLED_TO_END" }],
  },
  context: {
    ip: "198.51.100.9",
    userAgent: "Firefox/1",
    pageUrl: "https://shop.example/",
    referrer: "https://search.example/",
    timezone: "Europe/Berlin",
    gpc: false,
  },
  verification: [
    { method: "CUSTOMER_SESSION", verifiedAt: "2026-11-20T16:00:00Z", reference: "login-99" },
    { method: "AGE_STATEMENT" },
  ],
};

const demanding = {
  requireCheckbox: true,
  requireScroll: true,
  requireView: true,
  requireTypedName: true,
  requireAuthenticatedUser: true,
  minAge: 18,
  verificationMethods: ["CUSTOMER_SESSION"],
};

const userRef = "ada@example.com";
const person = {
  userRef,
  context: { ip: "198.51.100.7", userAgent: "Safari/2", pageUrl: "https://shop.example/start" },
  metadata: { cart: "cart-88" },
  returnUrl: "https://shop.example/thanks",
};
const data = { fullName: "Ada Lovelace <b>", city: "Bonn am Rhein" };

/** What in a text tells about the person of these journeys. */
export const personalIn = (text: string): string[] => personalValues.filter((value) => text.includes(value));

/** None of them can stand in Base64 by chance. */
export const personalValues = [
  ...[userRef, '"key-', "Lovelace", "Bonn am Rhein", "198.51.100.", "Firefox/1", "Safari/2", "Europe/Berlin"],
  ...["shop.example", "search.example", "order-4711", "cart-88", "login-99", 'CUSTOMER_SESSION","verifiedAt'],
  ...["#box", "#LINK_OPENED", "too long", "checked out", "203.0.113.77", "backend/1.2.3", '"gpc"', "AGE_STATEMENT"],
];

/** One of each kind of evidence, by what it is about, with the service that `click` answers when it is needed. */
export function evidenceJourneys(click: () => ClickHarness): Readonly<Record<string, () => Promise<Journey>>> {
  const { addTemplate, create, accept, acceptTemplate: acceptDirect, complete } = clientActions(click);
  const { renderDeployment, renderSession } = renderActions(click);
  const acceptTemplate = (template: FakeTemplate, body: object) => acceptDirect(template, { userRef, ...body });
  const named = (template: FakeTemplate, sessionId: string): Journey => ({ orgId: orgOf(template), sessionId });
  const direct = async (template: FakeTemplate, body: object = everything): Promise<Journey> =>
    named(template, (await acceptTemplate(template, body)).receipt.sessionId);
  const generated = (): FakeTemplate => {
    const typeConfig = { variables: [{ key: "city" }] };
    const template = addTemplate({ type: TemplateType.GENERATED, versions: [], typeConfig });
    click().templates.addVersion(template, { content: "<p>{{fullName}} of {{city}}</p>" });
    return template;
  };
  const tell = async (template: FakeTemplate, sessionId: string, types: string[]): Promise<void> => {
    const events = types.map((type) => ({ type, target: `#${type}` }));
    await click().client.appendSessionEvents({ sessionId, events }, as(orgOf(template)));
  };
  return {
    "an acceptance without a session": () => direct(addTemplate({ policyFlags: demanding })),
    "an acceptance that tells nothing": () => direct(addTemplate(), {}),
    "an acceptance of what a deployment showed": async () => {
      const template = addTemplate({ versions: [], policyFlags: { requireRenderToken: true, minDisplaySeconds: 3 } });
      click().templates.addVersion(template, { content: "# Terms\n\nBe *kind*.", format: ContentFormat.MARKDOWN });
      const { renderToken } = await renderDeployment(click().templates.deploy(template));
      click().clock.advance(4);
      return direct(template, { ...everything, renderToken });
    },
    "a session that was rendered, accepted with its token, and completed": async () => {
      const shown = { requireRenderToken: true, minDisplaySeconds: 3, reacceptIntervalDays: 30 };
      const template = addTemplate({ policyFlags: { ...demanding, ...shown } });
      const deployment = click().templates.deploy(template);
      const session = await create(template, { ...person, deploymentId: deployment.id });
      const { renderToken } = await renderSession(template, session.id, { token: session.renderToken });
      await tell(template, session.id, ["DISPLAYED", "CHECKED", "LINK_OPENED", "SCROLLED_TO_END"]);
      click().clock.advance(4);
      await accept(template, { ...everything, sessionId: session.id, renderToken });
      await complete(template, session.id, { reason: "checked out" });
      return named(template, session.id);
    },
    "a session that showed what had changed since the person accepted": async () => {
      const template = addTemplate({ policyFlags: { showChanges: true } });
      await acceptTemplate(template, {});
      click().templates.revise(template, "<p>The terms of <em>today</em>.</p><ul><li>Be kind</li></ul>");
      const session = await create(template, person);
      const { renderToken } = await renderSession(template, session.id, { token: session.renderToken });
      await accept(template, { ...everything, sessionId: session.id, renderToken });
      return named(template, session.id);
    },
    "a session of a text with values that showed what had changed": async () => {
      const template = generated();
      template.policyFlags = { showChanges: true };
      await acceptTemplate(template, { data });
      click().templates.revise(template, "<p>{{fullName}} of {{city}}, for two years</p>");
      const session = await create(template, { ...person, data });
      await renderSession(template, session.id, { token: session.renderToken });
      await accept(template, { ...everything, sessionId: session.id });
      return named(template, session.id);
    },
    "a session that was accepted with the token it was created with": async () => {
      const template = addTemplate();
      const session = await create(template, person);
      await accept(template, { sessionId: session.id, renderToken: session.renderToken });
      return named(template, session.id);
    },
    "a session that was completed with its acceptance": async () => {
      const template = addTemplate();
      const { id } = await create(template, person);
      await complete(template, id, { acceptance: everything, reason: "checked out" });
      return named(template, id);
    },
    "a merged text without a session": () => direct(generated(), { ...everything, data }),
    "a merged text of a session": async () => {
      const template = generated();
      const session = await create(template, { ...person, data });
      await renderSession(template, session.id, { token: session.renderToken });
      await complete(template, session.id, { acceptance: everything });
      return named(template, session.id);
    },
    "a merged text that nobody has accepted": async () => {
      const template = generated();
      const session = await create(template, { ...person, data });
      await renderSession(template, session.id, { token: session.renderToken });
      return named(template, session.id);
    },
    "a consent": async () => {
      const purposes = ["news", { key: "ads", expiresAfterDays: 10 }, { key: "must", required: true }];
      const template = addTemplate(consentTemplate(purposes));
      const { id } = await create(template, { userRef, purposes: ["news", "must"] });
      const presentation = { surface: "WEB" };
      await accept(template, { sessionId: id, ...decide({ news: false, must: true }), presentation });
      return named(template, id);
    },
    "a decline of a session": async () => {
      const template = addTemplate({ policyFlags: { ...demanding, allowDecline: true } });
      const { id } = await create(template, person);
      await complete(template, id, { outcome: SessionOutcome.DECLINED, reason: "too long" });
      return named(template, id);
    },
    "a decline without a session": () =>
      direct(addTemplate({ policyFlags: { allowDecline: true } }), { ...everything, decision: "DECLINE" }),
    "a session that was completed without an acceptance": async () => {
      const template = addTemplate({ policyFlags: { allowDecline: true, recordDecline: false } });
      const { id } = await create(template, person);
      await complete(template, id, { outcome: SessionOutcome.DECLINED, reason: "too long" });
      return named(template, id);
    },
    "a session that was completed with nobody known": async () => {
      const template = addTemplate();
      const { id } = await create(template, {});
      await complete(template, id);
      return named(template, id);
    },
    "a session with two acceptances": async () => {
      const template = addTemplate({ policyFlags: { singleUseSession: false, requireScroll: true } });
      const { id, renderToken } = await create(template, { context: person.context });
      await accept(template, { ...everything, sessionId: id, userRef, renderToken });
      click().clock.advance(1);
      await accept(template, { sessionId: id, presentation: { scrolledToEnd: true } });
      await complete(template, id);
      return named(template, id);
    },
    "a session that is open": async () => {
      const template = addTemplate();
      return named(template, (await create(template, person)).id);
    },
    "a session that has expired": async () => {
      const template = addTemplate();
      const { id } = await create(template, { ...person, ttlSeconds: 60 });
      click().clock.advance(61);
      return named(template, id);
    },
  };
}
