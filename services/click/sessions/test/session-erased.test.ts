import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Session, SessionOutcome } from "#gen/assent/click/v1/click_pb.ts";
import { TemplateType } from "#gen/assent/templates/v1/templates_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { renderActions } from "../../render/test/render-actions.ts";
import { clientActions, orgOf } from "../../test/actions.ts";
import type { FakeTemplate } from "../../test/fake-templates.ts";
import { as, type ClickHarness, rows, startClick } from "../../test/harness.ts";
import { createSubjectVault } from "../../vault/subject-vault.ts";

let click: ClickHarness;
beforeAll(async () => {
  click = await startClick();
});
afterAll(() => click.close());

const { addTemplate, create, get, complete, accept } = clientActions(() => click);
const { renderSession } = renderActions(() => click);

const person = {
  userRef: "user-1",
  metadata: { order: "7" },
  returnUrl: "https://shop.example/",
  data: { fullName: "Ada" },
};

/** The members of a session that reveal something about its user. */
const personalOf = ({ userRef, metadata, returnUrl, data, renderHash }: Session) => {
  return { userRef, metadata, returnUrl, data, renderHash };
};
const nobody = { metadata: {} };

const generated = () => {
  const template = addTemplate({ type: TemplateType.GENERATED, versions: [] });
  click.templates.addVersion(template, { content: "<p>{{fullName}}</p>" });
  return template;
};

/** The members of a session that remain after an erasure. */
async function erase(template: FakeTemplate, id: string) {
  const names = [orgOf(template), id];
  await click.superuser.query("delete from click.subject_key where organization_id = $1 and record_id = $2", names);
  await click.superuser.query(
    `update click.session set subject_index = null, sealed = null, sealed_reason = null, render_hash = null,
       page_facts = null, erased_at = now() where organization_id = $1 and id = $2`,
    names,
  );
}

async function restrict(template: FakeTemplate, id: string) {
  const organizationId = orgOf(template);
  const vault = createSubjectVault([click.masterKey], () => click.masterKey);
  const [key] = await rows<{ seed: Buffer }>(click, "select seed from click.subject_key where record_id = $1", [id]);
  const seed = vault.wrapSeed({ organizationId, recordId: id }, key?.seed as Buffer);
  await click.superuser.query(
    "update click.subject_key set seed = $2, restricted_until = now() + interval '1 year' where record_id = $1",
    [id, seed],
  );
}

describe("a session whose user was erased", () => {
  test("reads with nothing personal, and says so", async () => {
    const template = generated();
    const before = await create(template, person);
    expect(before).toMatchObject({ ...person, erased: false, restricted: false });
    await erase(template, before.id);
    const { id, status, contentHash, createdAt } = before;
    const after = await get(template, id);
    expect(after).toMatchObject({ id, status, contentHash, createdAt });
    expect(after).toMatchObject({ erased: true, restricted: false, renderToken: "" });
    expect(personalOf(after)).toEqual(nobody);
  });

  test("is neither shown nor accepted, and takes no events", async () => {
    const template = generated();
    const { id, renderToken } = await create(template, person);
    await erase(template, id);
    await expectDomainError(renderSession(template, id), "CLICK_RENDER_NOT_FOUND");
    await expectDomainError(renderSession(template, id, { token: renderToken }), "CLICK_RENDER_NOT_FOUND");
    await expectDomainError(accept(template, { sessionId: id, userRef: "user-2" }), "CLICK_SESSION_CLOSED");
    const events = [{ type: "LINK_OPENED", target: "#x" }];
    const told = click.client.appendSessionEvents({ sessionId: id, events }, as(orgOf(template)));
    await expectDomainError(told, "CLICK_SESSION_CLOSED");
  });

  test("can be completed, and nothing is added to what is known of its user", async () => {
    const template = generated();
    const { id } = await create(template, person);
    await erase(template, id);
    const { session } = await complete(template, id, { outcome: SessionOutcome.DECLINED, reason: "she left" });
    expect(session).toMatchObject({ outcome: SessionOutcome.DECLINED, erased: true });
    expect(personalOf(session)).toEqual(nobody);
    const [row] = await rows<{ sealed_reason: Buffer | null }>(
      click,
      "select sealed_reason from click.session where id = $1",
      [id],
    );
    expect(row?.sealed_reason).toBeNull();
  });
});

describe("a session whose user is restricted", () => {
  test("reads like an erased one, but tells the difference", async () => {
    const template = generated();
    const { id } = await create(template, person);
    await restrict(template, id);
    const session = await get(template, id);
    expect(session).toMatchObject({ erased: false, restricted: true, renderToken: "" });
    expect(personalOf(session)).toEqual(nobody);
    await expectDomainError(renderSession(template, id), "CLICK_RENDER_NOT_FOUND");
  });

  test("of a text without values still names the text", async () => {
    const template = addTemplate();
    const { id, renderHash } = await create(template, { userRef: "user-1" });
    await restrict(template, id);
    const session = await get(template, id);
    expect(session.restricted).toBe(true);
    expect(personalOf(session)).toEqual({ ...nobody, renderHash });
  });
});

describe("a session that was made for nobody in particular", () => {
  test("belongs to who accepts it, and nobody else", async () => {
    const template = addTemplate({ policyFlags: { singleUseSession: false } });
    const { id } = await create(template, { metadata: { order: "7" } });
    expect((await get(template, id)).userRef).toBeUndefined();
    await accept(template, { sessionId: id, userRef: "grace" });
    expect(await get(template, id)).toMatchObject({ userRef: "grace", metadata: { order: "7" } });
    await expectDomainError(accept(template, { sessionId: id, userRef: "ada" }), "CLICK_USER_REF_MISMATCH");
    expect((await accept(template, { sessionId: id })).receipt.userRef).toBe("grace");
    const [row] = await rows<{ subject_index: Buffer }>(
      click,
      "select subject_index from click.session where id = $1",
      [id],
    );
    expect(row?.subject_index).toEqual(
      createSubjectVault([click.masterKey], () => click.masterKey).subjectIndex(orgOf(template), "grace"),
    );
  });
});
