import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { until } from "#platform/testing/until.ts";
import { type Answer, Api } from "../support/api.ts";
import { bodyOf } from "../support/journeys.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { type System, scenario } from "../support/system.ts";

/** Some of each class of SQLSTATE that tells of a database that is away, full, or broken below. */
const states = ["53000", "53100", "53200", "53300", "53400", "57P01", "57P02", "57P03", "58000", "58030"];

export const outages = scenario("a database that fails below", (_mode, running) => {
  let system: System;
  let owner: Api;
  let inspector: pg.Pool;
  let click: { slug: string; templateId: string };
  let templateId: string;
  const publishHello = async (by: Api): Promise<void> => {
    const wish = { content: "<p>Hello</p>", format: "html", name: "Hello" };
    ({ id: templateId } = bodyOf(201, await by.post("/v1/gen/templates", wish)));
    bodyOf(200, await by.post(`/v1/gen/templates/${templateId}/publish`, undefined));
  };
  beforeAll(async () => {
    system = running();
    owner = await system.newOrganization();
    inspector = new pg.Pool({ connectionString: system.inspectUrl, max: 1 });
    inspector.on("error", () => {});
    click = await owner.publishTemplate();
    await publishHello(owner);
  });
  afterAll(async () => {
    await inspector?.end();
  });

  const newDocument = (by = owner) =>
    by.call("POST", "/v1/gen/documents", { templateId, data: {} }, { prefer: "respond-async" });
  const newRevision = async () =>
    owner.post(`/v1/click/templates/${click.templateId}/versions`, {
      ...{ locale: `en-x-${randomBytes(4).toString("hex")}`, title: "Terms" },
      content: `<p>${randomBytes(30_000).toString("hex")}</p>`,
    });
  /** What writes to a table of each service. */
  const writes: Readonly<Record<string, () => Promise<Answer>>> = {
    "templates.template": () => owner.post("/v1/click/templates", { name: "Terms", type: "STATIC" }),
    "click.acceptance": () => owner.accept(newKey(), { templateSlug: click.slug, userRef: "user-1" }),
    "docgen.document": () => newDocument(),
    "sign.agreement": () => owner.post("/v1/sign/agreements", { emailSubject: "Please sign" }),
    "webhooks.endpoint": () => owner.post("/v1/webhooks/endpoints", { url: "https://hooks.example.com/assent" }),
  };

  /** What `failing` makes of a function that fails like this holds while `work` runs. */
  async function whileFailing(state: string, returns: string, failing: string, work: () => Promise<void>) {
    await inspector.query(`create function public.fail_below() returns ${returns} language plpgsql as
      $$begin raise exception 'it fails below' using errcode = '${state}'; end$$; ${failing}`);
    try {
      await work();
    } finally {
      await inspector.query("drop function public.fail_below cascade");
    }
  }
  const unreadable = (table: string, role: string) =>
    `create policy fail_below on ${table} as restrictive for select to ${role} using (public.fail_below())`;

  test.each(states)("every service answers 503 with Retry-After for %s, and goes on afterwards", async (state) => {
    const triggers = Object.keys(writes).map(
      (table) => `create trigger fail_below before insert on ${table} execute function public.fail_below()`,
    );
    await whileFailing(state, "trigger", triggers.join("; "), async () => {
      await Promise.all(Object.values(writes).map((write) => requireUnavailable(write())));
    });
    const after = await Promise.all(Object.values(writes).map((write) => write()));
    expect(after.map(({ status }) => status)).toEqual([201, 201, 202, 201, 201]);
  });

  test("so do the credentials of a token, and they hold afterwards", async () => {
    const scopes = "click:read";
    const { client, clientSecret } = await system.admin.createOAuthClient({
      ...{ organizationId: owner.organizationId, name: "backend", scopes: [scopes] },
    });
    const ask = () => Api.fetchToken(owner.baseUrl, client?.id ?? "", clientSecret, scopes);
    await whileFailing("53100", "boolean", unreadable("auth.oauth_client", "public"), () => requireUnavailable(ask()));
    expect((await ask()).status).toBe(200);
  });

  test("so does the choice among documents that wait, which goes on with all of them afterwards", async () => {
    const ids: string[] = [];
    const other = await system.newOrganization();
    await publishHello(other);
    await whileFailing("53100", "boolean", unreadable("docgen.document", "assent_docgen_claimer"), async () => {
      ids.push(bodyOf(202, await newDocument(other)).id);
      await requireUnavailable(newDocument(other));
    });
    ids.push(bodyOf(202, await newDocument(other)).id);
    for (const id of ids) {
      await until(async () => bodyOf(200, await other.get(`/v1/gen/documents/${id}`)).status === "completed", 30_000);
    }
  });

  test("a disk without room is one of them, and nothing is lost when there is room again", async () => {
    const disk = await mountSmallDisk(inspector);
    try {
      // Only root may mount one. Everybody else has seen what the server says of it above.
      if (disk === undefined) return process.stderr.write("no small disk without root: its error was raised instead\n");
      await inspector.query(`create tablespace small_disk location '${disk.folder}'`);
      await inspector.query("alter table templates.version set tablespace small_disk");
      const first = bodyOf(201, await newRevision());
      disk.fill();
      await requireUnavailable(newRevision());
      disk.free();
      bodyOf(201, await newRevision());
      const kept = await owner.get(`/v1/click/templates/${click.templateId}/versions/${first.id}`);
      expect(bodyOf(200, kept).content).toBe(first.content);
    } finally {
      await inspector.query("alter table templates.version set tablespace pg_default");
      await inspector.query("drop tablespace if exists small_disk");
      disk?.remove();
    }
  });
});

const newKey = (): string => randomBytes(8).toString("hex");

async function requireUnavailable(answering: Promise<Answer>): Promise<void> {
  const { status, headers, body } = await answering;
  const code: string = body.errorCode ?? body.code ?? body.error;
  expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
  expect(["SERVICE_UNAVAILABLE", "service_unavailable", "temporarily_unavailable"]).toContain(code);
}
