import { describe, expect, test } from "@jest/globals";
import { checkpointText, parseCheckpoint } from "../checkpoint.ts";
import { leafHash, proofText } from "../merkle.ts";

const root = leafHash(Buffer.from("a leaf"));
const encoded = root.toString("base64");
const origin = "assent.localhost/click/log/1";

describe("the text of a checkpoint", () => {
  test("is origin, size and root, and reads back", () => {
    const text = checkpointText(origin, 1_234, root);
    expect(text).toBe(`${origin}\n1234\n${encoded}\n`);
    expect(parseCheckpoint(text)).toEqual({ origin, size: 1_234, root });
    expect(parseCheckpoint(checkpointText(origin, 0, root))?.size).toBe(0);
  });

  test("may have lines of others after the root", () => {
    expect(parseCheckpoint(`${origin}\n1\n${encoded}\nmore\n`)).toEqual({ origin, size: 1, root });
  });

  test.each([
    ["nothing", ""],
    ["two lines", `${origin}\n1\n`],
    ["no newline at its end", `${origin}\n1\n${encoded}`],
    ["no origin", `\n1\n${encoded}\n`],
    ["an empty line", `${origin}\n1\n${encoded}\n\n`],
    ["a leading zero", `${origin}\n01\n${encoded}\n`],
    ["a sign", `${origin}\n+1\n${encoded}\n`],
    ["a fraction", `${origin}\n1.5\n${encoded}\n`],
    ["a size beyond what is counted exactly", `${origin}\n9007199254740992\n${encoded}\n`],
    ["a root that is too short", `${origin}\n1\n${root.subarray(1).toString("base64")}\n`],
    ["a root in base64url", `${origin}\n1\n${Buffer.alloc(32, 255).toString("base64url")}=\n`],
    ["a root without padding", `${origin}\n1\n${encoded.slice(0, -1)}\n`],
  ])("is none with %s", (_what, text) => {
    expect(parseCheckpoint(text)).toBeUndefined();
  });
});

describe("a proof", () => {
  const checkpoint = `${checkpointText(origin, 3, root)}\n\u2014 ${origin} c2lnbmF0dXJl\n`;

  test("has its lines in the order of the specification", () => {
    expect(proofText({ index: 2, path: [root, Buffer.alloc(32)], checkpoint })).toBe(
      `c2sp.org/tlog-proof@v1\nindex 2\n${encoded}\n${"A".repeat(43)}=\n\n${checkpoint}`,
    );
  });

  test("of the only leaf has no path", () => {
    expect(proofText({ index: 0, path: [], checkpoint })).toBe(`c2sp.org/tlog-proof@v1\nindex 0\n\n${checkpoint}`);
  });
});
