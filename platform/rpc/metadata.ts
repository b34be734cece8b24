import type { Metadata } from "@grpc/grpc-js";

// Set by HTTP/2 and gRPC themselves; a handler or caller that sets one would break the wire or be refused by Node.
const reserved = new Set([
  "connection",
  "content-length",
  "content-type",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const isReserved = (name: string): boolean => name.startsWith("grpc-") || reserved.has(name);

/** Headers with the content of gRPC metadata: repeated values joined by ", ", `-bin` values in base64 without padding. */
export function headersFromMetadata(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(metadata.toJSON())) {
    for (const value of values) headers.append(name, typeof value === "string" ? value : unpaddedBase64(value));
  }
  return headers;
}

/**
 * Adds headers to gRPC metadata; those that belong to the protocol are left out.
 * Throws when a value has other than printable ASCII characters.
 */
export function addHeaders(metadata: Metadata, headers: Headers): Metadata {
  headers.forEach((value, name) => {
    if (isReserved(name)) return;
    if (!name.endsWith("-bin")) metadata.set(name, value);
    else for (const part of value.split(",")) metadata.add(name, Buffer.from(part.trim(), "base64"));
  });
  return metadata;
}

const unpaddedBase64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
