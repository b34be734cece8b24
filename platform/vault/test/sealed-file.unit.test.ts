import { randomBytes, randomUUID, webcrypto } from "node:crypto";
import { expect, test } from "@jest/globals";
import { sha256Of } from "../../blobs/blob-store.ts";
import { createRandom, seed } from "../../transparency/test/seeded-random.ts";
import { createFileOpener, type FileSeal, headerBytes, pieceBytes, SealedFileError, sealFile } from "../sealed-file.ts";

const chunk = 64 * 1024;
const sealedChunk = chunk + 16;
const sealOf = (plain: Uint8Array): FileSeal => ({
  keyId: randomUUID(),
  key: randomBytes(32),
  sha256: sha256Of(plain),
});

/** Opens in place, so it is given a copy. */
const openAll = (seal: FileSeal, sealed: Buffer): Buffer =>
  createFileOpener(seal, sealed, sealed.length).open(Buffer.from(sealed.subarray(headerBytes)), headerBytes);

/** The sizes around the borders of chunks and pieces, and some others. */
function sizes(): number[] {
  const random = createRandom();
  const borders = [0, chunk, 2 * chunk, 15 * chunk, 16 * chunk, 17 * chunk];
  const near = borders.flatMap((size) => [size - 1, size, size + 1]).filter((size) => size >= 0);
  return [...near, ...Array.from({ length: 20 }, () => random.int(20 * chunk))];
}

test(`every file is opened as it was sealed, as a whole, in pieces and any part of it (TREE_SEED=${seed})`, async () => {
  const random = createRandom();
  for (const size of sizes()) {
    const plain = randomBytes(size);
    const seal = sealOf(plain);
    const sealed = await sealFile(seal, plain);
    expect(openAll(seal, sealed).equals(plain)).toBe(true);
    const opener = createFileOpener(seal, sealed.subarray(0, headerBytes), sealed.length);
    expect(opener.bytes).toBe(size);
    const pieces: Buffer[] = [];
    for (let offset = headerBytes; offset < sealed.length; offset += pieceBytes) {
      pieces.push(opener.open(Buffer.from(sealed.subarray(offset, offset + pieceBytes)), offset));
    }
    expect(Buffer.concat(pieces).equals(plain)).toBe(true);
    for (let turn = 0; turn < 5; turn += 1) {
      const first = random.int(size + 1);
      const end = random.int(first, size + 1);
      const { offset, length, before } = opener.placeOf(first, end);
      const part = opener.open(Buffer.from(sealed.subarray(offset, offset + length)), offset);
      expect(part.subarray(before, before + end - first).equals(plain.subarray(first, end))).toBe(true);
      // No chunk is read that has nothing of it.
      expect(length).toBeLessThanOrEqual((Math.ceil((end - first) / chunk) + 1) * sealedChunk);
    }
  }
});

test("a file is opened where it lies, without a second copy", async () => {
  const plain = randomBytes(3 * chunk);
  const seal = sealOf(plain);
  const sealed = await sealFile(seal, plain);
  const inPlace = createFileOpener(seal, sealed, sealed.length).open(sealed.subarray(headerBytes), headerBytes);
  expect([inPlace.buffer, inPlace.byteOffset]).toEqual([sealed.buffer, sealed.byteOffset + headerBytes]);
  expect(inPlace.equals(plain)).toBe(true);
});

test(`a changed bit is found wherever it is, and so is a chunk that is missing or at another place (TREE_SEED=${seed})`, async () => {
  const random = createRandom();
  const plain = randomBytes(3 * chunk + 100);
  const seal = sealOf(plain);
  const sealed = await sealFile(seal, plain);
  const places = [0, 1, headerBytes - 1, headerBytes, headerBytes + chunk, sealed.length - 1];
  for (const at of [...places, ...Array.from({ length: 50 }, () => random.int(sealed.length))]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ (1 << random.int(8));
    expect(() => openAll(seal, changed)).toThrow(SealedFileError);
  }
  const chunkAt = (index: number) => sealed.subarray(headerBytes + index * sealedChunk).subarray(0, sealedChunk);
  const of = (...chunks: Buffer[]) => Buffer.concat([sealed.subarray(0, headerBytes), ...chunks]);
  const [a, b, c, d] = [chunkAt(0), chunkAt(1), chunkAt(2), chunkAt(3)];
  expect(openAll(seal, of(a, b, c, d)).equals(plain)).toBe(true);
  for (const chunks of [
    [a, b, c],
    [a, b],
    [a],
    [],
    [b, c, d],
    [b, a, c, d],
    [a, c, b, d],
    [a, b, c, c, d],
    [a, b, c, d, d],
    [d],
  ]) {
    expect(() => openAll(seal, of(...chunks))).toThrow(SealedFileError);
  }
  for (const cut of [1, 15, 16, 17, 100, 116, 117]) {
    expect(() => openAll(seal, sealed.subarray(0, -cut))).toThrow(SealedFileError);
  }
});

test("a file is not opened with another key, as another file, or as one of another key", async () => {
  const plain = randomBytes(100);
  const seal = sealOf(plain);
  const sealed = await sealFile(seal, plain);
  for (const other of [{ key: randomBytes(32) }, { keyId: randomUUID() }, { sha256: randomBytes(32) }]) {
    expect(() => openAll({ ...seal, ...other }, sealed)).toThrow(SealedFileError);
  }
  // Sealed twice it looks another way each time: no nonce is used twice with one key.
  const again = await sealFile(seal, plain);
  expect(again.equals(sealed)).toBe(false);
  expect(again.subarray(headerBytes).equals(sealed.subarray(headerBytes))).toBe(false);
});

test("a program that knows nothing but the description opens a sealed file", async () => {
  const { subtle } = webcrypto;
  for (const size of [0, 1, chunk, 2 * chunk + 7]) {
    const plain = randomBytes(size);
    const seal = sealOf(plain);
    const sealed = await sealFile(seal, plain);
    expect(sealed[0]).toBe(1);
    const material = await subtle.importKey("raw", seal.key, "HKDF", false, ["deriveKey"]);
    const info = new TextEncoder().encode("assent/sealed-file/1");
    const derivation = { name: "HKDF", hash: "SHA-256", salt: sealed.subarray(1, 33), info };
    const key = await subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
    const additionalData = Buffer.from(seal.keyId.replaceAll("-", "") + seal.sha256.toString("hex"), "hex");
    const opened: Buffer[] = [];
    for (let at = 33, counter = 0; at < sealed.length; at += sealedChunk, counter += 1) {
      const isLast = at + sealedChunk >= sealed.length;
      const iv = Buffer.from(counter.toString(16).padStart(22, "0") + (isLast ? "01" : "00"), "hex");
      const algorithm = { name: "AES-GCM", iv, additionalData };
      opened.push(Buffer.from(await subtle.decrypt(algorithm, key, sealed.subarray(at, at + sealedChunk))));
    }
    expect(Buffer.concat(opened).equals(plain)).toBe(true);
  }
});
