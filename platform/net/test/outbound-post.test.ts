import { gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { until } from "../../testing/until.ts";
import { allowedAddresses, type OutboundPoster, type OutboundRequest } from "../outbound-post.ts";
import { resolvedUrlProblem } from "../outbound-url.ts";
import { createNamedReceivers } from "../receiver-settings.ts";
import { type Answer, says, useReceivers } from "./receivers.ts";

const { receive, poster } = useReceivers();

const ample = 20_000;
const brief = 100;

const post = (by: OutboundPoster, url: string, changes: Partial<OutboundRequest> = {}) =>
  by.post({ url, headers: { "Content-Type": "application/json" }, body: "{}", timeoutMs: ample, ...changes });

const resolveTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? (6 as const) : (4 as const) }));

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** What comes of a receiver that answers like this. */
async function resultOf(answer: Answer, timeoutMs = ample) {
  const receiver = await receive(answer);
  return post(poster(), `http://127.0.0.1:${receiver.port}/in`, { timeoutMs });
}

describe("an answer", () => {
  test("has its status, and the request arrives as it was given", async () => {
    const receiver = await receive(says(ok));
    const result = await post(poster(), `http://127.0.0.1:${receiver.port}/in?a=1`, {
      body: Buffer.from('{"name":"é"}'),
      headers: { "Webhook-Id": "evt_1", Host: "elsewhere", "content-length": "1", "Transfer-Encoding": "chunked" },
    });

    expect(result).toEqual({ kind: "answered", status: 200, excerpt: "ok", durationMs: expect.any(Number) });
    const [head, body] = receiver.received[0]?.split("\r\n\r\n") ?? [];
    expect(body).toBe('{"name":"é"}');
    expect(head?.split("\r\n").sort()).toEqual([
      "POST /in?a=1 HTTP/1.1",
      "Webhook-Id: evt_1",
      "accept-encoding: identity",
      "connection: close",
      "content-length: 13",
      `host: 127.0.0.1:${receiver.port}`,
    ]);
  });

  test("without a body or a length is one too", async () => {
    await expect(resultOf(says("HTTP/1.1 204 No Content\r\n\r\n"))).resolves.toMatchObject({
      status: 204,
      excerpt: "",
    });
    await expect(resultOf(says("HTTP/1.0 500 No\r\n\r\nsorry"))).resolves.toMatchObject({
      status: 500,
      excerpt: "sorry",
    });
  });

  test("that redirects is not followed", async () => {
    for (const location of ["http://169.254.169.254/latest/meta-data/", "//localhost/", "/in"]) {
      const receiver = await receive(
        says(`HTTP/1.1 307 Over There\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
      );
      const result = await post(poster(), `http://127.0.0.1:${receiver.port}/in`);
      expect(result).toMatchObject({ kind: "answered", status: 307 });
      expect(receiver.received).toHaveLength(1);
    }
  });

  test("keeps Retry-After, unless that is absurdly long", async () => {
    const withHeader = (value: string) => says(`HTTP/1.1 503 No\r\nRetry-After: ${value}\r\nContent-Length: 0\r\n\r\n`);
    await expect(resultOf(withHeader("120"))).resolves.toMatchObject({ status: 503, retryAfter: "120" });
    await expect(resultOf(withHeader("1".repeat(65)))).resolves.not.toHaveProperty("retryAfter");
  });

  test("is quoted without control characters and halves of characters", async () => {
    const quoted = async (body: string | Buffer) => {
      const head = `HTTP/1.1 400 No\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
      const result = await resultOf(says(Buffer.concat([Buffer.from(head), Buffer.from(body)])));
      return result.kind === "answered" ? result.excerpt : result;
    };
    await expect(quoted("a\u0000b\u001b[31m\r\n\tc\u0085\u007f")).resolves.toBe("ab[31m c");
    await expect(quoted("é".repeat(5_000))).resolves.toBe("é".repeat(1_024));
    await expect(quoted(`a${"😀".repeat(600)}`)).resolves.toBe(`a${"😀".repeat(511)}`);
    await expect(quoted(Buffer.from([0x61, 0xff, 0xe2, 0x82]))).resolves.toBe("a\ufffd");
  });

  test("that is compressed is not inflated", async () => {
    const body = gzipSync(Buffer.alloc(1_000_000));
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
    const result = await resultOf(says(Buffer.concat([Buffer.from(head), body])));
    expect(result).toMatchObject({ kind: "answered", status: 200, excerpt: "" });
  });

  test("that never ends is read to 64 KiB, then the connection is closed", async () => {
    const heads = ["Content-Length: 1000000000000", "Transfer-Encoding: chunked", "Connection: close"];
    for (const head of heads) {
      // A chunk of one byte with a long extension, for what is around the bytes of a body.
      const piece = head.startsWith("T") ? `1;${"x".repeat(4_000)}\r\na\r\n` : "a".repeat(4_000);
      const result = await resultOf((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
        const more = (): void => {
          while (socket.writable && socket.write(piece));
        };
        socket.on("drain", more);
        more();
      });
      expect(result).toMatchObject({ kind: "answered", status: 200, excerpt: expect.stringMatching(/^a{64,1024}$/) });
    }
  });
});

describe("addresses", () => {
  test("closed ones are never connected to, as names or as they are", async () => {
    const receiver = await receive(says(ok));
    const strict = (...addresses: string[]) =>
      poster({ rules: { allowPrivate: false, ports: [receiver.port] }, resolve: resolveTo(...addresses) });
    const refused = { kind: "failed", reason: "refused-address" };

    const named = `https://hooks.example.com:${receiver.port}/`;
    await expect(post(strict("127.0.0.1"), named)).resolves.toMatchObject(refused);
    await expect(post(strict("::ffff:127.0.0.1", "::127.0.0.1"), named)).resolves.toMatchObject(refused);
    for (const host of ["127.0.0.1", "0x7f.1", "2130706433", "[::ffff:7f00:1]", "localhost"]) {
      await expect(post(strict("8.8.8.8"), `https://${host}:${receiver.port}/`)).resolves.toMatchObject(refused);
    }
    await expect(post(strict("8.8.8.8"), `http://hooks.example.com:${receiver.port}/`)).resolves.toMatchObject(refused);
    expect(receiver.received).toEqual([]);
  });

  test("a name that the operator has named is reached at a private address alone", async () => {
    const receiver = await receive(says(ok));
    const named = createNamedReceivers([`hooks.bank.internal:${receiver.port}`]);
    const rules = { allowPrivate: false, named };
    const { signal } = new AbortController();
    const target = { host: "hooks.bank.internal", port: receiver.port };
    const resolve = resolveTo("127.0.0.1", "10.0.0.1", "169.254.169.254");
    await expect(allowedAddresses(target, { rules, resolve }, signal)).resolves.toEqual(["10.0.0.1"]);
    await expect(allowedAddresses({ ...target, host: "other.example" }, { rules, resolve }, signal)).rejects.toThrow();
    const url = `https://hooks.bank.internal:${receiver.port}/`;
    await expect(post(poster({ rules, resolve: resolveTo("127.0.0.1") }), url)).resolves.toMatchObject({
      reason: "refused-address",
    });
    expect(receiver.received).toEqual([]);
  });

  test("a name that was public when it was registered is refused when it no longer is", async () => {
    const receiver = await receive(says(ok));
    const rules = { allowPrivate: false, ports: [receiver.port] };
    const answers = ["8.8.8.8", "127.0.0.1"];
    const resolve = async () => [{ address: answers.shift() ?? "", family: 4 as const }];
    const url = `https://hooks.example.com:${receiver.port}/`;

    await expect(resolvedUrlProblem(url, rules, resolve)).resolves.toBeUndefined();
    await expect(post(poster({ rules, resolve }), url)).resolves.toMatchObject({ reason: "refused-address" });
    expect(receiver.received).toEqual([]);
  });

  test("of mixed answers only the public ones are used, and not very many", async () => {
    const { signal } = new AbortController();
    const allowed = (...addresses: string[]) =>
      allowedAddresses(
        { host: "a.example", port: 443 },
        { rules: { allowPrivate: false }, resolve: resolveTo(...addresses) },
        signal,
      );

    await expect(allowed("127.0.0.1", "8.8.8.8", "fe80::1", "evil.example", "2606:4700::1")).resolves.toEqual([
      "8.8.8.8",
      "2606:4700::1",
    ]);
    await expect(allowed(...Array.from({ length: 100 }, (_, index) => `8.8.8.${index}`))).resolves.toHaveLength(8);
  });

  test("the name is looked up once, and the next address is tried when one does not connect", async () => {
    const receiver = await receive(says(ok));
    let lookUps = 0;
    const resolve = async () => {
      lookUps += 1;
      return lookUps > 1 ? [] : resolveTo("::1", "127.0.0.1")();
    };
    const result = await post(poster({ resolve }), `http://hooks.example.com:${receiver.port}/`);

    expect(result).toMatchObject({ kind: "answered", status: 200 });
    expect(lookUps).toBe(1);
    expect(receiver.received[0]).toContain(`\r\nhost: hooks.example.com:${receiver.port}\r\n`);
  });

  test("what was sent is not sent again to the next address", async () => {
    const receiver = await receive((socket) => socket.resetAndDestroy());
    const by = poster({ resolve: resolveTo("127.0.0.1", "127.0.0.1") });
    const result = await post(by, `http://hooks.example.com:${receiver.port}/`);
    expect(result).toMatchObject({ reason: "connection" });
    expect(receiver.received).toHaveLength(1);
  });

  test("without an address, an answer of the name servers or a listener, the attempt failed", async () => {
    const url = "http://hooks.example.com:1/";
    await expect(post(poster({ resolve: resolveTo() }), url)).resolves.toMatchObject({ reason: "dns" });
    await expect(post(poster({ resolve: resolveTo("localhost") }), url)).resolves.toMatchObject({ reason: "dns" });
    const failing = poster({ resolve: () => Promise.reject(new Error("SERVFAIL")) });
    await expect(post(failing, url)).resolves.toMatchObject({ reason: "dns" });
    const hanging = poster({ resolve: () => new Promise(() => undefined) });
    await expect(post(hanging, url, { timeoutMs: brief })).resolves.toMatchObject({ reason: "timeout" });
    const nobody = await post(poster(), "http://127.0.0.1:1/");
    expect(nobody).toMatchObject({ reason: "connection", message: "The connection was refused." });
  });

  test("proxies of the environment are not used", async () => {
    const proxy = await receive(says(ok));
    const receiver = await receive(says(ok));
    const names = ["NODE_USE_ENV_PROXY", "http_proxy", "no_proxy"] as const;
    const before = names.map((name) => process.env[name]);
    Object.assign(process.env, { NODE_USE_ENV_PROXY: "1", http_proxy: `http://127.0.0.1:${proxy.port}`, no_proxy: "" });
    try {
      await expect(post(poster(), `http://127.0.0.1:${receiver.port}/`)).resolves.toMatchObject({ status: 200 });
    } finally {
      for (const [index, name] of names.entries()) {
        delete process.env[name];
        if (before[index] !== undefined) process.env[name] = before[index];
      }
    }
    expect(proxy.received).toEqual([]);
  });
});

describe("many attempts", () => {
  test("more than there are sockets wait for their turn, and their time begins only then", async () => {
    const held: (() => void)[] = [];
    const receiver = await receive((socket) => held.push(() => socket.end(ok)));
    const by = poster({ maxSockets: 20 });
    const all = Array.from({ length: 200 }, () => post(by, `http://127.0.0.1:${receiver.port}/`));
    for (let answered = 0; answered < 200; answered += 20) {
      await until(() => held.length >= 20);
      expect(held).toHaveLength(20);
      for (const answer of held.splice(0)) answer();
    }
    const results = await Promise.all(all);
    expect(results.every((result) => result.kind === "answered" && result.status === 200)).toBe(true);
  });

  test("one can be ended, closing ends the others, and later ones fail", async () => {
    const receiver = await receive(() => undefined);
    const by = poster({ maxSockets: 2 });
    const url = `http://127.0.0.1:${receiver.port}/`;
    const controller = new AbortController();
    const [ended, ...others] = [post(by, url, { signal: controller.signal }), post(by, url), post(by, url)];
    const neverStarted = post(by, url, { signal: controller.signal });
    await until(() => receiver.received.length === 2);

    controller.abort();
    await expect(ended).resolves.toMatchObject({ kind: "failed", reason: "connection" });
    await expect(neverStarted).resolves.toMatchObject({ kind: "failed", durationMs: 0 });
    await until(() => receiver.received.length === 3);
    await by.close();
    const failed = { kind: "failed", reason: "connection" };
    await expect(Promise.all(others)).resolves.toEqual([
      expect.objectContaining(failed),
      expect.objectContaining(failed),
    ]);
    await expect(post(by, url)).resolves.toMatchObject(failed);
    expect(receiver.received).toHaveLength(3);
  });

  test("a header that cannot be sent is a failure, not an error", async () => {
    const receiver = await receive(says(ok));
    const result = await post(poster(), `http://127.0.0.1:${receiver.port}/`, { headers: { "x-a": "1\r\nx-b: 2" } });
    expect(result).toMatchObject({ kind: "failed", reason: "protocol" });
  });
});
