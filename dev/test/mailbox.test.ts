import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ConfigError } from "#platform/config.ts";
import { createMailbox, type Mailbox, openLocalMail } from "../local-copy.ts";
import { type LocalServer, serveLocally } from "./local-server.ts";

let mailbox: Mailbox;
let server: LocalServer;
let baseUrl: string;

beforeAll(async () => {
  mailbox = createMailbox();
  server = await serveLocally(mailbox.handle);
  baseUrl = server.baseUrl;
});
afterAll(() => server.close());

const mailOf = (n: number, text = "Hello") => ({
  ...{ to: { name: "Ann", address: "ann@example.com" }, subject: `Subject ${n}.`, html: "" },
  ...{ text, messageId: `<${n}@localhost>` },
});

const page = async (): Promise<string> => (await fetch(`${baseUrl}/mailbox`)).text();

test("shows mails as text, with links that can be followed and nothing that runs", async () => {
  expect(await page()).toContain("No emails yet");
  const evil = '<img src=x onerror="alert(1)">';
  await mailbox.mailer.send({
    ...mailOf(0, `${evil}\njavascript:alert(1)\nhttps://sign.example.com/signing/a&b\n`),
    ...{ subject: evil, to: { name: evil, address: "ann@example.com" } },
  });
  const response = await fetch(`${baseUrl}/mailbox?x=1`);
  const text = await response.text();
  expect(text).not.toContain("<img");
  expect(text).not.toContain('href="javascript:');
  expect(text).toContain('<a href="https://sign.example.com/signing/a&amp;b" target="_blank" rel="noreferrer">');
  const policy = response.headers.get("content-security-policy");
  const hash = "'sha256-[\\w+/]{43}='";
  expect(policy).toMatch(
    new RegExp(`^default-src 'none'; style-src ${hash}; script-src ${hash}; connect-src 'self'; `),
  );
});

test("shows who a mail is from, where answers go, and its HTML, which runs nothing and has its pictures", async () => {
  const logo = { fileName: "logo.png", mediaType: "image/png", content: Buffer.from("png"), contentId: "logo" };
  await mailbox.mailer.send({
    ...mailOf(9, "שלום"),
    ...{ fromName: "Example <AG>", replyTo: { name: "Legal", address: "legal@example.com" }, attachments: [logo] },
    html: '<p onclick="alert(1)"><img src="cid:logo" alt="Logo"></p>',
  });
  const text = await page();
  expect(text).toContain(
    "from <bdi>Example &lt;AG&gt;</bdi>, replies go to <bdi>Legal &lt;legal@example.com&gt;</bdi>",
  );
  expect(text).toContain('<p class="text" dir="auto">שלום</p>');
  const [, path = ""] = /href="(\/mailbox\/[0-9a-f]{32})"[^>]*>as HTML/.exec(text) ?? [];
  const shown = await fetch(baseUrl + path);
  expect(await shown.text()).toContain('src="data:image/png;base64,cG5n"');
  expect(shown.headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*; sandbox allow-popups/);
  expect(await server.askAs("evil.example", path)).toBe(421);
});

test("keeps the last two hundred, and a mail that comes again once", async () => {
  for (let n = 0; n <= 250; n += 1) await mailbox.mailer.send(mailOf(n));
  await mailbox.mailer.send(mailOf(250));
  const text = await page();
  expect(text.match(/<article>/g)).toHaveLength(200);
  expect(text.match(/Subject 250\./g)).toHaveLength(1);
  expect(text).not.toContain("Subject 50.");
});

test("answers nobody who calls this machine by another name", async () => {
  expect(await server.askAs("evil.example", "/mailbox")).toBe(421);
  expect((await fetch(`${baseUrl}/mailbox`, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${baseUrl}/mailboxes`)).status).toBe(404);
});

test("is there when no mail server is, and links lead to the copy itself", () => {
  const local = openLocalMail({});
  expect(local.hasMailbox).toBe(true);
  expect(() => local.setup.publicUrl()).toThrow("not known yet");
  local.open("http://127.0.0.1:8080");
  expect(local.setup.publicUrl()).toBe("http://127.0.0.1:8080");
  const real = openLocalMail({
    SMTP_URL: "smtp://127.0.0.1:1",
    MAIL_FROM: "a@example.com",
    PUBLIC_URL: "https://s.example/",
  });
  real.open("http://127.0.0.1:8080");
  expect([real.hasMailbox, real.setup.publicUrl()]).toEqual([false, "https://s.example"]);
  for (const env of [{ SMTP_URL: "http://127.0.0.1" }, { SMTP_URL: "smtp://127.0.0.1" }, { MAIL_FROM: "nobody" }]) {
    expect(() => openLocalMail(env)).toThrow(ConfigError);
  }
});
