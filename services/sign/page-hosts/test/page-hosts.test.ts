import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { PageHost } from "#gen/assent/sign/v1/brands_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { createTextResolver } from "../../sender-domains/look-up.ts";
import { type NameServer, startNameServer } from "../../sender-domains/test/name-server.ts";
import type { Organization } from "../../test/harness.ts";
import { type MailSystem, person, startMailSystem } from "../../test/mail-system.ts";

let dns: NameServer;
let system: MailSystem;
let organization: Organization;
let round = 0;
/** Of this test alone. */
const hostName = (): string => `agreements-${round}.customer.test`;
const address = (name: string): string => `${name}-${round}@example.com`;
const owner = "01960000-0000-7000-8000-0000000000ab";

beforeAll(async () => {
  dns = await startNameServer();
  system = await startMailSystem({ resolveTexts: createTextResolver([dns.address]) });
});
beforeEach(() => {
  round += 1;
  organization = system.organization();
});
afterAll(async () => {
  await system?.stop();
  await dns?.stop();
});

async function add(who = organization, host = hostName()): Promise<PageHost> {
  const { pageHost } = await who.createPageHost({ host });
  if (pageHost === undefined) throw new Error("the answer has no host");
  return pageHost;
}

const recordOf = ({ records: [record] }: PageHost) => record ?? { name: "", value: "" };
/** Beside what stands there. */
const setRecord = (host: PageHost): void => {
  const { name, value } = recordOf(host);
  dns.records.set(name, [...(dns.records.get(name) ?? []), value]);
};
const check = async ({ id }: PageHost, who = organization) => (await who.checkPageHost({ pageHostId: id })).pageHost;
const ownerOf = async (host: string): Promise<string> => (await organization.resolvePageHost({ host })).organizationId;

/** Where the link in a mail leads. */
async function linkedHost(name: string): Promise<string> {
  await system.send(organization, { recipients: [person("1", address(name))] });
  const [mail] = await system.mailsTo(address(name), 1);
  return new URL(/https?:\/\/\S+\/signing\/[\w-]{64}/.exec(mail?.text ?? "")?.[0] ?? "").host;
}

async function recheck(): Promise<void> {
  system.clock.advance(3_600_000);
  await system.settle();
}

describe("a page host", () => {
  test("is where links in mails lead while its record is there, and whose it is only then", async () => {
    const usual = await linkedHost("ann");
    const added = await add();
    expect(added).toMatchObject({ host: hostName(), status: "pending", isUsed: false });
    expect(recordOf(added)).toMatchObject({ purpose: "proof", name: `_assent-pages.${hostName()}`, isRequired: true });
    expect((await check(added))?.records[0]?.status).toBe("missing");
    dns.records.set(recordOf(added).name, ["assent-pages=another"]);
    expect((await check(added))?.records[0]?.status).toBe("wrong");
    expect([await ownerOf(hostName()), await linkedHost("bob")]).toEqual(["", usual]);

    setRecord(added);
    expect(await check(added)).toMatchObject({ status: "verified", isUsed: true });
    expect(await ownerOf(hostName().toUpperCase())).toBe(organization.orgId);
    const port = usual.includes(":") ? usual.slice(usual.indexOf(":")) : "";
    expect(await linkedHost("cid")).toBe(`${hostName()}${port}`);

    const olga = [{ userId: owner, name: "Olga", email: address("olga"), locale: "de" }];
    system.auth.setReaders("role:owner", olga);
    system.auth.setReaders(`user:${owner}`, olga);
    dns.records.delete(recordOf(added).name);
    await recheck();
    const [told] = await system.mailsTo(address("olga"), 1);
    expect(told?.text).toContain(`belegt, dass ${hostName()} Ihnen gehört`);
    expect([await ownerOf(hostName()), await linkedHost("dan")]).toEqual(["", usual]);
    setRecord(added);
    await recheck();
    expect(await linkedHost("eve")).toBe(`${hostName()}${port}`);
    await organization.deletePageHost({ pageHostId: added.id });
    expect([await ownerOf(hostName()), await linkedHost("fay")]).toEqual(["", usual]);
  });

  test("is verified for one organization at a time, however many check at once, and no other finds it", async () => {
    const stranger = system.organization();
    const [ours, theirs] = [await add(), await add(stranger)];
    for (const one of [ours, theirs]) setRecord(one);
    const checks = await Promise.allSettled([check(ours), check(theirs, stranger)]);
    expect(checks.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const isOurs = checks[0]?.status === "fulfilled";
    expect(await ownerOf(hostName())).toBe((isOurs ? organization : stranger).orgId);
    await expectDomainError(isOurs ? check(theirs, stranger) : check(ours), "PAGE_HOST_TAKEN");
    for (const call of [
      organization.getPageHost({ pageHostId: theirs.id }),
      organization.checkPageHost({ pageHostId: theirs.id }),
      organization.deletePageHost({ pageHostId: theirs.id }),
    ]) {
      await expectDomainError(call, "PAGE_HOST_NOT_FOUND");
    }
    expect((await organization.listPageHosts({})).pageHosts.map(({ id }) => id)).toEqual([ours.id]);
  });

  test("is there once, at most ten of them, and has a name that can be one", async () => {
    const twice = await Promise.allSettled([add(), add()]);
    expect(twice.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expectDomainError(add(organization, `${hostName().toUpperCase()}.`), "PAGE_HOST_EXISTS");
    expect((await add(organization, "verträge.test")).host).toBe("xn--vertrge-9wa.test");
    await Promise.all(Array.from({ length: 8 }, (_, index) => add(organization, `a${index}.${hostName()}`)));
    await expectDomainError(add(organization, "one-more.test"), "PAGE_HOST_LIMIT_REACHED");
    for (const host of [
      "localhost",
      "192.0.2.1",
      "a.test:8443",
      "a.test/path",
      "*.a.test",
      `${"a".repeat(60)}.`.repeat(4),
    ]) {
      const { details } = await expectDomainError(add(organization, host), "VALIDATION_FAILED");
      expect(details).toEqual([expect.objectContaining({ field: "host", code: "INVALID_HOST" })]);
    }
  });
});
