import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { SenderDomain } from "#gen/assent/sign/v1/brands_pb.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { until } from "#platform/testing/until.ts";
import type { Organization } from "../../test/harness.ts";
import { type MailSystem, person, startMailSystem } from "../../test/mail-system.ts";
import { createTextResolver } from "../look-up.ts";
import { type NameServer, startNameServer } from "./name-server.ts";
import { verifyDkim } from "./verify-dkim.ts";

let dns: NameServer;
let system: MailSystem;
let organization: Organization;
let resolve: ReturnType<typeof createTextResolver>;
let round = 0;
/** Of this test alone. */
const domainName = (): string => `mail-${round}.customer.test`;
const address = (name: string): string => `${name}-${round}@example.com`;
const hourMs = 3_600_000;

beforeAll(async () => {
  dns = await startNameServer();
  resolve = createTextResolver([dns.address]);
  system = await startMailSystem({ resolveTexts: resolve });
});
beforeEach(() => {
  round += 1;
  dns.works = true;
  organization = system.organization();
});
afterAll(async () => {
  await system?.stop();
  await dns?.stop();
});

async function add(owner = organization, domain = domainName()): Promise<SenderDomain> {
  const { senderDomain } = await owner.createSenderDomain({ domain, mailbox: "Contracts" });
  if (senderDomain === undefined) throw new Error("the answer has no domain");
  return senderDomain;
}

/** As who runs the domain does. */
function setRecords({ records }: SenderDomain): void {
  for (const { name, value } of records) dns.records.set(name, [...(dns.records.get(name) ?? []), value]);
}

function clearRecords({ records }: SenderDomain): void {
  for (const { name } of records) dns.records.delete(name);
}

const check = async ({ id }: SenderDomain, owner = organization) =>
  (await owner.checkSenderDomain({ senderDomainId: id })).senderDomain;
const read = async ({ id }: SenderDomain) => (await organization.getSenderDomain({ senderDomainId: id })).senderDomain;
const statusesOf = (domain: SenderDomain | undefined) =>
  Object.fromEntries(domain?.records.map(({ purpose, status }) => [purpose, status]) ?? []);

async function mailFrom(name: string) {
  await system.send(organization, { recipients: [person("1", address(name), { locale: "de-CH" })] });
  const [mail] = await system.mailsTo(address(name), 1);
  return mail;
}

/** After the hour in which nothing is looked at. */
async function recheck(): Promise<void> {
  system.clock.advance(hourMs);
  await system.settle();
}

const auditActions = async (): Promise<string[]> => {
  const { rows } = await system.superuser.query<{ data: string }>(
    `select data from sign.outbox where organization_id = $1 and subject = 'assent.audit.organization' order by position`,
    [organization.orgId],
  );
  return rows.map(({ data }) => JSON.parse(data).auditedOrganization.action);
};

describe("a sender domain", () => {
  test("is used once its records are there, signed so that a receiver finds it right, and no longer once they are gone", async () => {
    const added = await add();
    expect(added).toMatchObject({ domain: domainName(), mailbox: "contracts", status: "pending", isSender: false });
    expect(added.records.map(({ purpose, name, isRequired }) => `${purpose} ${name} ${isRequired}`)).toEqual([
      `proof _assent.${domainName()} true`,
      expect.stringMatching(new RegExp(`^dkim assent-[0-9a-f]{8}\\._domainkey\\.${domainName()} true$`)),
      `spf ${domainName()} true`,
      `dmarc _dmarc.${domainName()} false`,
    ]);
    expect(statusesOf(await check(added))).toEqual({
      proof: "missing",
      dkim: "missing",
      spf: "missing",
      dmarc: "missing",
    });
    expect((await mailFrom("before"))?.raw).toMatch(/^From: Assent <sign@example\.com>\r$/m);

    setRecords(added);
    const { brand } = await organization.createBrand({
      settings: { name: "Acme", isDefault: true, senderName: "Acme Legal", replyTo: "legal@acme.test" },
    });
    expect(await check(added)).toMatchObject({ status: "verified", isSender: true, verifiedAt: expect.anything() });
    const mail = await mailFrom("ann");
    expect(mail?.raw).toContain(`From: Acme Legal <contracts@${domainName()}>\r\n`);
    expect(mail?.raw).toContain("Reply-To: Acme Legal <legal@acme.test>\r\n");
    // Reports on the mail come back to the installation.
    expect(mail?.from).toBe("sign@example.com");
    expect(await verifyDkim(mail?.raw ?? "", resolve)).toBe(domainName());
    const changed = (mail?.raw ?? "").replace(/^(Subject: )/m, "$1Re: ");
    await expect(verifyDkim(changed, resolve)).rejects.toThrow("another signature");
    await organization.deleteBrand({ brandId: brand?.id ?? "" });
    expect((await mailFrom("bob"))?.raw).toContain(`From: Acme <contracts@${domainName()}>\r\n`);

    system.auth.setReaders("role:owner", [{ userId: owner, name: "Olga", email: address("olga"), locale: "de" }]);
    system.auth.setReaders(`user:${owner}`, [{ userId: owner, name: "Olga", email: address("olga"), locale: "de" }]);
    clearRecords(added);
    await recheck();
    expect(await read(added)).toMatchObject({ status: "lost", isSender: false });
    const [told] = await system.mailsTo(address("olga"), 1);
    expect(told?.subject).toBe(`Prüfen Sie die DNS-Einträge von ${domainName()}`);
    expect((await mailFrom("cid"))?.raw).toMatch(/^From: Assent <sign@example\.com>\r$/m);
    // Looked at again and again, and told once.
    await recheck();
    expect(system.server.mails.filter(({ to }) => to === address("olga"))).toHaveLength(1);
    setRecords(added);
    await recheck();
    expect((await mailFrom("dan"))?.raw).toContain(`<contracts@${domainName()}>`);
    expect((await auditActions()).filter((action) => action.startsWith("sender-domain"))).toEqual([
      ...["sender-domain.created", "sender-domain.verified", "sender-domain.lost", "sender-domain.verified"],
    ]);
  });

  test("stays while its name servers fail, and is given up after three days of that", async () => {
    const added = await add();
    setRecords(added);
    await check(added);
    dns.works = false;
    expect(statusesOf(await check(added))).toMatchObject({ proof: "unreachable", dkim: "unreachable" });
    expect((await read(added))?.status).toBe("verified");
    system.clock.advance(71 * hourMs);
    await system.settle();
    expect((await read(added))?.status).toBe("verified");
    system.clock.advance(2 * hourMs);
    await until(async () => (await read(added))?.status === "lost");
  });

  test("tells what is wrong with each record", async () => {
    const added = await add();
    const [proof, dkim, spf, dmarc] = added.records.map(({ name }) => name);
    dns.records.set(proof ?? "", ["assent-domain=0123", "other"]);
    dns.records.set(dkim ?? "", ["v=DKIM1; k=rsa; p=MIIB"]);
    dns.records.set(spf ?? "", ["v=spf1 include:example.com ~all", "v=spf1 -all"]);
    dns.records.set("_dmarc.customer.test", ["v=DMARC1; p=reject"]);
    expect([statusesOf(await check(added)), dmarc]).toEqual([
      { proof: "wrong", dkim: "wrong", spf: "wrong", dmarc: "found" },
      `_dmarc.${domainName()}`,
    ]);
    // Beside others, broken into words, in capitals.
    setRecords({ ...added, records: added.records.slice(0, 1) });
    dns.records.set(dkim ?? "", [added.records[1]?.value.replace("p=", "p= ").replace(/(.{200})/, "$1 ") ?? ""]);
    dns.records.set(spf ?? "", ["google-site-verification=x", "V=SPF1 mx +Include:Example.com -all"]);
    expect((await check(added))?.status).toBe("verified");
    dns.records.delete("_dmarc.customer.test");
  });

  test("of one organization is verified for no other, which it keeps from nothing before that", async () => {
    const stranger = system.organization();
    const [theirs, ours] = [await add(stranger), await add()];
    expect(ours.records[0]?.value).not.toBe(theirs.records[0]?.value);
    setRecords({ ...ours, records: ours.records });
    expect((await check(ours))?.status).toBe("verified");
    expect((await check(theirs, stranger))?.status).toBe("pending");
    // Whoever has the domain now has set both; the former has to go first.
    const [proof, dkim] = theirs.records;
    for (const record of [proof, dkim])
      dns.records.set(record?.name ?? "", [...(dns.records.get(record?.name ?? "") ?? []), record?.value ?? ""]);
    await expectDomainError(check(theirs, stranger), "SENDER_DOMAIN_TAKEN");
    const { senderDomain } = await stranger.getSenderDomain({ senderDomainId: theirs.id });
    expect([senderDomain?.status, statusesOf(senderDomain).proof]).toEqual(["pending", "found"]);
    await organization.deleteSenderDomain({ senderDomainId: ours.id });
    expect((await check(theirs, stranger))?.status).toBe("verified");
    for (const call of [
      organization.getSenderDomain({ senderDomainId: theirs.id }),
      organization.checkSenderDomain({ senderDomainId: theirs.id }),
      organization.deleteSenderDomain({ senderDomainId: theirs.id }),
    ]) {
      await expectDomainError(call, "SENDER_DOMAIN_NOT_FOUND");
    }
    expect((await organization.listSenderDomains({})).senderDomains).toEqual([]);
  });

  test("is there once, at most ten of them, and has a name that can be one", async () => {
    const twice = await Promise.allSettled([add(), add()]);
    expect(twice.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expectDomainError(add(organization, `${domainName().toUpperCase()}.`), "SENDER_DOMAIN_EXISTS");
    const idn = await add(organization, "münchen.test");
    expect(idn.domain).toBe("xn--mnchen-3ya.test");
    await Promise.all(Array.from({ length: 8 }, (_, index) => add(organization, `a${index}.${domainName()}`)));
    await expectDomainError(add(organization, "one-more.test"), "SENDER_DOMAIN_LIMIT_REACHED");
    for (const domain of [
      "localhost",
      "192.0.2.1",
      "-a.test",
      "a..test",
      "a b.test",
      "ann@a.test",
      "https://a.test",
      "a.test/b",
      "a.test:1",
    ]) {
      const { details } = await expectDomainError(add(organization, domain), "VALIDATION_FAILED");
      expect(details).toEqual([expect.objectContaining({ field: "domain", code: "INVALID_DOMAIN" })]);
    }
    const strange = organization.createSenderDomain({ domain: "b.test", mailbox: "a@b" });
    expect((await expectDomainError(strange, "VALIDATION_FAILED")).details[0]?.field).toBe("mailbox");
  });

  test("keeps its private key sealed, for itself alone", async () => {
    const added = await add();
    const { rows } = await system.superuser.query(
      "select private_key::text as key from sign.sender_domain where id = $1",
      [added.id],
    );
    expect(Buffer.from(String(rows[0].key).slice(2), "hex").toString("latin1")).not.toContain("PRIVATE KEY");
  });

  test("of an example is asked for nowhere", async () => {
    const added = await add(organization, "mail.example.com");
    const before = dns.asked.length;
    expect(statusesOf(await check(added)).proof).toBe("missing");
    expect(dns.asked.length).toBe(before);
  });
});

const owner = "01960000-0000-7000-8000-0000000000aa";
