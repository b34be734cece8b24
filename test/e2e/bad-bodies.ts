import { beforeAll, expect, test } from "@jest/globals";
import { smallestPdf } from "../../services/sign/intake/merge-pdfs.ts";
import type { Answer, Api } from "../support/api.ts";
import { type Face, faces } from "../support/sign-faces.ts";
import { scenario } from "../support/system.ts";

const [native, compatible] = faces as [Face, Face];
const documents = [{ documentId: "1", name: "NDA.pdf", documentBase64: Buffer.from(smallestPdf).toString("base64") }];
const copied = { recipientId: "3", name: "Cy", email: "cy@example.com" };
const ann = { recipientId: "1", name: "Ann", email: "ann@example.com" };
const place = { documentId: "1", page: 1, x: 10, y: 10 };
const compatiblePlace = { documentId: "1", pageNumber: "1", xPosition: "10", yPosition: "10" };
const definition = (signers: readonly object[]): object => ({
  emailSubject: "Please sign",
  documents,
  recipients: { carbonCopies: [copied], signers },
});

interface BadBody {
  readonly title: string;
  readonly body: object;
  /** Among those that are found. */
  readonly field: string;
  send(owner: Api, body: object): Promise<Answer>;
}

const twoLines = "Bob\nExample";
const bodies: readonly BadBody[] = [
  ...[native, compatible].map((face) => ({
    title: `a name of two lines, ${face.name}`,
    body: definition([ann, { recipientId: "2", name: twoLines, email: "bob@example.com" }]),
    field: "recipients.signers[1].name",
    send: (owner: Api, body: object) => face.create(owner, body),
  })),
  {
    title: "a label of two lines in a list of tabs",
    body: definition([
      {
        ...ann,
        tabs: [
          { ...place, type: "signature" },
          { ...place, type: "text", label: twoLines },
        ],
      },
    ]),
    field: "recipients.signers[0].tabs[1].label",
    send: (owner, body) => native.create(owner, body),
  },
  {
    title: "a label of two lines among tabs by kind",
    body: definition([
      {
        ...ann,
        tabs: {
          signHereTabs: [compatiblePlace],
          textTabs: [compatiblePlace, { ...compatiblePlace, tabLabel: twoLines }],
        },
      },
    ]),
    field: "recipients.signers[0].tabs.textTabs[1].tabLabel",
    send: (owner, body) => compatible.create(owner, body),
  },
  {
    title: "metadata whose name is no plain one",
    body: { name: "Terms", type: "STATIC", metadata: { "order id": "x".repeat(501) } },
    field: 'metadata["order id"]',
    send: (owner, body) => owner.post("/v1/click/templates", body),
  },
];

export const badBodies = scenario("problems of bodies", (_mode, running) => {
  let owner: Api;
  beforeAll(async () => {
    owner = await running().newOrganization();
  }, 90_000);

  test.each(bodies)("are named by their place in the body that was sent: $title", async ({ body, field, send }) => {
    const answer = await send(owner, body);
    const found: string[] = (answer.body.details ?? []).map((problem: { field: string }) => problem.field);
    expect([answer.status, found]).toEqual([400, expect.arrayContaining([field])]);
    expect(found.filter((one) => !isIn(body, one))).toEqual([]);
  });
});

function isIn(body: object, path: string): boolean {
  let at: unknown = body;
  for (const [, index, quoted, name] of path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g)) {
    const key = index ?? (quoted === undefined ? name : JSON.parse(quoted));
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return true;
}
