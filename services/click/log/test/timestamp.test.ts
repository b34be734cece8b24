import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createEgress } from "#platform/net/egress-proxy.ts";
import { startConnectProxy } from "#platform/testing/connect-proxy.ts";
import { type HttpAuthority, startHttpAuthority } from "#platform/testing/http-authority.ts";
import { until } from "#platform/testing/until.ts";
import {
  createTimestampAuthority,
  readTimestampReply,
  TimestampError,
} from "#platform/timestamps/timestamp-authority.ts";
import { checkTimestampToken, timestampRequest } from "#platform/timestamps/timestamp-token.ts";
import { type Authority, describeWithOpenssl } from "../../../../test/verify/support/openssl.ts";
import { makeCertificate, signWith, statementOf } from "./forged-timestamps.ts";

let http: HttpAuthority;
beforeAll(async () => {
  http = await startHttpAuthority();
});
afterAll(() => http.close());

const note = Buffer.from("logs.example.com/click/log/anchor\n3\nroot\n\n\u2014 signature\n");

const stamp = (trusted: readonly string[] = [], timeoutMs = 10_000) =>
  createTimestampAuthority({ url: http.url, trusted, timeoutMs }).stamp(note);

const refusal = (trusted?: readonly string[]): Promise<string> =>
  stamp(trusted).then(
    () => "it was accepted",
    (error: unknown) => (error instanceof TimestampError ? error.message : `no TimestampError: ${String(error)}`),
  );

describeWithOpenssl("a time stamp of OpenSSL", (makeAuthority) => {
  test.each([
    { keys: "P-256" },
    { keys: "P-384", hash: "sha384" },
    { keys: "RSA", hash: "sha512", intermediate: true },
    { keys: "RSA", certificateHash: "sha1" },
  ] as const)("is accepted with its root, and without: %j", async (options) => {
    const authority = makeAuthority(options);
    http.answer(authority.reply);
    const before = Date.now();
    for (const trusted of [[], [makeAuthority().root, authority.root]]) {
      const { token, tsaName, stampedAt } = await stamp(trusted);
      expect(tsaName).toBe("O=Test, CN=tsa");
      expect(Math.abs(stampedAt.getTime() - before)).toBeLessThan(60_000);
      expect(token[0]).toBe(0x30);
    }
    expect(http.requests.at(-1)?.contentType).toBe("application/timestamp-query");
  });
  test("is asked for over a connection of its own: one that was kept may be closed just then", async () => {
    http.answer(makeAuthority().reply);
    await stamp();
    await stamp();
    expect(new Set(http.requests.slice(-2).map(({ port }) => port)).size).toBe(2);
  });
  test("is asked for through the proxy of the operator's network, and not otherwise", async () => {
    const proxy = await startConnectProxy(["tsa.bank.example"]);
    try {
      http.answer(makeAuthority().reply);
      const url = http.url.replace("127.0.0.1", "tsa.bank.example");
      const authority = createTimestampAuthority({ url, trusted: [], egress: createEgress(proxy.url) });
      expect((await authority.stamp(note)).token.length).toBeGreaterThan(100);
      expect(proxy.asked[0]).toContain(`CONNECT ${new URL(url).host} HTTP/1.1`);
      proxy.answer((client) => client.end("HTTP/1.1 403 No\r\n\r\n"));
      const cause = expect.objectContaining({ message: "The proxy has refused the connection (status 403)." });
      await expect(authority.stamp(note)).rejects.toMatchObject({ name: "TimestampError", cause });
    } finally {
      await proxy.stop();
    }
  });
  test("is accepted when the authority's own certificate is the trusted one", async () => {
    const authority = makeAuthority();
    http.answer(authority.reply);
    const { token } = await stamp();
    const certificate = certificatesIn(token).find(({ subject }) => subject.includes("CN=tsa"));
    expect(await refusal([certificate?.toString() ?? ""])).toBe("it was accepted");
  });

  describe("is refused", () => {
    let authority: Authority;
    let other: Authority;
    beforeAll(() => {
      authority = makeAuthority();
      other = makeAuthority();
    });

    test("when its chain does not end in what is trusted", async () => {
      http.answer(authority.reply);
      expect(await refusal([other.root])).toMatch(/^the authority's certificate is not trusted/);
      const deep = makeAuthority({ intermediate: true });
      http.answer(deep.reply);
      expect(await refusal([deep.root])).toBe("it was accepted");
      expect(await refusal([authority.root])).toMatch(/^the authority's certificate is not trusted/);
    });
    test("when it answers another request over the same data", async () => {
      http.answer(() => authority.reply(timestampRequest(note).der));
      expect(await refusal()).toBe("the nonce is another one");
    });
    test("when it has no nonce", async () => {
      http.answer(() => authority.reply(queryWithoutNonce(timestampRequest(note).der)));
      expect(await refusal()).toBe("the nonce is another one");
    });
    test("when it is over other data", async () => {
      const { imprint } = timestampRequest(note);
      const others = Buffer.alloc(32, 7);
      http.answer((query) => authority.reply(replaceBytes(query, imprint, others)));
      expect(await refusal()).toBe("the time stamp is for other data");
    });
    test("when the authority refuses the request", async () => {
      http.answer((query) => authority.reply(replaceBytes(query, sha256Oid, sha224Oid)));
      expect(await refusal()).toBe("the authority refused the request with status 2");
    });
    test("when any bit of it is changed that is signed or signs", async () => {
      const request = timestampRequest(note);
      const reply = authority.reply(request.der);
      await readTimestampReply(reply, request, [authority.root]);
      const accepted: number[] = [];
      for (let at = 0; at < reply.length; at += 5) {
        const changed = Buffer.from(reply);
        changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
        const outcome = await readTimestampReply(changed, request, [authority.root]).catch((error: unknown) => error);
        if (!(outcome instanceof Error)) accepted.push(at);
        else expect(outcome).toBeInstanceOf(TimestampError);
      }
      // What nobody signs, such as version numbers of the structure around it.
      expect(accepted.length).toBeLessThan(reply.length / 100);
    });
    test("when its certificate is not for time stamps alone", async () => {
      for (const usage of ["critical,timeStamping,codeSigning", "timeStamping", "critical,codeSigning"]) {
        const certificate = makeCertificate(usage);
        const request = timestampRequest(note);
        const { token } = await readTimestampReply(authority.reply(request.der), request, []);
        const signedElsewhere = signWith(certificate, statementOf(token));
        await expect(checkTimestampToken(signedElsewhere, request, [])).rejects.toThrow(
          "the certificate that signed is not for time stamps alone",
        );
      }
    });
    test("when its certificate was not valid at that time", async () => {
      const request = timestampRequest(note);
      const { token, stampedAt } = await readTimestampReply(authority.reply(request.der), request, []);
      // Certificates count in seconds: the next one that is made in another second was not there yet.
      const certificate = await until(() => {
        const made = makeCertificate("critical,timeStamping");
        const isLater = Date.parse(new X509Certificate(made.certificate).validFrom) > stampedAt.getTime();
        return isLater && made;
      });
      await expect(checkTimestampToken(signWith(certificate, statementOf(token)), request, [])).rejects.toThrow(
        "the certificate that signed was not valid at that time",
      );
    });
    test("when the signature does not say which certificate it is of", async () => {
      const certificate = makeCertificate("critical,timeStamping");
      const request = timestampRequest(note);
      const { token } = await readTimestampReply(authority.reply(request.der), request, []);
      await checkTimestampToken(signWith(certificate, statementOf(token)), request, []);
      await expect(
        checkTimestampToken(signWith(certificate, statementOf(token), { names: false }), request, []),
      ).rejects.toThrow("the signature names another certificate");
    });
  });
});

describe("an authority", () => {
  test("that answers with an error or sends us elsewhere is not followed", async () => {
    http.handle((_request, response) => response.writeHead(503).end("busy"));
    expect(await refusal()).toBe("the authority answered with status 503");
    let wasFollowed = false;
    http.handle((request, response) => {
      if (request.url !== "/tsa") wasFollowed = true;
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    expect(await refusal()).toBe("the authority answered with status 307");
    expect(wasFollowed).toBe(false);
  });
  test("that answers without end is cut off", async () => {
    let sent = 0;
    http.handle((_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(16_384);
      const more = (): void => {
        if (response.destroyed) return;
        sent += chunk.length;
        response.write(chunk, more);
      };
      more();
    });
    expect(await refusal()).toBe("the answer has more than 65536 bytes");
    expect(sent).toBeLessThan(16 * 1_048_576);
  });
  test("that never answers, or stops in the middle, is given up", async () => {
    for (const start of [() => undefined, (response: { write(text: string): void }) => response.write("0")]) {
      http.handle((_request, response) => void start(response));
      const startedAt = performance.now();
      await expect(stamp([], 200)).rejects.toThrow("the authority could not be reached");
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    }
  });
  test("that is not there is told from one that answers", async () => {
    const authority = createTimestampAuthority({ url: "http://127.0.0.1:1/", trusted: [] });
    await expect(authority.stamp(note)).rejects.toThrow("the authority could not be reached");
  });
  test.each([
    ["nothing", Buffer.alloc(0)],
    ["a web page", Buffer.from("<html>")],
    ["another sequence", Buffer.from("3003020105", "hex")],
    ["a status alone", Buffer.from("30053003020100", "hex")],
    ["a status and something else", Buffer.from("300730030201000500", "hex")],
    ["more than one thing", Buffer.from("300530030201000500", "hex")],
  ])("that answers %s is refused", async (_name, reply) => {
    http.handle((_request, response) => response.writeHead(200).end(reply));
    expect(await refusal()).toMatch(/^the (answer|token) /);
  });
});

describe("a request", () => {
  test("has another nonce each time, that DER writes in 8 bytes", () => {
    const nonces = new Set<string>();
    for (let n = 0; n < 200; n += 1) {
      const { der, nonce } = timestampRequest(note);
      expect(der.includes(Buffer.concat([Buffer.from([2, 8]), nonce]))).toBe(true);
      nonces.add(nonce.toString("hex"));
    }
    expect(nonces.size).toBe(200);
  });
});

const sha256Oid = Buffer.from("0609608648016503040201", "hex");
const sha224Oid = Buffer.from("0609608648016503040204", "hex");

function replaceBytes(bytes: Buffer, from: Buffer, to: Buffer): Buffer {
  const at = bytes.indexOf(from);
  if (at < 0) throw new Error("there is nothing to replace");
  return Buffer.concat([bytes.subarray(0, at), to, bytes.subarray(at + from.length)]);
}

/** The nonce is an INTEGER of 8 bytes before the flag that asks for the certificate. */
function queryWithoutNonce(query: Buffer): Buffer {
  const shorter = Buffer.concat([query.subarray(0, query.length - 13), query.subarray(query.length - 3)]);
  shorter.writeUInt8(shorter.readUInt8(1) - 10, 1);
  return shorter;
}

/** Every certificate that stands in these bytes. */
function certificatesIn(bytes: Buffer): X509Certificate[] {
  const found: X509Certificate[] = [];
  for (let at = bytes.indexOf(0x30); at >= 0; at = bytes.indexOf(0x30, at + 1)) {
    try {
      found.push(new X509Certificate(bytes.subarray(at)));
    } catch {
      // No certificate starts here.
    }
  }
  return found;
}
