import { readFileSync } from "node:fs";
import { ChannelCredentials, ServerCredentials } from "@grpc/grpc-js";

/**
 * What a process proves itself with and whom it trusts: PEM texts, or paths of files that hold them.
 * Files are read once, at start. Both sides of a connection must present a certificate that `ca` signed.
 */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

const readPem = (textOrPath: string): Buffer =>
  textOrPath.includes("-----BEGIN ") ? Buffer.from(textOrPath) : readFileSync(textOrPath);

/** Server credentials that refuse clients without a trusted certificate; plain text when tls is undefined. */
export function serverCredentials(tls: TlsFiles | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  return ServerCredentials.createSsl(
    readPem(tls.ca),
    [{ private_key: readPem(tls.key), cert_chain: readPem(tls.cert) }],
    true,
  );
}

/** Client credentials that present our certificate and check the server's; plain text when tls is undefined. */
export function channelCredentials(tls: TlsFiles | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(readPem(tls.ca), readPem(tls.key), readPem(tls.cert));
}
