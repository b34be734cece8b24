import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomFillSync } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { derivedKey } from "../secrets.ts";

/** What a file is sealed with, and what it is sealed for: neither stands in the sealed file. */
export interface FileSeal {
  /** UUID of the key. */
  readonly keyId: string;
  /** 32 bytes; seals any number of files. */
  readonly key: Buffer;
  /** SHA-256 of the file in clear. */
  readonly sha256: Buffer;
}

/** The stored bytes are not what was sealed: changed, cut off, in another order, of another file or under another key. */
export class SealedFileError extends Error {}

const version = 1;
const saltBytes = 32;
/** The version and the salt. */
export const headerBytes = 1 + saltBytes;
const tagBytes = 16;
/** Of a file in clear; the last chunk has what is left. */
const chunkBytes = 64 * 1024;
const sealedChunkBytes = chunkBytes + tagBytes;
/** So many chunks take less than a millisecond. Others have their turn after each. */
const chunksPerTurn = 16;
/** How much of a sealed file is best read at once. */
export const pieceBytes = chunksPerTurn * sealedChunkBytes;

/**
 * Seals a file as STREAM: AES-256-GCM over chunks, whose nonces count them and mark the last one, under a key of this file
 * alone (HKDF-SHA-256 with a random salt), with the id of the key and the hash of the file as associated data. Nothing of it
 * can be changed, cut off or exchanged unnoticed, and any part can be opened without the others.
 */
export async function sealFile(seal: FileSeal, plain: Uint8Array): Promise<Buffer> {
  const count = Math.max(1, Math.ceil(plain.length / chunkBytes));
  const sealed = Buffer.allocUnsafe(headerBytes + plain.length + count * tagBytes);
  sealed[0] = version;
  randomFillSync(sealed, 1, saltBytes);
  const key = keyOf(seal, sealed);
  const context = contextOf(seal);
  let at = headerBytes;
  for (let index = 0; index < count; index += 1) {
    if (index > 0 && index % chunksPerTurn === 0) await nextTurn();
    const nonce = nonceOf(index, index === count - 1);
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes }).setAAD(context);
    at += cipher.update(plain.subarray(index * chunkBytes, (index + 1) * chunkBytes)).copy(sealed, at);
    cipher.final();
    at += cipher.getAuthTag().copy(sealed, at);
  }
  return sealed;
}

/** Opens a sealed file part by part. */
export interface FileOpener {
  /** Of the file in clear. */
  readonly bytes: number;
  /** Which part of the sealed file has these bytes of the file in clear, and how many of others before them. */
  placeOf(first: number, end: number): { readonly offset: number; readonly length: number; readonly before: number };
  /**
   * Opens a part that begins with a chunk, at this offset, and ends with one. It is opened in place: what is given back lies
   * in the same memory. Throws SealedFileError.
   */
  open(part: Buffer, offset: number): Buffer;
}

/** `header`: at least the first bytes of the sealed file, which has so many in all. Throws SealedFileError. */
export function createFileOpener(seal: FileSeal, header: Buffer, sealedBytes: number): FileOpener {
  const body = sealedBytes - headerBytes;
  const count = Math.ceil(body / sealedChunkBytes);
  const last = body - (count - 1) * sealedChunkBytes;
  if (header.length < headerBytes || header[0] !== version || count < 1 || last < tagBytes) {
    throw new SealedFileError("this is no sealed file, or its end is missing");
  }
  const key = keyOf(seal, header);
  const context = contextOf(seal);
  const openChunk = (chunk: Buffer, index: number): Buffer => {
    const nonce = nonceOf(index, index === count - 1);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes }).setAAD(context);
    decipher.setAuthTag(chunk.subarray(-tagBytes));
    const plain = decipher.update(chunk.subarray(0, -tagBytes));
    try {
      decipher.final();
    } catch (cause) {
      throw new SealedFileError(`chunk ${index} of ${count} is not what was sealed`, { cause });
    }
    return plain;
  };
  return {
    bytes: body - count * tagBytes,
    placeOf: (first, end) => {
      const from = Math.floor(first / chunkBytes);
      const to = Math.min(count, Math.max(from + 1, Math.ceil(end / chunkBytes)));
      const offset = headerBytes + from * sealedChunkBytes;
      const length = Math.min(sealedBytes, headerBytes + to * sealedChunkBytes) - offset;
      return { offset, length, before: first - from * chunkBytes };
    },
    open: (part, offset) => {
      const index = (offset - headerBytes) / sealedChunkBytes;
      let opened = 0;
      for (let at = 0; at < part.length; at += sealedChunkBytes) {
        const chunk = part.subarray(at, at + sealedChunkBytes);
        if (chunk.length < tagBytes) throw new SealedFileError("a chunk is cut off");
        opened += openChunk(chunk, index + at / sealedChunkBytes).copy(part, opened);
      }
      return part.subarray(0, opened);
    },
  };
}

const keyOf = ({ key }: FileSeal, header: Buffer): KeyObject =>
  createSecretKey(derivedKey(key, "assent/sealed-file/1", header.subarray(1, headerBytes)));

const contextOf = ({ keyId, sha256 }: FileSeal): Buffer =>
  Buffer.concat([Buffer.from(keyId.replaceAll("-", ""), "hex"), sha256]);

/** Eleven bytes count, the twelfth marks the last chunk. */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(index, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}
