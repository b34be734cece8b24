import { connect, type Socket } from "node:net";
import type { Interceptor } from "@connectrpc/connect";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { CreateAgreementRequest, PutDocumentsRequest } from "#gen/assent/sign/v1/sign_pb.ts";
import { until } from "#platform/testing/until.ts";
import { orgB } from "./fake-auth.ts";
import { fakePdf } from "./fake-sign-files.ts";
import { parseAnswers } from "./raw-http.ts";
import { type SignSetup, startSignSetup } from "./sign-setup.ts";

const mib = 1024 * 1024;
const agreements = "/v1/sign/agreements";
let setup: SignSetup;
let tokenB: string;
const opened: Socket[] = [];
/** What new agreements wait for in the service, and how many do. */
let gate: Promise<void> | undefined;
let inService = 0;

const waitAtGate: Interceptor = (next) => async (request) => {
  if (request.method.name !== "CreateAgreement" || gate === undefined) return next(request);
  inService += 1;
  await gate;
  return next(request);
};

beforeAll(async () => {
  setup = await startSignSetup([waitAtGate]);
  tokenB = await setup.gateway.auth.token("sign:write", "cl_b", orgB);
});

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

afterAll(() => setup?.stop());

/** Says that a body comes, and sends the beginning of it. */
function upload(token: string, length: string, body = "{") {
  const socket = connect(setup.gateway.port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", () => undefined);
  const lines = [`POST ${agreements} HTTP/1.1`, "Host: a", "Content-Type: application/json", length];
  socket.write(`${lines.join("\r\n")}\r\nAuthorization: Bearer ${token}\r\n\r\n${body}`);
  opened.push(socket);
  return {
    socket,
    answer: () => {
      const [first] = parseAnswers(received);
      return first && { status: first.status, headers: first.headers, body: JSON.parse(first.body) };
    },
  };
}

const documentOf = (bytes: number, fill = 7) => ({
  documents: [{ documentId: "1", name: "NDA.pdf", documentBase64: Buffer.alloc(bytes, fill).toString("base64") }],
});

describe("documents of a body", () => {
  test("of 25 MB reach the service as they are", async () => {
    const answer = await setup.send("POST", agreements, documentOf(25 * mib));
    expect(answer.status).toBe(201);
    const [document] =
      setup.gateway.sign.lastRequest<CreateAgreementRequest>("createAgreement").definition?.documents ?? [];
    const source = document?.source;
    expect(source?.case === "content" && Buffer.from(source.value).equals(Buffer.alloc(25 * mib, 7))).toBe(true);
  });

  test("that are no Base64, or missing, are for the service to say", async () => {
    const documents = [
      { name: "a.pdf", documentBase64: "QQ" },
      { name: "b.pdf" },
      { name: "c.pdf", documentBase64: "" },
    ];
    await setup.send("POST", agreements, { documents });
    const { definition } = setup.gateway.sign.lastRequest<CreateAgreementRequest>("createAgreement");
    expect(definition?.documents.map(({ source }) => source)).toMatchObject([
      { case: "problem", value: 1 },
      { case: "problem", value: 2 },
      { case: "problem", value: 2 },
    ]);
  });

  test("may come as parts", async () => {
    const body = [
      "--x",
      "Content-Type: application/json",
      "Content-Disposition: form-data",
      "",
      JSON.stringify({ documents: [{ documentId: "3", name: "NDA.pdf" }] }),
      "--x",
      "Content-Type: application/pdf",
      'Content-Disposition: file; filename="Lorem Ipsum";documentid=3',
      "",
      fakePdf.toString(),
      "--x--",
      "",
    ].join("\r\n");
    const answer = await setup.send("POST", agreements, body, { "Content-Type": "multipart/form-data; boundary=x" });
    expect(answer.status).toBe(201);
    const { definition } = setup.gateway.sign.lastRequest<CreateAgreementRequest>("createAgreement");
    expect(definition?.documents).toMatchObject([
      { documentId: "3", name: "NDA.pdf", source: { case: "content", value: new Uint8Array(fakePdf) } },
    ]);
  });

  test.each([
    ["application/pdf", 'attachment; filename="Größe.pdf"', "Größe.pdf", ""],
    ["application/octet-stream", "attachment; filename*=UTF-8''a%20%C3%B6.pdf", "a ö.pdf", ""],
    ["text/html", 'filename="x"', "x", "html"],
    ["application/pdf", "", "document.pdf", ""],
  ])("may be the body alone: %s, %s", async (type, disposition, name, fileExtension) => {
    const { id } = setup.draft();
    const sent = Buffer.from(disposition).toString("latin1");
    const headers = { "Content-Type": type, ...(sent === "" ? {} : { "Content-Disposition": sent }) };
    const answer = await setup.send("PUT", `${agreements}/${id}/documents/7`, new Uint8Array(fakePdf), headers);
    expect([answer.status, answer.body]).toMatchObject([200, { documentId: "7", bytes: fakePdf.length }]);
    const { documents } = setup.gateway.sign.lastRequest<PutDocumentsRequest>("putDocuments");
    expect(documents).toMatchObject([{ documentId: "7", name, fileExtension, source: { case: "content" } }]);
  });

  test("are not taken in other forms than the operation has", async () => {
    const { id } = setup.draft();
    for (const [method, path, type] of [
      ["POST", agreements, "application/pdf"],
      ["POST", agreements, "multipart/form-data"],
      ["POST", agreements, "text/plain"],
      ["PUT", `${agreements}/${id}/recipients`, "multipart/form-data; boundary=x"],
    ] as const) {
      const answer = await setup.send(method, path, "{}", { "Content-Type": type });
      expect([type, answer.status, answer.body.errorCode]).toEqual([type, 415, "UNSUPPORTED_MEDIA_TYPE"]);
    }
  });
});

describe("bodies that are too large", () => {
  const tooLarge = { status: 400, body: { errorCode: "DOCUMENT_TOO_LARGE", requestId: expect.any(String) } };

  test.each([37 * mib, 100 * mib, 10_000 * mib])("of %d bytes are refused before they are sent", async (bytes) => {
    const { answer } = upload(setup.token, `Content-Length: ${bytes}`);
    await until(() => answer() !== undefined);
    expect(answer()).toMatchObject(tooLarge);
  });

  test("are answered to those who send all before they look", async () => {
    const { socket, answer } = upload(setup.token, `Content-Length: ${60 * mib}`, "");
    const piece = Buffer.alloc(mib, "x");
    for (let sent = 0; sent < 60; sent += 1) await new Promise((resolve) => socket.write(piece, resolve));
    await until(() => answer() !== undefined);
    expect(answer()).toMatchObject(tooLarge);
    expect(socket.destroyed).toBe(false);
  });

  test("are refused while they arrive in chunks", async () => {
    const { socket, answer } = upload(setup.token, "Transfer-Encoding: chunked", "1\r\n{\r\n");
    const piece = Buffer.concat([Buffer.from(`${mib.toString(16)}\r\n`), Buffer.alloc(mib, " "), Buffer.from("\r\n")]);
    for (let sent = 0; sent < 37; sent += 1) await new Promise((resolve) => socket.write(piece, resolve));
    await until(() => answer() !== undefined);
    expect(answer()).toMatchObject(tooLarge);
  });

  test("are PAYLOAD_TOO_LARGE where no document belongs", async () => {
    const answer = await setup.send("POST", `${agreements}/${setup.draft().id}/void`, {
      voidedReason: "x".repeat(300_000),
    });
    expect([answer.status, answer.body.errorCode]).toEqual([400, "PAYLOAD_TOO_LARGE"]);
  });
});

describe("large bodies at once", () => {
  test("are four, three of an organization; what is small goes on, and those that stall are cut", async () => {
    const length = `Content-Length: ${9 * mib}`;
    const uploads = Array.from({ length: 4 }, () => upload(setup.token, length));
    await until(() => uploads.filter(({ answer }) => answer()?.status === 503).length === 1);
    const tokenC = await setup.gateway.auth.token("sign:write", "cl_c", "0190a000-0000-7000-8000-00000000000c");
    const others = [upload(tokenB, length), upload(tokenC, length)];
    await until(() => others.filter(({ answer }) => answer()?.status === 503).length === 1);
    const refused = [...uploads, ...others].find(({ answer }) => answer()?.status === 503)?.answer();
    expect([refused?.body.errorCode, refused?.headers.get("retry-after")]).toEqual(["SERVICE_UNAVAILABLE", "1"]);
    expect((await setup.send("POST", agreements, documentOf(mib))).status).toBe(201);
    const cut = () => [...uploads, ...others].filter(({ answer }) => answer()?.status === 400);
    await until(() => cut().length === 4);
    expect(cut()[0]?.answer()?.body.message).toBe("The body did not arrive in time. Send it again.");
    expect((await setup.send("POST", agreements, documentOf(9 * mib))).status).toBe(201);
  });

  test("may arrive slowly, and in chunks", async () => {
    const text = JSON.stringify(documentOf(mib));
    const { socket, answer } = upload(setup.token, "Transfer-Encoding: chunked", "");
    const step = Math.ceil(text.length / 4);
    for (let at = 0; at < text.length; at += step) {
      const piece = text.slice(at, at + step);
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    socket.write("0\r\n\r\n");
    await until(() => answer()?.status === 201);
  });
});

describe("large bodies of an organization, while another one comes", () => {
  test("wait at their senders, one by one, and those of the other go first; who goes away frees its place", async () => {
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    const text = JSON.stringify(documentOf(mib));
    const send = (token: string) => upload(token, `Content-Length: ${text.length}`, text);
    const other = setup.gateway.call("POST", agreements, { token: tokenB, body: documentOf(1) });
    await until(() => inService === 1);
    const first = send(setup.token);
    await until(() => inService === 2);
    // More than there is room for between two programs.
    const gone = upload(setup.token, `Content-Length: ${30 * mib}`, " ".repeat(30 * mib));
    const last = send(setup.token);
    const others = [send(tokenB)];
    await until(() => inService === 3);
    expect((await setup.send("GET", agreements)).status).toBe(200);
    expect([inService, gone.socket.writableLength > 8 * mib]).toEqual([3, true]);
    gone.socket.destroy();
    opening.resolve();
    gate = undefined;
    const statuses = () => [first, last, ...others].map(({ answer }) => answer()?.status);
    await until(() => statuses().every((status) => status === 201));
    expect((await other).status).toBe(201);
  });
});
