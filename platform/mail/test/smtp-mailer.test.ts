import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { SMTPServer } from "smtp-server";
import { createEgress } from "../../net/egress-proxy.ts";
import { startConnectProxy } from "../../testing/connect-proxy.ts";
import { MailNotTakenError, MailRefusedError } from "../mail.ts";
import { createSmtpMailer } from "../mail-settings.ts";

const mail = {
  to: { name: 'Ann, the "First"', address: "ann@example.com" },
  subject: "Grüße",
  text: "Guten Tag",
  html: "<p>Guten Tag</p>",
  messageId: "<0196-mail@sign.example.com>",
};

async function startServer(
  onMail: (text: string) => string | undefined,
  refusal?: number,
  isLogin: (login: string) => boolean = () => true,
  answer = "no such mailbox",
) {
  const recipients: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username = "", password = "" }, _session, done) =>
      isLogin(`${username}:${password}`) ? done(null, { user: username }) : done(new Error("wrong password")),
    onRcptTo: ({ address }, _session, done) => {
      recipients.push(address);
      done(refusal === undefined ? null : Object.assign(new Error(answer), { responseCode: refusal }));
    },
    disabledCommands: ["STARTTLS"],
    onData: (stream, _session, done) => {
      let text = "";
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      stream.on("end", () => {
        const refusal = onMail(text);
        done(refusal === undefined ? null : Object.assign(new Error(refusal), { responseCode: 451 }));
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    recipients,
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
}

/** What a reader of mail shows of a header: words decoded (RFC 2047 §6), characters that take no room left out. */
function decodedHeader(head: string, name: string): string {
  const [, value = ""] = new RegExp(`^${name}: (.*)$`, "m").exec(head.replaceAll(/\r\n(?=\s)/g, "")) ?? [];
  return value
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_word, kind: string, text: string) =>
      kind.toLowerCase() === "b" ? Buffer.from(text, "base64").toString() : decodedQ(text),
    )
    .replaceAll("\u2060", "");
}

const decodedQ = (text: string): string =>
  Buffer.from(
    text
      .replaceAll("_", " ")
      .replaceAll(/=([0-9a-f]{2})/gi, (_one, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  ).toString();

describe("createSmtpMailer", () => {
  test("goes through the proxy of the operator's network, which may refuse", async () => {
    const server = await startServer(() => undefined);
    const proxy = await startConnectProxy(["mail.bank.example"]);
    const { port } = new URL(server.url);
    const mailer = createSmtpMailer({
      ...{ url: `smtp://mail.bank.example:${port}`, from: "sign@example.com", egress: createEgress(proxy.url) },
    });
    try {
      await mailer.send(mail);
      expect([server.recipients, proxy.asked[0]?.split("\r\n")[0]]).toEqual([
        [mail.to.address],
        `CONNECT mail.bank.example:${port} HTTP/1.1`,
      ]);
      await mailer.close();
      proxy.answer((client) => client.end("HTTP/1.1 403 No\r\n\r\n"));
      const refused = createSmtpMailer({
        url: "smtp://mail.bank.example",
        from: "a@b.c",
        egress: createEgress(proxy.url),
      });
      await expect(refused.send(mail)).rejects.toThrow(MailNotTakenError);
      expect(proxy.asked.at(-1)).toContain("CONNECT mail.bank.example:587 ");
      await refused.close();
    } finally {
      await proxy.stop();
      await server.close();
    }
  });

  test("logs in with the password that the file says with this mail", async () => {
    const [logins, taken]: [string[], string[]] = [[], []];
    const server = await startServer(
      (text) => void taken.push(text) as undefined,
      undefined,
      (login) => {
        logins.push(login);
        return login === "assent:second";
      },
    );
    let password = "first";
    const mailer = createSmtpMailer({
      url: () => server.url.replace("//", `//assent:${password}@`),
      from: "sign@example.com",
    });
    await expect(mailer.send(mail)).rejects.toThrow(MailNotTakenError);
    password = "second";
    await mailer.send(mail);
    await mailer.close();
    await server.close();
    expect([logins, taken.length]).toEqual([["assent:first", "assent:second"], 1]);
  });

  test("attaches files, byte for byte", async () => {
    const texts: string[] = [];
    const server = await startServer((text) => {
      texts.push(text);
      return undefined;
    });
    const mailer = createSmtpMailer({ url: server.url, from: "sign@example.com" });
    const content = Uint8Array.from({ length: 1_000 }, (_, index) => index % 256);
    await mailer.send({ ...mail, attachments: [{ fileName: "copy.pdf", mediaType: "application/pdf", content }] });
    await mailer.close();
    await server.close();
    const [, part = ""] =
      /Content-Type: application\/pdf; name=copy\.pdf[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(texts[0] ?? "") ?? [];
    expect(Buffer.from(part, "base64")).toEqual(Buffer.from(content));
  });

  test("hands a mail over with both forms and its id", async () => {
    const taken: string[] = [];
    const server = await startServer((text) => {
      taken.push(text);
      return undefined;
    });
    const mailer = createSmtpMailer({ url: server.url, from: "Assent <sign@example.com>" });
    await mailer.send(mail);
    await mailer.close();
    await server.close();
    expect(taken).toHaveLength(1);
    for (const part of [
      "text/plain",
      "text/html",
      "Message-ID: <0196-mail@sign.example.com>",
      "Auto-Submitted: auto-generated",
      "ann@example.com",
    ]) {
      expect(taken[0]).toContain(part);
    }
  });

  test("has the name and the address for answers of whom it is from, and ends by one click where it says so", async () => {
    const heads: string[] = [];
    const server = await startServer((text) => {
      heads.push((text.split("\r\n\r\n", 1)[0] ?? "").replaceAll(/\r\n(?=\s)/g, ""));
      return undefined;
    });
    const mailer = createSmtpMailer({ url: server.url, from: "Assent <sign@example.com>" });
    const replyTo = { name: "Legal\r\nBcc: x@example.com", address: "legal@shop.example" };
    const unsubscribeUrl = "https://sign.example.com/mail/end/abc";
    const reportToken = "a_-9".repeat(20);
    await mailer.send({
      ...mail,
      fromName: 'Shop <evil@example.com>\r\nX-Evil: "1"',
      replyTo,
      unsubscribeUrl,
      reportToken,
    });
    await mailer.send(mail);
    await mailer.close();
    await server.close();
    const [own = "", plain = ""] = heads;
    expect(own).toMatch(/^From: .* <sign@example\.com>$/m);
    expect(own).toMatch(/^Reply-To: .*<legal@shop\.example>$/m);
    expect(own).not.toMatch(/^(?:Bcc|X-Evil):/im);
    expect(own).toContain(`List-Unsubscribe: <${unsubscribeUrl}>`);
    expect(own).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    expect(plain).toContain("From: Assent <sign@example.com>");
    expect(own).toMatch(new RegExp(`^X-Assent-Report:\\s+${reportToken}$`, "m"));
    expect(own).toMatch(new RegExp(`^X-PM-Metadata-assent:\\s+${reportToken}$`, "im"));
    expect(plain).not.toMatch(/^(?:Reply-To|List-Unsubscribe|X-)/m);
  });

  test("nothing that a caller gave makes a header or another recipient", async () => {
    const taken: string[] = [];
    const server = await startServer((text) => {
      taken.push(text);
      return undefined;
    });
    const mailer = createSmtpMailer({ url: server.url, from: "sign@example.com" });
    const evil = 'Ann" <all@example.com>,\r\nBcc: all@example.com\u2028X-Evil: yes';
    await mailer.send({ ...mail, subject: evil, to: { name: evil, address: "ann@example.com" } });
    // What is no address is not one that something can be hidden in.
    await mailer
      .send({ ...mail, to: { name: "Ann", address: "ann@example.com\r\nBcc: all@example.com" } })
      .catch(() => {});
    await mailer.close();
    await server.close();
    for (const text of taken) {
      const names = [...(text.split("\r\n\r\n", 1)[0] ?? "").matchAll(/^([\w-]+):/gm)].map(([, name]) =>
        name?.toLowerCase(),
      );
      expect(names).not.toContain("bcc");
      expect(names).not.toContain("x-evil");
      expect(names.filter((name) => name === "to" || name === "subject")).toHaveLength(2);
    }
    expect(taken.length).toBeGreaterThan(0);
    expect([...new Set(server.recipients)]).toEqual(["ann@example.com"]);
  });

  test("what looks like an encoded word arrives as it was given", async () => {
    const heads: string[] = [];
    const server = await startServer((text) => {
      heads.push(text.split("\r\n\r\n", 1)[0] ?? "");
      return undefined;
    });
    const mailer = createSmtpMailer({ url: server.url, from: "sign@example.com" });
    const given = "Lease =?utf-8?B?RnJvbSB0aGUgYmFuaw==?= and =?utf-8?Q?=0D=0AX?=";
    for (const subject of [given, `Grüße ${given} für Sie`]) {
      await mailer.send({ ...mail, subject, to: { name: given, address: "ann@example.com" } });
    }
    await mailer.close();
    await server.close();
    const shown = heads.flatMap((head) => ["Subject", "To"].map((name) => decodedHeader(head, name)));
    expect(shown).toEqual([
      given,
      `${given} <ann@example.com>`,
      `Grüße ${given} für Sie`,
      `${given} <ann@example.com>`,
    ]);
  });

  test("tells a mailbox that is unknown from a server that has trouble", async () => {
    const server = await startServer(() => undefined, 550);
    const mailer = createSmtpMailer({ url: server.url, from: "sign@example.com" });
    await expect(mailer.send(mail)).rejects.toThrow(MailRefusedError);
    await mailer.close();
    await server.close();
  });

  test.each([450, 550])("tells the codes of what the server says, and not the address in it: %d", async (code) => {
    const answer = `${code === 450 ? 4 : 5}.2.0 <ann@example.com>: Recipient address rejected`;
    const server = await startServer(() => undefined, code, undefined, answer);
    const mailer = createSmtpMailer({ url: server.url, from: "sign@example.com" });
    const error: unknown = await mailer.send(mail).catch((reason: unknown) => reason);
    await mailer.close();
    await server.close();
    expect(error).toMatchObject({ message: expect.stringContaining(`RCPT TO ${code} ${answer.slice(0, 5)}`) });
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/ann@|rejected/);
  });

  test("rejects when the server refuses or is away, so that it is tried again", async () => {
    const server = await startServer(() => "try later");
    const mailer = createSmtpMailer({ url: server.url, from: "sign@example.com" });
    await expect(mailer.send(mail)).rejects.toThrow(/^the server has not taken the mail: .*451/);
    await server.close();
    await expect(mailer.send(mail)).rejects.toThrow();
    await mailer.close();
  });
});
