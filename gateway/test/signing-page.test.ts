import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { SenderDecision, ViewKind } from "#gen/assent/sign/v1/signing_pb.ts";
import { DomainError } from "#platform/errors.ts";
import { createTestDatabase, type TestDatabase } from "#platform/testing/database.ts";
import { until } from "#platform/testing/until.ts";
import { sessionIdOf } from "../signing/session.ts";
import { orgA } from "./fake-auth.ts";
import { createFakeSign, type SigningHandlers } from "./fake-sign.ts";
import { sampleAgreement } from "./sample-agreement.ts";
import { createFakes, reportsSecret, startTestGateway, type TestGateway } from "./test-gateway.ts";

const html = "<!doctype html><title>Sign</title>";
const link = "L".repeat(64);
const sessionToken = "S".repeat(64);
const sid = sessionIdOf(sessionToken);
const cookie = `assent_signing=${sessionToken}`;
const page = `/signing/s/${sid}/`;
const browser = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const agreement = sampleAgreement({ status: AgreementStatus.SENT });

let database: TestDatabase;
let gateway: TestGateway;
let folder: string;
/** What the service was asked. */
let asked: { method: string; request: Record<string, unknown> }[] = [];
let ended: Error | undefined;
let frameAncestors: string[] = [];

const answering =
  <Answer>(method: string, answer: () => Answer) =>
  (request: unknown): Answer => {
    asked.push({ method, request: request as Record<string, unknown> });
    if (ended !== undefined) throw ended;
    return answer();
  };
const back = (event: string) => () => ({ returnUrl: `https://app.example/?event=${event}` });

const handlers: SigningHandlers = {
  openView: answering("openView", () => ({ sessionToken, kind: ViewKind.RECIPIENT, frameAncestors })),
  getCeremony: answering("getCeremony", () => ({
    kind: ViewKind.RECIPIENT,
    agreement,
    recipientId: agreement.recipients[0]?.id ?? "",
    frameAncestors,
    organizationName: "Acme",
    canAct: true,
    consentTexts: [
      { locale: "en", introduction: "Read this:", points: ["All."], agreement: "I agree.", sha256: new Uint8Array(32) },
    ],
    timeoutUrl: "https://app.example/?event=session_timeout",
  })),
  getCeremonyDocument: answering("getCeremonyDocument", () => ({
    content: Buffer.from("%PDF-1.7"),
    fileName: "Größe.pdf",
  })),
  giveConsent: answering("giveConsent", () => ({ consentedAt: timestampFromDate(new Date(0)) })),
  addAttachment: answering("addAttachment", () => ({ value: "file-1" })),
  finishSigning: answering("finishSigning", back("signing_complete")),
  declineSigning: answering("declineSigning", back("decline")),
  leaveSigning: answering("leaveSigning", back("cancel")),
  endSenderView: answering("endSenderView", () => ({ returnUrl: "" })),
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assent-signing-"));
  mkdirSync(join(folder, "code"));
  mkdirSync(join(folder, "cmaps"));
  writeFileSync(join(folder, "index.html"), html);
  writeFileSync(join(folder, "code/page.js"), "void 0;");
  writeFileSync(join(folder, "cmaps/H.bcmap"), "map");
  database = await createTestDatabase();
  const fakes = { ...(await createFakes()), sign: createFakeSign(() => ({}), handlers) };
  gateway = await startTestGateway(database.url, {
    fakes,
    fetch: atSns,
    config: { signingPageFolder: folder, abuseContact: "abuse@example.com" },
  });
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  asked = [];
  ended = undefined;
  frameAncestors = [];
});

const snsKeys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const snsAsked: string[] = [];

/** Stands for SNS: it has one key, and is away where the name of a key begins with ffff. */
async function atSns(url: string): Promise<Response> {
  snsAsked.push(url);
  if (url.includes("Service-ffff")) throw new TypeError("fetch failed");
  return new Response(snsKeys.publicKey.export({ type: "spki", format: "pem" }));
}

const createBrand = async () =>
  gateway.call("POST", "/v1/sign/brands", {
    token: await gateway.auth.token("sign:admin"),
    body: { name: "Green", colors: { button: "#0b5d3b", header: "#0b5d3b" }, footer: "Our <footer>\nBerlin" },
  });

const expired = (returnUrl?: string): DomainError =>
  new DomainError("VIEW_URL_EXPIRED", returnUrl === undefined ? {} : { metadata: { returnUrl } });

describe("a link", () => {
  test("becomes a session that only the browser has that opened it", async () => {
    const { status, headers, text } = await gateway.call("GET", `/signing/${link}`, { headers: browser });
    expect([status, headers.get("location"), text]).toEqual([303, page, ""]);
    expect(headers.get("set-cookie")).toBe(`${cookie}; Path=/signing/s/${sid}; HttpOnly; SameSite=Lax`);
    expect([headers.get("cache-control"), headers.get("referrer-policy")]).toEqual([
      "private, no-store",
      "no-referrer",
    ]);
    expect(asked[0]?.request).toMatchObject({ token: link, visitor: { ip: "127.0.0.1" } });
  });

  test("is not opened by a HEAD, nor by what cannot be one", async () => {
    expect((await gateway.call("HEAD", `/signing/${link}`)).status).toBe(200);
    expect((await gateway.call("GET", "/signing/short")).body.errorCode).toBe("VIEW_URL_EXPIRED");
    expect(asked).toEqual([]);
  });

  test.each([
    [{ "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" }, 200],
    [{ "User-Agent": "facebookexternalhit/1.1" }, 200],
    [{ ...browser, "Sec-Purpose": "prefetch;prerender" }, 503],
    [{ ...browser, "X-Moz": "prefetch" }, 503],
  ])("is not opened by a preview: %j", async (headers, expected) => {
    const answer = await gateway.call("GET", `/signing/${link}`, { headers });
    expect([answer.status, answer.headers.get("set-cookie"), asked]).toEqual([expected, null, []]);
  });

  test("that has ended leads browsers back and tells programs", async () => {
    ended = expired("https://app.example/zurück?event=ttl_expired");
    const led = await gateway.call("GET", `/signing/${link}`, { headers: browser });
    expect([led.status, led.headers.get("location")]).toEqual([
      303,
      "https://app.example/zur%C3%BCck?event=ttl_expired",
    ]);
    const told = await gateway.call("GET", `/signing/${link}`, { headers: { Accept: "application/json" } });
    expect([told.status, told.body.errorCode]).toEqual([400, "VIEW_URL_EXPIRED"]);
    ended = expired();
    const shown = await gateway.call("GET", `/signing/${link}`, { headers: browser });
    expect([shown.status, shown.text]).toEqual([200, expect.stringContaining("This link doesn’t work")]);
    expect(shown.headers.get("content-security-policy")).toContain("default-src 'none'");
  });
});

describe("the host name of an organization", () => {
  const host = "agreements.customer.test";
  const tokenOf = (orgId: string): string =>
    Buffer.concat([Buffer.from(orgId.replaceAll("-", ""), "hex"), Buffer.alloc(32, 7)]).toString("base64url");
  /** Asks there; fetch names no other host than that of the address. */
  const at = async (method: string, path: string, headers: Record<string, string> = {}, body = "") => {
    const asking = request(`${gateway.url}${path}`, {
      method,
      headers: { Host: host, "Content-Length": body.length, ...headers },
    });
    asking.end(body);
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    const text = await new Response(Readable.toWeb(answer) as ReadableStream).text();
    return { status: answer.statusCode, headers: answer.headers, text };
  };

  test("shows the pages of its links, and nothing else and of nobody else", async () => {
    const token = await gateway.auth.token("sign:admin click:read");
    // Not proved yet: an address as any other.
    expect((await at("GET", "/.well-known/jwks.json")).status).toBe(200);
    const made = await gateway.call("POST", "/v1/sign/page-hosts", { token, body: { host } });
    await gateway.call("POST", `/v1/sign/page-hosts/${made.body.id}/check`, { token });
    await until(async () => (await at("GET", "/.well-known/jwks.json")).status === 404);
    for (const path of ["/", "/dashboard/", "/v1/sign/brands", "/oauth2/token", "/restapi/v2.1/accounts/1", "/docs"]) {
      expect([path, (await at("GET", path, { Authorization: `Bearer ${token}` })).status]).toEqual([path, 404]);
    }
    expect((await at("GET", "/signing/assets/code/page.js")).status).toBe(200);
    expect((await at("GET", "/healthz")).status).toBe(200);
    const opened = await at("GET", `/signing/${tokenOf(orgA)}`, browser);
    expect([opened.status, opened.headers.location]).toEqual([303, page]);
    expect(opened.headers["set-cookie"]?.[0]).toMatch(
      /^assent_signing=\w+; Path=\/signing\/s\/[\w-]+; HttpOnly; SameSite=Lax$/,
    );

    asked = [];
    const foreign = "01960000-0000-7000-8000-0000000000ff";
    const refused = await at("GET", `/signing/${tokenOf(foreign)}`, browser);
    expect([refused.status, refused.headers["set-cookie"], asked]).toEqual([200, undefined, []]);
    expect(refused.text).toContain("This link doesn’t work");
    // Whoever has put the cookie there.
    const ceremonyOf = (orgId: string) => {
      const session = tokenOf(orgId);
      const headers = { Cookie: `assent_signing=${session}` };
      return at("GET", `/signing/s/${sessionIdOf(session)}/ceremony`, headers);
    };
    expect((await ceremonyOf(orgA)).status).toBe(200);
    expect((await ceremonyOf(foreign)).status).toBe(400);
    expect((await at("GET", `/brand-images/${foreign}/${"0".repeat(64)}`)).status).toBe(404);

    const session = tokenOf(orgA);
    const answerTo = async (Origin: string) => {
      const headers = { Origin, Cookie: `assent_signing=${session}`, "Content-Type": "application/json" };
      return (await at("POST", `/signing/s/${sessionIdOf(session)}/decline`, headers, `{"reason":""}`)).text;
    };
    expect(await answerTo("http://elsewhere.test")).toContain("Only the signing page itself may send this.");
    expect(await answerTo(`http://${host}`)).toContain("event=decline");
  });
});

describe("a browser that follows a link which leads nowhere", () => {
  test("is told what became of the agreement, by its subject and in its language", async () => {
    const metadata = { outcome: "declined-by-you", subject: "Lease <1>" };
    ended = new DomainError("VIEW_URL_EXPIRED", { metadata });
    const headers = { ...browser, "Accept-Language": "de-CH,de;q=0.9,en;q=0.5" };
    const { status, text } = await gateway.call("GET", `/signing/${link}`, { headers });
    expect(status).toBe(200);
    expect(text).toContain('<html lang="de" dir="ltr">');
    expect(text).toContain("Sie haben abgelehnt");
    expect(text).toContain("Lease &lt;1&gt;");
    ended = new DomainError("VIEW_URL_EXPIRED", { metadata: { outcome: "constructor" } });
    const odd = await gateway.call("GET", `/signing/${link}`, { headers: { ...browser, "Accept-Language": "xx" } });
    expect(odd.text).toContain("This link doesn’t work");
  });

  test("is told in the direction of its language, in the look of the signing page", async () => {
    ended = new DomainError("VIEW_URL_EXPIRED", { metadata: { outcome: "closed", subject: "Lease" } });
    const headers = { ...browser, "Accept-Language": "en;q=0.5, ar-EG" };
    const answer = await gateway.call("GET", `/signing/${link}`, { headers });
    expect(answer.text).toContain('<html lang="ar" dir="rtl">');
    expect(answer.text).toContain("أُغلقت هذه الصفحة");
    const style = /<style>(.*)<\/style>/.exec(answer.text)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(answer.headers.get("content-security-policy")).toContain(`style-src 'sha256-${hash}'`);
  });

  test("is told in the look of the sender, who it was, and where to report abuse", async () => {
    const { body } = await createBrand();
    const metadata = {
      outcome: "voided",
      subject: "Lease",
      organizationId: orgA,
      agreementId: "a-1",
      brandId: body.id,
    };
    ended = new DomainError("VIEW_URL_EXPIRED", { metadata });
    const answer = await gateway.call("GET", `/signing/${link}`, { headers: browser });
    const [, sheet = ""] = /<style>(:root\{--brand:.*?)<\/style>/.exec(answer.text) ?? [];
    expect(sheet).toContain("--brand-header:#0b5d3b");
    const hash = createHash("sha256").update(sheet).digest("base64");
    expect(answer.headers.get("content-security-policy")).toContain(` 'sha256-${hash}'; img-src 'self' data:;`);
    expect(answer.text).toContain("Our &lt;footer&gt;<br>Berlin");
    expect(answer.text).toContain("Asked by <bdi>Example AG</bdi>");
    expect(answer.text).toContain('<a href="mailto:abuse@example.com?subject=Abuse%3A%20a-1">Report abuse</a>');
  });

  test("is told to try again when there is too much to do, and programs get the error", async () => {
    ended = new DomainError("SERVICE_UNAVAILABLE", { metadata: { retryAfterSeconds: "7" } });
    const { status, headers, text } = await gateway.call("GET", `/signing/${link}`, { headers: browser });
    expect([status, headers.get("retry-after"), headers.get("content-type")]).toEqual([
      ...[503, "7", "text/html; charset=utf-8"],
    ]);
    expect(text).toContain("Please wait a moment");
    expect(text).toContain(`Reference for support: ${headers.get("x-request-id")}`);
    ended = new Error("out of luck");
    const failed = await gateway.call("GET", `/signing/${link}`, { headers: browser });
    expect([failed.status, failed.text]).toEqual([500, expect.stringContaining("That didn’t work")]);
    const told = await gateway.call("GET", `/signing/${link}`, { headers: { Accept: "application/json" } });
    expect(told.body.errorCode).toBe("INTERNAL_ERROR");
  });

  test.each([
    ["/signing/short"],
    [`/signing/${"x".repeat(1_001)}`],
    ["/signing/%E0%A4%A"],
    ["/signing/"],
    ["/signing/a/b"],
    ["/signing/s/short/"],
    [`/signing/s/${sid}`],
  ])("sees a page, and never JSON: %s", async (path) => {
    // Some of them are no address of the interface at all, which has no pages for those.
    const answer = await fetch(gateway.url + path, { headers: browser });
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await answer.text()).toContain("This link doesn’t work");
    const told = await gateway.call("GET", path, { headers: { Accept: "application/json" } });
    expect(told.body.errorCode).toEqual(expect.any(String));
  });
});

describe("the page", () => {
  test("lets nothing run but our own files, and only the origins of the link frame it", async () => {
    const policyOf = async () =>
      (await gateway.call("GET", page, { headers: { cookie } })).headers.get("content-security-policy") ?? "";
    expect((await policyOf()).split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "font-src 'self'",
      "img-src 'self' data: blob:",
      "connect-src 'self'",
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    frameAncestors = ["https://app.example", "https://www.example"];
    expect(await policyOf()).toContain("frame-ancestors https://app.example https://www.example");
  });

  test("is for whoever has the cookie of this very session", async () => {
    for (const headers of [{}, { cookie: "assent_signing=other" }, { cookie: `other=${sessionToken}` }]) {
      const answer = await gateway.call("GET", `${page}ceremony`, { headers });
      expect([answer.status, answer.body.errorCode]).toEqual([400, "VIEW_URL_EXPIRED"]);
    }
    expect(asked).toEqual([]);
    const found = await gateway.call("GET", page, { headers: { cookie: `assent_signing=other; ${cookie}` } });
    expect([found.status, found.text]).toEqual([200, html]);
  });

  test("loads the files that were built, and no others", async () => {
    const script = await gateway.call("GET", "/signing/assets/code/page.js");
    expect([script.status, script.text, script.headers.get("content-type")]).toEqual([
      200,
      "void 0;",
      "text/javascript; charset=utf-8",
    ]);
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const map = await gateway.call("GET", "/signing/assets/cmaps/H.bcmap");
    expect([map.status, map.headers.get("cache-control")]).toEqual([200, "public, max-age=86400"]);
    for (const path of ["code/other.js", "code/%2e%2e%2findex.html", "cmaps/page.js", "constructor/name"]) {
      expect((await gateway.call("GET", `/signing/assets/${path}`)).status).toBe(404);
    }
  });
});

describe("a session", () => {
  const post = (name: string, body: unknown, headers = {}) =>
    gateway.call("POST", `${page}${name}`, { headers: { cookie, ...headers }, body });

  test("shows the ceremony and its documents", async () => {
    const ceremony = await gateway.call("GET", `${page}ceremony`, { headers: { cookie } });
    expect(ceremony.body).toMatchObject({
      reportAbuseUrl: expect.stringMatching(/^mailto:abuse@example\.com\?subject=Abuse%3A%20[0-9a-f-]{36}$/),
      kind: "recipient",
      canAct: true,
      agreement: { id: agreement.id, organizationName: "Acme" },
      recipient: { recipientId: "1", role: "signer" },
      consent: {
        required: true,
        givenAt: null,
        texts: [
          {
            ...{ locale: "en", introduction: "Read this:", points: ["All."], agreement: "I agree." },
            textSha256: "00".repeat(32),
          },
        ],
      },
      timeoutUrl: "https://app.example/?event=session_timeout",
    });
    expect(asked[0]?.request).toMatchObject({ sessionToken });
    const document = await gateway.call("GET", `${page}documents/1`, { headers: { cookie } });
    expect([document.text, document.headers.get("content-type")]).toEqual(["%PDF-1.7", "application/pdf"]);
    expect(document.headers.get("content-disposition")).toContain("filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf");
    expect(asked.at(-1)).toMatchObject({ method: "getCeremonyDocument", request: { visitor: { ip: "127.0.0.1" } } });
    expect((await gateway.call("HEAD", `${page}documents/1`, { headers: { cookie } })).status).toBe(200);
    expect(asked.at(-1)?.method).toBe("getCeremony");
  });

  test("hands on what the person does", async () => {
    const png = "iVBORw0KGgo=";
    const values = [{ tabId: "tab-1", value: "Lisbon" }];
    const signature = { typed: "Ann", font: "caveat", drawnPng: png };
    expect((await post("consent", { textSha256: "ab".repeat(32), locale: "en" })).body).toEqual({
      consentedAt: "1970-01-01T00:00:00.000Z",
    });
    const attached = await post("attachments", { tabId: "tab-2", fileName: "id.png", contentBase64: png });
    expect(attached.body).toEqual({ value: "file-1" });
    const finished = await post("finish", { values, signature, initials: null });
    expect(finished.body).toEqual({ returnUrl: "https://app.example/?event=signing_complete" });
    expect((await post("leave", { values })).body).toEqual({ returnUrl: "https://app.example/?event=cancel" });
    expect((await post("decline", { reason: "No." })).body).toEqual({
      returnUrl: "https://app.example/?event=decline",
    });
    expect((await post("decision", { decision: "save" })).body).toEqual({ returnUrl: null });
    const requests = new Map(asked.map(({ method, request }) => [method, request]));
    expect(requests.get("finishSigning")).toMatchObject({ sessionToken, values, signature: { typed: "Ann" } });
    expect(requests.get("finishSigning")?.initials).toBeUndefined();
    expect(requests.get("addAttachment")).toMatchObject({ content: new Uint8Array(Buffer.from(png, "base64")) });
    expect(requests.get("endSenderView")).toMatchObject({ decision: SenderDecision.SAVE });
    for (const { request } of asked) expect(request).toMatchObject({ visitor: { ip: "127.0.0.1" } });
  });

  test("takes nothing from pages of other sites, nor what is no Base64", async () => {
    const foreign = await post("decline", { reason: "" }, { Origin: "https://evil.example" });
    expect([foreign.status, foreign.body.errorCode]).toEqual([400, "VALIDATION_FAILED"]);
    expect((await post("decline", { reason: "" }, { Origin: "null" })).status).toBe(400);
    const broken = await post("attachments", { tabId: "t", fileName: "a", contentBase64: "%%%%" });
    expect(broken.body.details).toMatchObject([{ field: "contentBase64", code: "INVALID_BASE64" }]);
    expect(asked).toEqual([]);
    expect((await post("decline", { reason: "" }, { Origin: gateway.url })).status).toBe(200);
  });

  test("that has ended leads the browser back", async () => {
    ended = expired("https://app.example/?event=session_timeout");
    const { status, headers } = await gateway.call("GET", page, { headers: { cookie, ...browser } });
    expect([status, headers.get("location")]).toEqual([303, "https://app.example/?event=session_timeout"]);
  });
});

test("a link in a frame of another site gets a cookie of its own kind over https, and too many wrong links are refused", async () => {
  const fakes = { ...(await createFakes()), sign: createFakeSign(() => ({}), handlers) };
  const other = await startTestGateway(database.url, { fakes, config: { publicUrl: "https://sign.example" } });
  try {
    frameAncestors = ["https://app.example"];
    const { headers } = await other.call("GET", `/signing/${link}`, { headers: browser });
    expect(headers.get("set-cookie")).toBe(
      `${cookie}; Path=/signing/s/${sid}; HttpOnly; SameSite=None; Partitioned; Secure`,
    );
    const statuses = new Set<number>();
    for (let tried = 0; tried < 302; tried += 1) statuses.add((await other.call("GET", "/signing/wrong")).status);
    expect(statuses).toEqual(new Set([400, 429]));
    const shown = await fetch(`${other.url}/signing/wrong`, { headers: browser });
    expect([shown.status, await shown.text()]).toEqual([429, expect.stringContaining("Please wait a moment")]);
  } finally {
    await other.stop();
  }
});

describe("the address that turns notices off", () => {
  const call = async (method: string, token: string, body?: string) => {
    const headers = { ...browser, "Accept-Language": "de", "Content-Type": "application/x-www-form-urlencoded" };
    const url = `http://127.0.0.1:${gateway.port}/notices/stop/${token}`;
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, text: await answer.text(), policy: answer.headers.get("content-security-policy") };
  };

  test("asks first, and does it at one click of a mail program or of the page", async () => {
    const asked = await call("GET", "A".repeat(64));
    expect([asked.status, asked.policy]).toEqual([200, expect.stringContaining("form-action 'self'")]);
    expect(asked.text).toContain('<form method="post"><button type="submit">Deaktivieren</button>');
    for (const body of ["List-Unsubscribe=One-Click", "", undefined]) {
      const done = await call("POST", "A".repeat(64), body);
      expect([done.status, done.text]).toEqual([200, expect.stringContaining("Benachrichtigungen sind aus")]);
    }
    for (const body of ["List-Unsubscribe=One-Click", ""]) {
      const unknown = await call("POST", "B".repeat(64), body);
      expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining("Link funktioniert nicht mehr")]);
    }
    const program = await gateway.call("POST", `/notices/stop/${"B".repeat(64)}`);
    expect([program.status, program.body.errorCode]).toEqual([404, "NOT_FOUND"]);
  });
});

describe("the address that takes reports on mails", () => {
  const token = "A".repeat(80);
  const postmark = { RecordType: "Bounce", Type: "HardBounce", Metadata: { Assent: token } };
  const message = `\
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.com

Final-Recipient: rfc822; ann@example.com
Action: failed
Status: 5.1.1

--b
Content-Type: text/rfc822-headers

X-Assent-Report: ${token}

--b--
`;
  const report = async (body: string, contentType = "application/json", secret = reportsSecret) => {
    const before = gateway.sign.seen.requests.length;
    const headers = { "Content-Type": contentType };
    const { status } = await gateway.call("POST", `/mail/reports/${secret}`, { body, headers });
    const asked = gateway.sign.seen.requests.slice(before);
    return [status, asked.map(({ request }) => request)] as const;
  };
  const noted = (status: string) => [202, [expect.objectContaining({ token, status })]];

  test("reads messages in both forms, and the webhook of Postmark", async () => {
    expect(await report(message, 'multipart/report; report-type=delivery-status; boundary="b"')).toEqual(
      noted("5.1.1"),
    );
    const whole = `MIME-Version: 1.0\nContent-Type: multipart/report; boundary=b\n\n${message}`;
    expect(await report(whole, "message/rfc822")).toEqual(noted("5.1.1"));
    expect(await report(JSON.stringify(postmark))).toEqual(noted(""));
  });

  test("answers the same to what tells of no lost mail, and refuses what it cannot read", async () => {
    for (const other of [
      { ...postmark, Type: "SoftBounce" },
      { ...postmark, RecordType: "Delivery" },
      { ...postmark, Metadata: {} },
      { ...postmark, Metadata: { assent: 1 } },
      { ...postmark, Metadata: { assent: "A".repeat(201) } },
    ]) {
      expect(await report(JSON.stringify(other))).toEqual([202, []]);
    }
    expect(await report("Subject: I am away\n\nBack on Monday.", "message/rfc822")).toEqual([202, []]);
    expect(await report("{}")).toEqual([400, []]);
    expect(await report("x".repeat(1_048_577), "message/rfc822")).toEqual([400, []]);
    expect(await report(message, "multipart/mixed; boundary=b")).toEqual([415, []]);
  });

  describe("of Amazon SES", () => {
    const topic = "arn:aws:sns:eu-central-1:123456789012:bounces";
    const keyUrl = `https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-${"0a".repeat(16)}.pem`;
    const mail = { headers: [{ name: "X-Assent-Report", value: token }] };
    const bounce = { bounceType: "Permanent", bouncedRecipients: [{ emailAddress: "a@example.com", status: "5.1.1" }] };
    const bounced = { notificationType: "Bounce", bounce, mail };
    const signed = (given: Record<string, string>, digest = "sha256"): string => {
      const content: Record<string, string> = { MessageId: "m-1", TopicArn: topic, Timestamp: "now", ...given };
      const text = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]
        .flatMap((name) => (content[name] === undefined ? [] : [`${name}\n${content[name]}\n`]))
        .join("");
      const Signature = sign(digest, Buffer.from(text), snsKeys.privateKey).toString("base64");
      const SignatureVersion = digest === "sha1" ? "1" : "2";
      return JSON.stringify({ SigningCertURL: keyUrl, ...content, SignatureVersion, Signature });
    };
    const notification = (content: unknown, more: Record<string, string> = {}): string =>
      signed({ Type: "Notification", Message: JSON.stringify(content), ...more });
    const told = (body: string) => report(body, "text/plain; charset=UTF-8");

    test("are read when SNS has signed them", async () => {
      expect(await told(notification(bounced))).toEqual(noted("5.1.1"));
      const { notificationType: _, ...others } = bounced;
      const event = { ...others, eventType: "Bounce", bounce: { ...bounce, bouncedRecipients: [] } };
      expect(await told(notification(event, { Subject: "Amazon SES" }))).toEqual(noted(""));
      const older = signed({ Type: "Notification", Message: JSON.stringify(bounced) }, "sha1");
      expect(await told(older)).toEqual(noted("5.1.1"));
    });

    test("change nothing when somebody else has signed them, or when they tell of no lost mail", async () => {
      const changed = JSON.parse(notification(bounced));
      const others = [
        JSON.stringify({ ...changed, MessageId: "m-2" }),
        JSON.stringify({ ...changed, Signature: "" }),
        JSON.stringify({ ...changed, SignatureVersion: "constructor" }),
        JSON.stringify({ ...changed, Message: 1 }),
        notification({ ...bounced, bounce: { ...bounce, bounceType: "Transient" } }),
        notification({ ...bounced, notificationType: "Complaint" }),
        notification({ ...bounced, mail: {} }),
        notification([null]),
        signed({ Type: "UnsubscribeConfirmation", Message: "Bye" }),
        "not JSON",
        "[]",
      ];
      for (const other of others) expect([other, await told(other)]).toEqual([other, [202, []]]);
    });

    test("never lead this process to another host", async () => {
      snsAsked.length = 0;
      const hosts = [
        "https://sns.eu-central-1.amazonaws.com.evil.example",
        "https://sns.us-east-1.amazonaws.com",
        "http://sns.eu-central-1.amazonaws.com",
        "https://sns.eu-central-1.amazonaws.com:8443",
        "https://sns.eu-central-1.amazonaws.com@evil.example",
        "https://sns.eu-central-1.amazonaws.com/bucket",
      ];
      for (const host of hosts) {
        const SigningCertURL = `${host}/SimpleNotificationService-${"0a".repeat(16)}.pem`;
        expect(await told(notification(bounced, { SigningCertURL }))).toEqual([202, []]);
      }
      for (const TopicArn of ["arn:aws:sns:evil.example/:123456789012:bounces", "arn:aws:s3:::bucket", ""]) {
        expect(await told(notification(bounced, { TopicArn }))).toEqual([202, []]);
      }
      // A bucket that is named sns, whose owner could keep any key there.
      for (const region of ["s3", "s3-us-west-2", "s3-accelerate", "s3-website-us-east-1"]) {
        const SigningCertURL = `https://sns.${region}.amazonaws.com/SimpleNotificationService-${"0a".repeat(16)}.pem`;
        const TopicArn = `arn:aws:sns:${region}:123456789012:bounces`;
        expect(await told(notification(bounced, { TopicArn, SigningCertURL }))).toEqual([202, []]);
      }
      expect(snsAsked).toEqual([]);
    });

    test("are subscribed to at the topic's own host, whatever the message says, once it is signed", async () => {
      const asking = { Type: "SubscriptionConfirmation", Message: "Confirm", Token: "t&1" };
      const confirmation = signed({ ...asking, SubscribeURL: "https://evil.example/" });
      snsAsked.length = 0;
      expect(await told(confirmation.replace("t&1", "t&2"))).toEqual([202, []]);
      expect(await told(confirmation)).toEqual([202, []]);
      const query = `Action=ConfirmSubscription&TopicArn=${encodeURIComponent(topic)}&Token=t%261`;
      expect(snsAsked.filter((url) => !url.endsWith(".pem"))).toEqual([
        `https://sns.eu-central-1.amazonaws.com/?${query}`,
      ]);
    });

    test("are sent again while SNS cannot be asked", async () => {
      const SigningCertURL = keyUrl.replace("Service-0a0a", "Service-ffff");
      expect(await told(notification(bounced, { SigningCertURL }))).toEqual([503, []]);
    });
  });

  test("is nowhere without the secret, and where none is set", async () => {
    expect(await report(JSON.stringify(postmark), "application/json", "B".repeat(32))).toEqual([404, []]);
    const other = await startTestGateway(database.url, { config: { mailReportsSecret: "" } });
    try {
      for (const path of [`/mail/reports/${reportsSecret}`, "/mail/nothing"]) {
        const { status, body } = await other.call("POST", path, { body: postmark });
        expect([status, body.errorCode]).toEqual([404, "NOT_FOUND"]);
      }
    } finally {
      await other.stop();
    }
  });
});
