import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { evidenceActions, failuresOf } from "../../evidence/test/evidence-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, newOrg, rows, startClick } from "../../test/harness.ts";
import { renderActions } from "./render-actions.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, get, accept } = clientActions(() => click);
const { render, renderSession, renderTemplate } = renderActions(() => click);
const { bundleOf, integrate, verify } = evidenceActions(() => click);

const presentedEvents = (sessionId: string) =>
  rows(click, "select from click.outbox where subject = 'assent.click.session.presented' and data like $1", [
    `%${sessionId}%`,
  ]);

describe("rendering a session", () => {
  test("shows what the session pinned, with everything around it", async () => {
    const template = addTemplate({ policyFlags: { requireScroll: true, verificationMethods: ["CUSTOMER_ATTESTED"] } });
    const session = await create(template);
    const rendering = await renderSession(template, session.id);
    expect(rendering).toMatchObject({
      templateId: template.templateId,
      templateType: "STATIC",
      versionId: session.versionId,
      revision: 1,
      label: "1.0",
      locale: "en",
      title: "Terms",
      html: "<p>The terms.</p>",
      contentHash: session.contentHash,
      renderHash: sha256Label("<p>The terms.</p>"),
      noticeText: 'By clicking "I agree" I agree to the Terms.',
      buttonText: "I agree",
      declineText: "I decline",
      checkboxText: "I have read and agree to the Terms.",
      purposes: [],
      alreadyAccepted: false,
      allowedOrigins: [],
      displayMode: "INLINE",
      sessionId: session.id,
      isDraft: false,
    });
    expect(rendering.deploymentKey).toBeUndefined();
    expect(rendering.policy).toEqual({
      requireCheckbox: false,
      requireScroll: true,
      requireView: false,
      minDisplaySeconds: 0,
      requireRenderToken: false,
      requireTypedName: false,
      allowDecline: false,
      minAge: 0,
      esignDisclosure: false,
      honorGpc: false,
    });
    expect(rendering.verification).toEqual({
      required: true,
      mode: "ALL",
      methods: [{ method: "CUSTOMER_ATTESTED", required: true, level: 1, validForSeconds: null, parameters: {} }],
    });
    expect(rendering.expiresAt).toEqual(session.expiresAt);
    expect(rendering.renderId).not.toBe((await renderSession(template, session.id)).renderId);
  });

  test("names the documents that belong to the text, in their order; so does the evidence", async () => {
    const documents = [
      { name: "Annex", mustRead: true },
      { name: "Prices", order: 1, url: "https://shop.example/prices", contentHash: sha256Label("prices") },
    ];
    const template = addTemplate({ typeConfig: { documents } });
    const { id } = await create(template);
    template.typeConfig = {};
    const shown = [
      { name: "Prices", url: "https://shop.example/prices", contentHash: sha256Label("prices"), mustRead: false },
      { name: "Annex", url: null, contentHash: null, mustRead: true },
    ];
    expect((await renderSession(template, id)).documents).toEqual(shown);
    const { bundleJson } = await click.client.getEvidenceBundle({ sessionId: id }, as(orgOf(template)));
    expect(JSON.parse(bundleJson).agreement.linkedDocuments).toEqual(shown);
  });

  test("shows the disclosure that the policy asks for, and takes an acceptance only when it was on the screen", async () => {
    const template = addTemplate({
      policyFlags: { esignDisclosure: true },
      typeConfig: { esignDisclosure: { de: "Lesen Sie das.\nUnd das." } },
    });
    click.templates.addVersion(template, { locale: "de-AT", content: "<p>Die Bedingungen.</p>" });
    const { id: other, locale } = await create(template, { userRef: "u", locale: "de-AT" });
    expect([locale, (await renderSession(template, other)).disclosure]).toMatchObject([
      "de-AT",
      { locale: "de-AT", title: "Über elektronische Dokumente", text: "Lesen Sie das.\nUnd das." },
    ]);
    const { id: sessionId, renderToken } = await create(template);
    const { disclosure } = await renderSession(template, sessionId, { token: renderToken });
    expect(disclosure).toMatchObject({ locale: "en", title: "About electronic records" });
    const refused = async (body: object) =>
      (await expectDomainError(accept(template, { sessionId, ...body }), "CLICK_POLICY_NOT_SATISFIED")).details;
    expect(await refused({})).toMatchObject([{ field: "esignDisclosure" }]);
    expect(await refused({ presentation: { events: [{ type: "DISPLAYED" }] } })).toHaveLength(1);
    const events = [{ type: "DISPLAYED", target: "esignDisclosure" }];
    await click.client.appendSessionEvents({ sessionId, events }, as(orgOf(template)));
    await accept(template, { sessionId });
    await integrate(orgOf(template));
    const bundle = await bundleOf(orgOf(template), sessionId);
    expect(bundle.presentation.rendering.words.disclosure).toMatchObject({ text: disclosure?.text });
    const check = { flag: "esignDisclosure", required: true, observed: true, source: "CLIENT", ok: true };
    expect(bundle.policy.checks).toContainEqual(check);
    expect(failuresOf(await verify(orgOf(template), bundle))).toEqual([]);
    const { words } = bundle.presentation.rendering;
    const changed = structuredClone(bundle);
    changed.presentation.rendering.words = { ...words, disclosure: { ...words.disclosure, text: "Nothing to see." } };
    expect(failuresOf(await verify(orgOf(template), changed))).toContainEqual(expect.stringMatching(/^WORDS_HASH /));
    const untold = { ...bundle, policy: { ...bundle.policy, checks: [] } };
    expect(failuresOf(await verify(orgOf(template), untold))).toContainEqual(expect.stringMatching(/^POLICY /));
  });

  test("a disclosure that nobody was handed was not shown, whatever the page says", async () => {
    const template = addTemplate();
    const presentation = { events: [{ type: "DISPLAYED", target: "esignDisclosure" }] };
    const before = await renderTemplate(template);
    template.policyFlags = { esignDisclosure: true };
    const unshown = await create(template);
    for (const body of [
      { sessionId: unshown.id },
      { templateId: template.templateId, userRef: "u" },
      { templateId: template.templateId, userRef: "u", renderToken: before.renderToken },
    ]) {
      await expectDomainError(accept(template, { ...body, presentation }), "CLICK_POLICY_NOT_SATISFIED");
    }
    const { renderToken } = await renderTemplate(template);
    await accept(template, { templateId: template.templateId, userRef: "u", renderToken, presentation });
  });

  test("still shows the pinned text when another one is published, and when the templates service is down", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    click.templates.revise(template, "<p>New terms.</p>");
    template.archived = true;
    expect(await renderSession(template, id)).toMatchObject({ html: "<p>The terms.</p>", revision: 1 });
    click.templates.remove(template);
    expect((await renderSession(template, id)).html).toBe("<p>The terms.</p>");
  });

  test("with the token of the session it is presented, exactly once however many ask at once", async () => {
    const template = addTemplate();
    const { id, renderToken } = await create(template);
    const another = await click.startAnother();
    const request = { subject: { case: "sessionId", value: id } as const, token: renderToken };
    const asks = Array.from({ length: 24 }, (_, n) =>
      (n % 2 === 0 ? click : another).client.render(request, as(orgOf(template))),
    );
    const renderings = await Promise.all(asks);
    expect(new Set(renderings.map(({ rendering }) => rendering?.renderId)).size).toBe(24);
    expect(await presentedEvents(id)).toHaveLength(1);
    const session = await get(template, id);
    expect(session.status).toBe(SessionStatus.PRESENTED);
    const first = session.presentedAt && timestampDate(session.presentedAt);
    click.clock.advance(5);
    await renderSession(template, id, { token: renderToken });
    const again = (await get(template, id)).presentedAt;
    expect(again && timestampDate(again)).toEqual(first);
    expect(await presentedEvents(id)).toHaveLength(1);
  });

  test("with another credential it is not presented: the backend has read it, not the user", async () => {
    const template = addTemplate();
    const { id } = await create(template);
    await renderSession(template, id);
    expect((await get(template, id)).status).toBe(SessionStatus.PENDING);
    expect(await presentedEvents(id)).toHaveLength(0);
  });

  test("the token that comes with a rendering renders the session again", async () => {
    const template = addTemplate();
    const { id, renderToken } = await create(template);
    const rendering = await renderSession(template, id, { token: renderToken });
    expect((await renderSession(template, id, { token: rendering.renderToken })).html).toBe(rendering.html);
  });

  test("an accepted session is shown as accepted, and presenting it changes nothing", async () => {
    const template = addTemplate();
    const { id, renderToken } = await create(template);
    await accept(template, { sessionId: id });
    expect((await renderSession(template, id, { token: renderToken })).alreadyAccepted).toBe(true);
    expect((await get(template, id)).status).toBe(SessionStatus.ACCEPTED);
    expect(await presentedEvents(id)).toHaveLength(0);
    const another = await create(template);
    expect((await renderSession(template, another.id)).alreadyAccepted).toBe(true);
    const stranger = await create(template, { userRef: "user-2" });
    expect((await renderSession(template, stranger.id)).alreadyAccepted).toBe(false);
  });

  test("an expired session is not shown", async () => {
    const template = addTemplate();
    const { id, renderToken } = await create(template, { ttlSeconds: 60 });
    click.clock.advance(60);
    await expectDomainError(renderSession(template, id), "CLICK_SESSION_EXPIRED");
    await expectDomainError(renderSession(template, id, { token: renderToken }), "TOKEN_EXPIRED");
    expect((await get(template, id)).renderToken).toBe("");
  });

  test("an unknown id, a malformed one and another organization's", async () => {
    const { id } = await create(addTemplate());
    for (const value of [newId(), "nonsense", "", id]) {
      const asked = render(newOrg(), { subject: { case: "sessionId", value } });
      await expectDomainError(asked, "CLICK_SESSION_NOT_FOUND");
    }
  });

  test("a token opens nothing but its own session", async () => {
    const template = addTemplate();
    const [one, two] = [await create(template), await create(template)];
    const deployment = click.templates.deploy(template);
    const foreign = await create(addTemplate());
    const token = one.renderToken;
    const subjects = [
      { case: "sessionId", value: two.id },
      { case: "sessionId", value: newId() },
      { case: "deploymentKey", value: deployment.key },
      { case: "template", value: { templateIdOrSlug: template.templateId } },
    ] as const;
    for (const subject of subjects) {
      await expectDomainError(render(orgOf(template), { subject, token }), "INVALID_TOKEN");
    }
    const subject = { case: "sessionId", value: one.id } as const;
    for (const wrong of [foreign.renderToken, "a.b.c", ""]) {
      await expectDomainError(render(orgOf(template), { subject, token: wrong }), "INVALID_TOKEN");
    }
  });

  test("the texts of a version, its purposes, and what a session asks for", async () => {
    const purposes = ["news", "ads"].map((key) => ({
      key,
      name: `The ${key}`,
      description: `About ${key}`,
      required: key === "news",
    }));
    const template = addTemplate({ type: TemplateType.CONSENT, typeConfig: { purposes }, versions: [] });
    const texts = { buttonText: "Ja", consentText: "Mit Ja willige ich ein.", purposeTexts: { ads: "Werbung bitte" } };
    click.templates.addVersion(template, { locale: "de-AT", title: "Einwilligung", texts });
    const all = await create(template);
    expect(await renderSession(template, all.id)).toMatchObject({
      title: "Einwilligung",
      noticeText: "Mit Ja willige ich ein.",
      buttonText: "Ja",
      declineText: "Ich lehne ab",
      checkboxText: "Ich habe Folgendes gelesen und stimme zu: Einwilligung.",
      purposes: [
        { purpose: "news", name: "The news", description: "About news", text: "About news", required: true },
        { purpose: "ads", name: "The ads", description: "About ads", text: "Werbung bitte", required: false },
      ],
    });
    const some = await create(template, { userRef: "user-1", purposes: ["ads"] });
    expect((await renderSession(template, some.id)).purposes.map(({ purpose }) => purpose)).toEqual(["ads"]);
    const decided = { sessionId: some.id, purposes: [{ purpose: "ads", granted: false }] };
    expect((await accept(template, decided)).receipt.purposes).toEqual(decided.purposes);
    const unasked = { sessionId: (await create(template, { userRef: "u", purposes: ["ads"] })).id };
    const wrong = accept(template, { ...unasked, purposes: [{ purpose: "news", granted: true }] });
    await expectDomainError(wrong, "CLICK_VALIDATION_FAILED");
    await expectDomainError(create(template, { purposes: ["spam"] }), "CLICK_VALIDATION_FAILED");
    await expectDomainError(create(addTemplate(), { purposes: ["ads"] }), "CLICK_VALIDATION_FAILED");
  });
});
