import { ChannelCredentials, experimental, ServerCredentials } from "@grpc/grpc-js";
import { usualRefreshMs, watchCertificates } from "./certificate-files.ts";

/**
 * What a process proves itself with and whom it trusts: PEM texts, or paths of files that hold them. Files may be
 * replaced while the process runs. Both sides of a connection must present a certificate that `ca` signed.
 */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  /** How often files are read again, in milliseconds; every ten seconds when absent. */
  readonly refreshMs?: number | undefined;
}

/** What a server proves itself with to clients that need no certificate; those that have one prove themselves with it. */
export interface OpenTlsFiles {
  readonly cert: string;
  readonly key: string;
  /** File of the authorities that certificates of clients come from; none is asked for when absent. */
  readonly clientAuthorities: string | undefined;
}

const isOpen = (tls: TlsFiles | OpenTlsFiles): tls is OpenTlsFiles => "clientAuthorities" in tls;

/** Server credentials that refuse clients without a trusted certificate, unless it is open; plain text when undefined. */
export function serverCredentials(tls: TlsFiles | OpenTlsFiles | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  if (isOpen(tls)) {
    const { clientAuthorities, ...own } = tls;
    const watched = watchCertificates({ ...own, ca: clientAuthorities ?? own.cert }, usualRefreshMs);
    const authorities = clientAuthorities === undefined ? null : watched;
    // The types call the first one the authorities'; it is what the server proves itself with.
    return experimental.createCertificateProviderServerCredentials(watched, authorities, false);
  }
  if (!areTexts(tls)) {
    const watched = watchCertificates(tls, tls.refreshMs ?? usualRefreshMs);
    return experimental.createCertificateProviderServerCredentials(watched, watched, true);
  }
  const { cert, key, ca } = tls;
  return ServerCredentials.createSsl(
    Buffer.from(ca),
    [{ private_key: Buffer.from(key), cert_chain: Buffer.from(cert) }],
    true,
  );
}

/** Client credentials that present our certificate and check the server's; plain text when tls is undefined. */
export function channelCredentials(tls: TlsFiles | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  if (!areTexts(tls)) {
    const watched = watchCertificates(tls, tls.refreshMs ?? usualRefreshMs);
    return experimental.createCertificateProviderChannelCredentials(watched, watched);
  }
  const { cert, key, ca } = tls;
  return ChannelCredentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(cert));
}

/** All of them are one or the other. */
const areTexts = ({ cert, key, ca }: TlsFiles): boolean => [cert, key, ca].every((one) => one.includes("-----BEGIN "));
