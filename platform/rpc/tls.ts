import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { ChannelCredentials, experimental, ServerCredentials } from "@grpc/grpc-js";

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

type CertificateProvider = experimental.CertificateProvider;
type OnAuthority = Parameters<CertificateProvider["addCaCertificateListener"]>[0];
type OnIdentity = Parameters<CertificateProvider["addIdentityCertificateListener"]>[0];

/** Certificates are replaced days before they end. */
const usualRefreshMs = 10_000;

interface Read {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

/**
 * Certificates in files, which are read again and again: new connections use what is there by then. Files that do not
 * fit together, because they are just being replaced or are damaged, change nothing. Throws when they cannot be read at
 * first.
 */
function watchCertificates(files: TlsFiles, refreshMs: number): CertificateProvider {
  const authorityListeners = new Set<OnAuthority>();
  const identityListeners = new Set<OnIdentity>();
  let latest = readAll(files);
  let timer: NodeJS.Timeout | undefined;

  const tell = (onAuthority: Iterable<OnAuthority>, onIdentity: Iterable<OnIdentity>): void => {
    for (const listener of onAuthority) listener({ caCertificate: latest.ca });
    for (const listener of onIdentity) listener({ certificate: latest.cert, privateKey: latest.key });
  };
  const refresh = (): void => {
    const next = readUsable(files);
    if (next === undefined || isSame(latest, next)) return;
    latest = next;
    tell(authorityListeners, identityListeners);
  };
  const watchWhileWanted = (): void => {
    const isWanted = authorityListeners.size + identityListeners.size > 0;
    if (isWanted) timer ??= setInterval(refresh, refreshMs).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  };
  return {
    addCaCertificateListener: (listener) => {
      authorityListeners.add(listener);
      watchWhileWanted();
      // A server listens to what its credentials say only when this has returned.
      process.nextTick(tell, [listener], []);
    },
    removeCaCertificateListener: (listener) => {
      authorityListeners.delete(listener);
      watchWhileWanted();
    },
    addIdentityCertificateListener: (listener) => {
      identityListeners.add(listener);
      watchWhileWanted();
      process.nextTick(tell, [], [listener]);
    },
    removeIdentityCertificateListener: (listener) => {
      identityListeners.delete(listener);
      watchWhileWanted();
    },
  };
}

const readAll = ({ cert, key, ca }: TlsFiles): Read => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
  ca: readFileSync(ca),
});

function readUsable(files: TlsFiles): Read | undefined {
  try {
    const read = readAll(files);
    new X509Certificate(read.ca);
    return new X509Certificate(read.cert).checkPrivateKey(createPrivateKey(read.key)) ? read : undefined;
  } catch {
    return undefined;
  }
}

const isSame = (a: Read, b: Read): boolean => a.cert.equals(b.cert) && a.key.equals(b.key) && a.ca.equals(b.ca);
