import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SessionOrigin, SessionOutcome, SessionStatus } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { sha256Label } from "#platform/canonical-json.ts";
import { newId } from "#platform/ids.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { clientActions, type NewSession, orgOf } from "../../test/actions.ts";
import { as, type ClickHarness, newOrg, startClick } from "../../test/harness.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, get, complete, accept } = clientActions(() => click);

describe("createSession", () => {
  test("pins the text and the flags that hold", async () => {
    const template = addTemplate({ policyFlags: { requireScroll: true } });
    const request = {
      userRef: "user-1",
      locale: "en-US",
      returnUrl: "https://shop.example/done?x=1",
      metadata: { order: "7" },
    };
    const session = await create(template, request);
    expect(session).toMatchObject({
      organizationId: template.organizationId,
      templateId: template.templateId,
      templateSlug: template.slug,
      templateType: "STATIC",
      versionId: template.versions[0]?.versionId,
      revision: 1,
      label: "1.0",
      locale: "en",
      contentHash: sha256Label("<p>The terms.</p>"),
      userRef: "user-1",
      status: SessionStatus.PENDING,
      outcome: SessionOutcome.UNSPECIFIED,
      origin: SessionOrigin.API,
      receiptIds: [],
      metadata: { order: "7" },
      returnUrl: "https://shop.example/done?x=1",
    });
    expect([session.presentedAt, session.acceptedAt, session.completedAt]).toEqual([undefined, undefined, undefined]);
    expect(session.policy).toMatchObject({ requireScroll: true, singleUseSession: true });
    expect(await get(template, session.id)).toEqual(session);
    expect(await get(template, session.id.toUpperCase())).toEqual(session);
  });

  test("lives as long as the policy or the request says", async () => {
    const template = addTemplate({ policyFlags: { sessionTtlSeconds: 120 } });
    const lifetime = async (changes: NewSession) => {
      const { createdAt, expiresAt } = await create(template, changes);
      return createdAt && expiresAt && timestampDate(expiresAt).getTime() - timestampDate(createdAt).getTime();
    };
    expect(await lifetime({})).toBe(120_000);
    expect(await lifetime({ ttlSeconds: 600 })).toBe(600_000);
  });

  test("finds a template by its slug, and a version by its id", async () => {
    const template = addTemplate();
    const german = click.templates.addVersion(template, { locale: "de" });
    const name = { case: "templateSlug", value: template.slug } as const;
    const { session } = await click.client.createSession(
      { template: name, versionId: german.versionId },
      as(orgOf(template)),
    );
    expect([session?.locale, session?.userRef]).toEqual(["de", undefined]);
  });

  test("refuses what does not exist or is not published", async () => {
    const template = addTemplate();
    const draft = click.templates.addVersion(template, { locale: "de", published: false });
    await expectDomainError(create(template, { versionId: newId() }), "CLICK_VERSION_NOT_FOUND");
    await expectDomainError(create(template, { versionId: "v1" }), "CLICK_VERSION_NOT_FOUND");
    await expectDomainError(create(template, { versionId: draft.versionId }), "CLICK_VERSION_NOT_PUBLISHED");
    await expectDomainError(create(addTemplate({ versions: [] })), "CLICK_VERSION_NOT_PUBLISHED");
    await expectDomainError(create(addTemplate({ archived: true })), "CLICK_TEMPLATE_ARCHIVED");
    await expectDomainError(create({ ...template, templateId: newId() }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectDomainError(create({ ...template, templateId: "terms" }), "CLICK_TEMPLATE_NOT_FOUND");
    await expectDomainError(create({ ...template, organizationId: newOrg() }), "CLICK_TEMPLATE_NOT_FOUND");
    const generated = addTemplate({ type: TemplateType.GENERATED, typeConfig: { variables: [{ key: "fullName" }] } });
    await expectDomainError(create(generated), "CLICK_DATA_INVALID");
  });

  test("refuses bad fields", async () => {
    const template = addTemplate();
    const bad: NewSession[] = [
      { locale: "no locale" },
      { returnUrl: "http://shop.example" },
      { returnUrl: "https://user:secret@shop.example" },
      { metadata: { note: "n".repeat(501) } },
    ];
    for (const changes of bad) await expectDomainError(create(template, changes), "CLICK_VALIDATION_FAILED");
    const unclear: NewSession[] = [
      { ttlSeconds: 59 },
      { returnUrl: "https://shop.example/\n" },
      { userRef: "a\u0000b" },
      { userRef: " \u200b" },
    ];
    for (const changes of unclear) await expectDomainError(create(template, changes), "VALIDATION_FAILED");
  });
});

describe("getSession", () => {
  test("an unknown id, a malformed one and another organization's", async () => {
    const session = await create(addTemplate());
    for (const sessionId of [newId(), "nonsense", "", session.id]) {
      await expectDomainError(click.client.getSession({ sessionId }, as(newOrg())), "CLICK_SESSION_NOT_FOUND");
    }
  });

  test("an acceptance without a session reads back as a completed one", async () => {
    const template = addTemplate();
    const body = { templateId: template.templateId, userRef: "user-1", metadata: { order: "7" } };
    const { receipt } = await accept(template, body);
    const session = await get(template, receipt.sessionId);
    expect(session).toMatchObject({
      id: receipt.receiptId,
      status: SessionStatus.COMPLETED,
      outcome: SessionOutcome.ACCEPTED,
      origin: SessionOrigin.DIRECT,
      receiptIds: [receipt.receiptId],
      userRef: "user-1",
      metadata: { order: "7" },
      contentHash: receipt.contentHash,
      revision: 1,
      label: "1.0",
    });
    expect((await complete(template, receipt.sessionId)).receipts).toEqual([receipt]);
    await expectDomainError(accept(template, { sessionId: receipt.sessionId }), "CLICK_SESSION_CLOSED");
  });

  test("expires by the clock alone", async () => {
    const template = addTemplate();
    const { id } = await create(template, { ttlSeconds: 60 });
    click.clock.advance(61);
    expect(await get(template, id)).toMatchObject({ status: SessionStatus.EXPIRED, outcome: SessionOutcome.NONE });
    await expectDomainError(accept(template, { sessionId: id }), "CLICK_SESSION_EXPIRED");
    await expectDomainError(complete(template, id), "CLICK_SESSION_EXPIRED");
    await expectDomainError(complete(template, id, { acceptance: {} }), "CLICK_SESSION_EXPIRED");
  });
});
