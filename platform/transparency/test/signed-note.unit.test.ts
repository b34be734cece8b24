import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { type NoteSigner, signNote, verifierKey, verifyNote } from "../signed-note.ts";

const { signedNote: published } = JSON.parse(
  readFileSync(new URL("./vectors/rfc6962.json", import.meta.url), "utf8"),
) as { signedNote: { note: string; verifierKey: string } };

const rawKey = (key: KeyObject): Buffer => Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url");

function createSigner(name: string): NoteSigner & { readonly verifier: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const raw = rawKey(publicKey);
  return { name, key: privateKey, publicKey: raw, verifier: verifierKey(name, raw) };
}

const log = createSigner("assent.localhost/click/log/1");
const text = "assent.localhost/click/log/1\n7\nroot\n";
const note = signNote(text, log);
const signatureOf = (signed: string): string => signed.slice(signed.lastIndexOf("\n\n") + 2);

describe("the published example", () => {
  test("verifies with its key", () => {
    expect(verifyNote(published.note, [published.verifierKey])).toEqual({
      text: "This is an example message.\n",
      signers: ["example.com/foo"],
    });
  });

  test("has the key id that is computed from its name and key", () => {
    const raw = Buffer.from(published.verifierKey.split("+").slice(2).join("+"), "base64").subarray(1);
    expect(verifierKey("example.com/foo", raw)).toBe(published.verifierKey);
  });

  test.each([
    ["another text", (whole: string) => whole.replace("example message", "example massage")],
    ["a line more", (whole: string) => whole.replace("\n\n", "\n\n\n")],
    ["another signature", (whole: string) => whole.replace("kn8srV1yJGh", "kn8srV1yJGg")],
    ["another name", (whole: string) => whole.replace("example.com/foo", "example.com/fob")],
    ["no signature", (whole: string) => whole.slice(0, whole.lastIndexOf("\n\n") + 2)],
    ["no newline at its end", (whole: string) => whole.slice(0, -1)],
    ["a space too many", (whole: string) => whole.replace("example.com/foo ", "example.com/foo  ")],
    ["another dash", (whole: string) => whole.replace("\u2014", "-")],
    ["a control character", (whole: string) => whole.replace("message", "mess\tage")],
    ["a line that is no signature", (whole: string) => `${whole}more\n`],
  ])("with %s does not verify", (_what, damage) => {
    const damaged = damage(published.note);
    expect(damaged).not.toBe(published.note);
    expect(verifyNote(damaged, [published.verifierKey])).toBeUndefined();
  });
});

describe("signing", () => {
  test("makes a note that verifies and has one signature line", () => {
    expect(verifyNote(note, [log.verifier])).toEqual({ text, signers: [log.name] });
    expect(note.startsWith(`${text}\n\u2014 ${log.name} `)).toBe(true);
    expect(note.split("\n")).toHaveLength(6);
  });

  test("keeps empty lines and lines that look like signatures in the text", () => {
    const odd = `first\n\n\n${signatureOf(note)}\n`;
    expect(verifyNote(signNote(odd, log), [log.verifier])?.text).toBe(odd);
  });

  test.each(["", "no newline at the end", "with\ta tab\n", "half a character \ud800\n"])(
    "refuses the text %j",
    (bad) => {
      expect(() => signNote(bad, log)).toThrow(TypeError);
    },
  );

  test.each(["", "two words", "a+b", "no\u2003space", "line\nbreak"])("refuses the name %j", (name) => {
    expect(() => signNote(text, { ...log, name })).toThrow(TypeError);
  });
});

describe("keys", () => {
  test("of the same name but another key do not make a note accepted, nor the known one's id over it", () => {
    const stranger = createSigner(log.name);
    const strangers = signNote(text, stranger);
    expect(verifyNote(strangers, [log.verifier])).toBeUndefined();
    const [, idOfLog = ""] = log.verifier.split("+");
    const signature = Buffer.from(strangers.trimEnd().split(" ").at(-1) ?? "", "base64");
    signature.write(idOfLog, "hex");
    const pretending = `${text}\n\u2014 ${log.name} ${signature.toString("base64")}\n`;
    expect(verifyNote(pretending, [log.verifier])).toBeUndefined();
  });

  test("of another name do not make a note accepted, though they are the same key", () => {
    const { publicKey } = log;
    expect(verifyNote(note, [verifierKey("assent.localhost/click/log/2", publicKey)])).toBeUndefined();
    expect(verifyNote(note, [])).toBeUndefined();
  });

  test("that are unknown are passed over, and a known one that does not hold spoils the note", () => {
    const [before, after, witness] = [createSigner(log.name), createSigner(log.name), createSigner("witness.example")];
    const signatures = [before, log, witness].map((signer) => signatureOf(signNote(text, signer))).join("");
    const cosigned = `${text}\n${signatures}`;
    expect(verifyNote(cosigned, [log.verifier])?.signers).toEqual([log.name]);
    expect(verifyNote(cosigned, [after.verifier, log.verifier, witness.verifier])?.signers).toEqual([
      log.name,
      "witness.example",
    ]);
    const spoilt = `${text}\n${signatureOf(note)}${signatureOf(signNote("another text\n", witness))}`;
    expect(verifyNote(spoilt, [log.verifier])?.signers).toEqual([log.name]);
    expect(verifyNote(spoilt, [log.verifier, witness.verifier])).toBeUndefined();
  });

  test("are at most a hundred on one note", () => {
    const strangers = (count: number) => signatureOf(signNote(text, createSigner("stranger.example"))).repeat(count);
    expect(verifyNote(`${text}\n${signatureOf(note)}${strangers(99)}`, [log.verifier])).toBeDefined();
    expect(verifyNote(`${text}\n${signatureOf(note)}${strangers(100)}`, [log.verifier])).toBeUndefined();
  });

  test.each([
    ["whose id is another one's", (key: string) => key.replace(/\+[0-9a-f]{8}\+/, "+00000000+")],
    ["whose name was changed", (key: string) => `x${key}`],
    ["of another type", (key: string) => `${key.split("+").slice(0, 2).join("+")}+Ag==`],
    ["without a key", (key: string) => key.slice(0, key.indexOf("+"))],
  ])("%s are refused", (_what, damage) => {
    expect(() => verifyNote(note, [damage(log.verifier)])).toThrow(TypeError);
  });
});
