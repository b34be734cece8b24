import { randomUUID } from "node:crypto";
import { type ClientRequest, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { errorCatalogue } from "#platform/errors.ts";
import { expectDomainError } from "#platform/testing/expect-domain-error.ts";
import { onePage } from "../../services/sign/intake/test/pdfs.ts";
import type { Answer, Api } from "../support/api.ts";
import { createTokenForge } from "../support/forged-tokens.ts";
import { bodyOf, withScopes } from "../support/journeys.ts";
import { type Face, faces } from "../support/sign-faces.ts";
import { openLink, signEverything, tokenIn } from "../support/signing-people.ts";
import { type System, startSystem } from "../support/system.ts";

const maxBytes = 25 * 1024 * 1024;
const returnUrl = "https://app.example.com/back";
const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString("base64");
const pdf = { documentId: "1", name: "NDA.pdf", documentBase64: base64(onePage({})) };
const noBase64 = { ...pdf, documentBase64: "JVBERi0xL*cK" };
const noPdf = { ...pdf, documentBase64: base64("this is no PDF") };
const word = { ...pdf, name: "NDA.docx", documentBase64: base64("PK") };
const ann = { recipientId: "1", name: "Ann Example", email: "ann@example.com", clientUserId: "1000" };
const bob = { recipientId: "2", name: "Bob Example", email: "bob@example.com" };
const asAnn = { email: ann.email, userName: ann.name, clientUserId: ann.clientUserId, returnUrl };

let system: System;
let owner: Api;
let stranger: Api;
beforeAll(async () => {
  system = await startSystem("single process");
  [owner, stranger] = [await system.newOrganization(), await system.newOrganization()];
});
afterAll(async () => {
  await system?.stop();
});

const definitionOf = (changes: object = {}): object => ({
  emailSubject: "Please sign",
  documents: [pdf],
  recipients: { signers: [ann, bob] },
  ...changes,
});

const made = async (face: Face, changes: object = {}): Promise<string> =>
  face.idIn(await expectStatus(201, face.create(owner, definitionOf(changes))));
const sent = (face: Face): Promise<string> => made(face, { status: "sent" });

async function expectStatus(status: number, answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  bodyOf(status, answer);
  return answer;
}

/** An agreement that Ann has signed and Bob has not. */
async function halfSigned(face: Face): Promise<string> {
  const id = await sent(face);
  await signEverything(system, (await expectStatus(201, face.createView(owner, id, asAnn))).body.url);
  return id;
}

interface Row {
  readonly code: keyof typeof errorCatalogue;
  /** What the message begins with on the compatible face. */
  readonly docusign: string;
  readonly case: string;
  raise(face: Face): Promise<Answer>;
}

const row = (code: Row["code"], docusign: string, called: string, raise: Row["raise"]): Row => ({
  ...{ code, docusign, case: called, raise },
});

const unknown = randomUUID();
const created = (face: Face, changes: object): Promise<Answer> => face.create(owner, definitionOf(changes));

/** The rows of the error table that concern envelopes. */
const rows: readonly Row[] = [
  row("UNAUTHORIZED", "USER_AUTHENTICATION_FAILED", "no credential", (face) => {
    return face.create(owner.with({ token: "" }), definitionOf());
  }),
  row("INVALID_TOKEN", "AUTHORIZATION_INVALID_TOKEN", "a token that is none", (face) =>
    face.read(owner.with({ token: "not-a-token-of-anybody" }), unknown),
  ),
  row("TOKEN_EXPIRED", "AUTHORIZATION_INVALID_TOKEN", "a token of two hours ago", async (face) => {
    const { token } = await withScopes(system, owner, "sign:read");
    const forge = await createTokenForge(system, token);
    return face.read(
      owner.with({ token: await forge.genuine({ issuedAt: new Date(Date.now() - 7_200_000) }) }),
      unknown,
    );
  }),
  row("INSUFFICIENT_SCOPE", "USER_LACKS_PERMISSIONS", "creating with sign:read", async (face) =>
    face.create(await withScopes(system, owner, "sign:read"), definitionOf()),
  ),
  row(
    "INSUFFICIENT_SCOPE",
    "USER_LACKS_PERMISSIONS",
    "creating and sending at once with sign:send alone",
    async (face) => face.create(await withScopes(system, owner, "sign:send"), definitionOf({ status: "sent" })),
  ),
  row("INSUFFICIENT_SCOPE", "USER_LACKS_PERMISSIONS", "voiding without sign:admin", async (face) =>
    face.void(await withScopes(system, owner, "sign:write sign:send"), await sent(face), "A mistake."),
  ),
  row("ENVELOPE_NOT_FOUND", "ENVELOPE_DOES_NOT_EXIST", "an unknown id", (face) => face.read(owner, unknown)),
  row("ENVELOPE_NOT_FOUND", "ENVELOPE_DOES_NOT_EXIST", "what is no id", (face) => face.read(owner, "17")),
  row("ENVELOPE_NOT_FOUND", "ENVELOPE_DOES_NOT_EXIST", "a draft that was deleted", async (face) => {
    const id = await made(face);
    expect((await face.delete(owner, id)).status).toBeLessThan(300);
    return face.read(owner, id);
  }),
  row("ENVELOPE_CANNOT_BE_MODIFIED", "ENVELOPE_INVALID_STATUS", "recipients for what was sent", async (face) =>
    face.addRecipients(owner, await sent(face), { signers: [{ name: "Cy", email: "cy@example.com" }] }),
  ),
  row("ENVELOPE_CANNOT_BE_MODIFIED", "ENVELOPE_INVALID_STATUS", "a subject for what was sent", async (face) =>
    face.edit(owner, await sent(face), "Another subject"),
  ),
  row("ENVELOPE_CANNOT_BE_MODIFIED", "ENVELOPE_INVALID_STATUS", "documents for what was voided", async (face) => {
    const id = await sent(face);
    await expectStatus(200, face.void(owner, id, "A mistake."));
    return face.addDocuments(owner, id, [pdf]);
  }),
  row("ENVELOPE_ALREADY_SENT", "ENVELOPE_INVALID_STATUS", "sending twice", async (face) =>
    face.send(owner, await sent(face)),
  ),
  row("INVALID_ENVELOPE_STATUS", "ENVELOPE_CANNOT_VOID_INVALID_STATE", "voiding a draft", async (face) =>
    face.void(owner, await made(face), "A mistake."),
  ),
  row("INVALID_ENVELOPE_STATUS", "ENVELOPE_INVALID_STATUS", "sending what was voided", async (face) => {
    const id = await sent(face);
    await expectStatus(200, face.void(owner, id, "A mistake."));
    return face.send(owner, id);
  }),
  row("DOCUMENTS_REQUIRED", "ENVELOPE_IS_INCOMPLETE", "sending without documents", async (face) =>
    face.send(owner, await made(face, { documents: [] })),
  ),
  row("RECIPIENTS_REQUIRED", "ENVELOPE_IS_INCOMPLETE", "sending to copies alone", async (face) =>
    face.send(owner, await made(face, { recipients: { carbonCopies: [bob] } })),
  ),
  row("DOCUMENT_NOT_FOUND", "DOCUMENT_DOES_NOT_EXIST", "an unknown document", async (face) =>
    face.getDocument(owner, await made(face), "9"),
  ),
  row("INVALID_DOCUMENT_FORMAT", "UNABLE_TO_CONVERT_DOCUMENT", "a Word document", (face) =>
    created(face, { documents: [word] }),
  ),
  row("DOCUMENT_TOO_LARGE", "DOCUMENT_EXCEEDS_MAX_SIZE", "25 MB and a byte", (face) =>
    created(face, { documents: [{ ...pdf, documentBase64: base64(Buffer.alloc(maxBytes + 1, "%PDF-")) }] }),
  ),
  row("INVALID_BASE64", "INVALID_REQUEST_PARAMETER", "a letter that is none", (face) =>
    created(face, { documents: [noBase64] }),
  ),
  row("CORRUPTED_DOCUMENT", "UNABLE_TO_LOAD_DOCUMENT", "text that says it is a PDF", (face) =>
    created(face, { documents: [noPdf] }),
  ),
  row("RECIPIENT_NOT_FOUND", "UNKNOWN_ENVELOPE_RECIPIENT", "removing nobody", async (face) =>
    face.deleteRecipient(owner, await made(face), "9"),
  ),
  row("RECIPIENT_NOT_FOUND", "UNKNOWN_ENVELOPE_RECIPIENT", "a link with a wrong clientUserId", async (face) =>
    face.createView(owner, await sent(face), { ...asAnn, clientUserId: "1001" }),
  ),
  row("INVALID_EMAIL", "INVALID_EMAIL_ADDRESS_FOR_RECIPIENT", "an address without a domain", (face) =>
    created(face, { recipients: { signers: [{ ...ann, email: "ann@" }] } }),
  ),
  row("DUPLICATE_RECIPIENT", "INVALID_REQUEST_PARAMETER", "one address twice, in another case", (face) =>
    created(face, { recipients: { signers: [bob, { ...bob, recipientId: "3", email: "BOB@example.com" }] } }),
  ),
  row("RECIPIENT_ALREADY_SIGNED", "RECIPIENT_UPDATE_FAILED", "changing somebody who has signed", async (face) =>
    face.changeRecipient(owner, await halfSigned(face), ann.recipientId, "Anna Example"),
  ),
  row("RECIPIENT_NOT_EMBEDDED", "UNKNOWN_ENVELOPE_RECIPIENT", "a link for somebody who is mailed", async (face) =>
    face.createView(owner, await sent(face), { email: bob.email, userName: bob.name, returnUrl }),
  ),
  row("RECIPIENT_NOT_IN_SEQUENCE", "RECIPIENT_NOT_IN_SEQUENCE", "a link before the turn", async (face) => {
    const signers = [{ ...ann, routingOrder: 2 }, bob];
    return face.createView(owner, await made(face, { status: "sent", recipients: { signers } }), asAnn);
  }),
  row("INVALID_RETURN_URL", "INVALID_REQUEST_PARAMETER", "a way back without TLS", async (face) =>
    face.createView(owner, await sent(face), { ...asAnn, returnUrl: "http://app.example.com/back" }),
  ),
  row("INVALID_RETURN_URL", "INVALID_REQUEST_PARAMETER", "a way back that runs", async (face) =>
    face.createView(owner, await sent(face), { ...asAnn, returnUrl: "javascript:alert(1)" }),
  ),
];

/** What an answer says, with its shape checked. */
function expectError(answer: Answer, face: Face, { code, docusign }: Pick<Row, "code" | "docusign">): void {
  const { status, body, headers } = answer;
  expect([body?.errorCode, status]).toEqual([code, errorCatalogue[code].http]);
  expect(Object.keys(body).filter((name) => name !== "details")).toEqual(["errorCode", "message", "requestId"]);
  expect(body.requestId).toBe(headers.get("x-request-id"));
  if (face.name === "native") return;
  expect(body.message.startsWith(`${docusign}: `) ? docusign : body.message).toBe(docusign);
  expect(headers.get("x-docusign-tracetoken")).toBe(body.requestId);
}

describe.each(faces)("errors of the $name face", (face) => {
  test.each(rows)("$code for $case", async (one) => {
    expectError(await one.raise(face), face, one);
  });

  test("a body of 100 MB is refused before it is sent", async () => {
    const path =
      face.name === "native" ? "/v1/sign/agreements" : `/restapi/v2.1/accounts/${owner.organizationId}/envelopes`;
    const answer = await announce(owner, path, 100 * 1024 * 1024);
    expect(answer).toMatchObject({ status: 400, body: { errorCode: "DOCUMENT_TOO_LARGE" } });
  });

  const code = async (answering: Promise<Answer>): Promise<string> => (await answering).body.errorCode;

  test("of two things that are wrong, the first in the order of checks is said", async () => {
    const nobody = owner.with({ token: "" });
    expect(await code(face.addDocuments(nobody, unknown, [noBase64]))).toBe("UNAUTHORIZED");
    expect(await code(face.addDocuments(owner, unknown, [noBase64]))).toBe("ENVELOPE_NOT_FOUND");
    const open = await halfSigned(face);
    expect(await code(face.addDocuments(owner, open, [noBase64]))).toBe("ENVELOPE_CANNOT_BE_MODIFIED");
    expect(await code(face.deleteRecipient(owner, open, ann.recipientId))).toBe("RECIPIENT_ALREADY_SIGNED");
    expect(await code(face.deleteRecipient(owner, open, bob.recipientId))).toBe("ENVELOPE_CANNOT_BE_MODIFIED");
    expect(await code(face.deleteRecipient(owner, open, "9"))).toBe("RECIPIENT_NOT_FOUND");

    const same = { signers: [bob, { ...bob, recipientId: "3" }] };
    const wrong = { signers: [ann, { ...ann, recipientId: "4", email: "ann@" }] };
    const status = "sent";
    const pairs: readonly (readonly [string, object])[] = [
      ["INVALID_BASE64", { documents: [{ ...noBase64, name: "NDA.docx" }] }],
      ["CORRUPTED_DOCUMENT", { documents: [noPdf], recipients: wrong }],
      ["INVALID_EMAIL", { recipients: { signers: [...wrong.signers, ...same.signers] } }],
      ["DUPLICATE_RECIPIENT", { documents: [], recipients: same, status }],
      ["DOCUMENTS_REQUIRED", { documents: [], recipients: {}, status }],
      ["RECIPIENTS_REQUIRED", { recipients: {}, emailSubject: "", status }],
    ];
    for (const [expected, changes] of pairs)
      expect([expected, await code(created(face, changes))]).toEqual([expected, expected]);
  });

  test("a create that cannot be sent makes nothing", async () => {
    const counted = async (): Promise<number> => {
      const list = await owner.get(
        `/restapi/v2.1/accounts/${owner.organizationId}/envelopes?from_date=2020-01-01&count=1`,
      );
      return Number(bodyOf(200, list).totalSetSize);
    };
    const before = await counted();
    expect(await code(created(face, { recipients: {}, status: "sent" }))).toBe("RECIPIENTS_REQUIRED");
    expect(await counted()).toBe(before);
  });

  test("what belongs to another organization answers as what is not there", async () => {
    const id = await sent(face);
    const asked: readonly ((target: string) => Promise<Answer>)[] = [
      (target) => face.read(stranger, target),
      (target) => face.edit(stranger, target, "Mine"),
      (target) => face.send(stranger, target),
      (target) => face.void(stranger, target, "Mine"),
      (target) => face.delete(stranger, target),
      (target) => face.addDocuments(stranger, target, [pdf]),
      (target) => face.getDocument(stranger, target, "1"),
      (target) => face.listRecipients(stranger, target),
      (target) => face.addRecipients(stranger, target, { signers: [bob] }),
      (target) => face.changeRecipient(stranger, target, "1", "Mine"),
      (target) => face.deleteRecipient(stranger, target, "1"),
      (target) => face.createView(stranger, target, asAnn),
      (target) => face.listAuditEvents(stranger, target),
    ];
    for (const ask of asked) {
      const [theirs, nobodys] = [await ask(id), await ask(unknown)];
      const seen = ({ status, body: { requestId: _, ...body } }: Answer) => ({ status, body });
      expect(seen(theirs)).toEqual(seen(nobodys));
      expect(theirs.body.errorCode).toBe("ENVELOPE_NOT_FOUND");
    }
    expect(bodyOf(200, await face.read(owner, id)).status).toBe("sent");
  });
});

test("the account of somebody else answers as one that is not there", async () => {
  const ask = async (account: string, path: string) => {
    const { status, body } = await owner.get(`/restapi/v2.1/accounts/${account}${path}`);
    return [status, body.errorCode];
  };
  for (const account of [stranger.organizationId, unknown, "17"]) {
    expect(await ask(account, "/envelopes")).toEqual([404, "ACCOUNT_NOT_FOUND"]);
    expect(await ask(account, `/envelopes/${unknown}`)).toEqual([404, "ENVELOPE_NOT_FOUND"]);
    expect(await ask(account, `/templates/${unknown}`)).toEqual([404, "TEMPLATE_NOT_FOUND"]);
  }
});

test("a link opens once, and what it opened ends with the signing", async () => {
  const { signing } = system;
  if (signing === undefined) throw new Error("a single process lets people sign");
  const face = faces[0] as Face;
  const id = await sent(face);
  const url = (await expectStatus(201, face.createView(owner, id, asAnn))).body.url;
  const visitor = { ip: "192.0.2.55", userAgent: "Browser/1.0", requestId: "of-a-person", traceparent: "" };
  const sessionToken = await openLink(system, url);
  await expectDomainError(signing.openView({ token: tokenIn(url), visitor }), "VIEW_URL_EXPIRED");
  const [text] = (await signing.getCeremony({ sessionToken })).consentTexts;
  const other = (await expectStatus(201, face.createView(owner, id, asAnn))).body.url;
  await signEverything(system, other);
  const consent = { sessionToken, textSha256: text?.sha256 ?? new Uint8Array(), locale: text?.locale ?? "", visitor };
  await expectDomainError(signing.giveConsent(consent), "RECIPIENT_ALREADY_SIGNED");
});

/** Says how much is coming and waits for the answer without sending it. */
function announce(api: Api, path: string, bytes: number): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${api.token}`,
      "content-type": "application/json",
      "content-length": bytes,
    };
    const outgoing: ClientRequest = request(api.baseUrl + path, { method: "POST", headers });
    outgoing.on("error", reject);
    outgoing.on("response", async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) });
      outgoing.destroy();
    });
    outgoing.flushHeaders();
  });
}
