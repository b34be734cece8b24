import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createAuthority } from "../../rpc/test/certificates.ts";
import { type ConnectProxy, startConnectProxy } from "../../testing/connect-proxy.ts";
import { fetchThrough } from "../egress-fetch.ts";
import { createEgress, egressOf, egressSettings } from "../egress-proxy.ts";
import { createNamedReceivers } from "../receiver-settings.ts";
import { type Answer, says, useReceivers } from "./receivers.ts";

const { receive, poster } = useReceivers();
const authority = createAuthority("Test authority");
const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const ample = 20_000;
const brief = 200;

let proxy: ConnectProxy;
beforeAll(async () => {
  proxy = await startConnectProxy(["tsa.example.com"]);
});
afterAll(() => proxy.stop());
beforeEach(() => proxy.answer(undefined));

/** What the proxy is asked while this runs. */
async function askedDuring(work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = proxy.asked.length;
  await work();
  return proxy.asked.slice(before);
}

describe("an event through the proxy of the operator's network", () => {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 as const }];
  const post = (url: string, timeoutMs = ample, options: Parameters<typeof poster>[0] = {}) =>
    poster({ egress: createEgress(proxy.url), resolve, ca: authority.cert, ...options }).post({
      ...{ url, headers: {}, body: "{}", timeoutMs },
    });

  test("goes to the address that was checked, while TLS and Host have the name", async () => {
    const { port, received } = await receive(says(ok), authority.issue("hooks.example.org"));
    const [asked = ""] = await askedDuring(async () =>
      expect(await post(`https://hooks.example.org:${port}/in`)).toMatchObject({ kind: "answered", status: 200 }),
    );
    expect(asked.split("\r\n")).toEqual([`CONNECT 127.0.0.1:${port} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "", ""]);
    expect(received[0]).toContain(`host: hooks.example.org:${port}\r\n`);
  });

  test("trusts the proxy no more than the way itself: the certificate must be for the name", async () => {
    const { port } = await receive(says(ok), authority.issue("other.example.org"));
    const result = await post(`https://hooks.example.org:${port}/`);
    expect(result).toMatchObject({ reason: "tls", message: "The certificate is for another host name." });
  });

  test("is refused before the proxy hears of it, by the same rules as without one", async () => {
    const rules = { allowPrivate: false, ports: [8443] };
    const asked = await askedDuring(async () => {
      for (const url of [
        "https://hooks.example.org/",
        "https://10.0.0.1/",
        "http://hooks.example.org/",
        "https://x.org:22/",
      ]) {
        expect(await post(url, ample, { rules })).toMatchObject({ reason: "refused-address" });
      }
    });
    expect(asked).toEqual([]);
  });

  test("goes directly where the operator has said so, and nowhere else", async () => {
    const { port } = await receive(says(ok), authority.issue("hooks.bank.internal"));
    const egress = createEgress(proxy.url, [`*.bank.internal:${port}`]);
    const url = `https://hooks.bank.internal:${port}/`;
    const direct = async () => expect(await post(url, ample, { egress })).toMatchObject({ status: 200 });
    expect(await askedDuring(direct)).toEqual([]);
    expect(egress.isDirect({ host: "hooks.bank.internal", port: port + 1 })).toBe(false);
    expect(egress.isDirect({ host: "bank.internal.example.org", port })).toBe(false);
  });

  test("opens no way to this machine where receivers of the own network are listed", async () => {
    const { port } = await receive(says(ok), authority.issue("hooks.bank.internal"));
    const named = createNamedReceivers([`hooks.bank.internal:${port}`]);
    const rules = { allowPrivate: false, named };
    const refused = await post(`https://hooks.bank.internal:${port}/`, ample, { rules });
    expect(refused).toMatchObject({ reason: "refused-address" });
  });

  const said: readonly (readonly [string, Answer, string])[] = [
    [
      "refuses",
      says("HTTP/1.1 403 Forbidden\r\n\r\nsecret words"),
      "The proxy has refused the connection (status 403).",
    ],
    ["wants a login", says("HTTP/1.1 407 No\r\n\r\n"), "The proxy has refused the connection (status 407)."],
    ["is none", says("SSH-2.0-x\r\n\r\n"), "The proxy does not answer as a proxy."],
    ["never ends its answer", (socket) => socket.write("x".repeat(20_000)), "The proxy answers with too much."],
    ["hangs up", (socket) => socket.destroy(), "The proxy cannot be reached."],
  ];
  test.each(said)("fails by name when the proxy %s, and never goes directly", async (_how, answer, message) => {
    const { port, received } = await receive(says(ok), authority.issue("hooks.example.org"));
    proxy.answer(answer);
    const result = await post(`https://hooks.example.org:${port}/`);
    expect(result).toMatchObject({ kind: "failed", reason: "proxy", message });
    expect(received).toEqual([]);
  });

  test("ends in time when the proxy is silent or away", async () => {
    const url = "https://hooks.example.org:8443/";
    proxy.answer(() => {});
    expect(["timeout", "proxy"]).toContain(((await post(url, brief)) as { reason?: string }).reason);
    const egress = createEgress("http://127.0.0.1:1");
    const away = { reason: "proxy", message: "The proxy cannot be reached (ECONNREFUSED)." };
    expect(await post(url, ample, { egress })).toMatchObject(away);
  });
});

describe("a request to an address of the operator", () => {
  test("goes to the name, which the proxy looks up, with the login of the proxy as it is at that moment", async () => {
    const { port, received } = await receive(says("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok"));
    let login = "me:p%40ss@";
    const egress = createEgress(() => proxy.url.replace("//", `//${login}`));
    const ask = fetchThrough(egress);
    const asked = await askedDuring(async () => {
      const response = await ask(`http://tsa.example.com:${port}/tsa?a=1`, { method: "POST", body: "query" });
      expect([response.status, response.headers.get("x-a"), await response.text()]).toEqual([200, "b", "ok"]);
      login = "me:next@";
      await ask(`http://tsa.example.com:${port}/`, {});
    });
    const logins = asked.map((head) => /^Proxy-Authorization: Basic (.*)\r$/m.exec(head)?.[1] ?? "");
    expect(logins.map((text) => Buffer.from(text, "base64").toString())).toEqual(["me:p@ss", "me:next"]);
    expect(asked[0]).toMatch(new RegExp(`^CONNECT tsa\\.example\\.com:${port} HTTP/1\\.1\r\n`));
    expect(received[0]).toMatch(/^POST \/tsa\?a=1 HTTP\/1\.1\r\n[\s\S]*\r\n\r\nquery$/);
  });

  test("fails as fetch does, by the words of the proxy's refusal, when it is ended, and when the answer is too big", async () => {
    const ask = fetchThrough(createEgress(proxy.url));
    proxy.answer(says("HTTP/1.1 502 Bad\r\n\r\n"));
    const refused = "The proxy has refused the connection (status 502).";
    await expect(ask("http://tsa.example.com/", {})).rejects.toMatchObject({ name: "TypeError", message: refused });
    proxy.answer(() => {});
    const signal = AbortSignal.timeout(brief);
    await expect(ask("http://tsa.example.com/", { signal })).rejects.toThrow("aborted due to timeout");
    proxy.answer(undefined);
    const { port } = await receive((socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(1_100_000)}`));
    await expect(ask(`http://tsa.example.com:${port}/`, {})).rejects.toThrow("more than 1048576 bytes");
  });
});

describe("the settings of the proxy", () => {
  test("take an http URL without a path, and none means that there is none", () => {
    const { parse } = egressSettings.EGRESS_PROXY;
    expect(parse("http://me:pass@proxy.bank:3128")).toBe("http://me:pass@proxy.bank:3128");
    for (const bad of ["proxy:3128", "socks5://proxy:1", "https://proxy:3128", "http://proxy/path", "http://proxy?x"]) {
      expect(() => parse(bad)).toThrow("must be an http URL without a path");
    }
    expect(() => egressSettings.EGRESS_DIRECT.parse("a b")).toThrow("must list hosts");
    expect(egressOf({ EGRESS_PROXY: "", EGRESS_DIRECT: [] })).toBeUndefined();
  });
});
