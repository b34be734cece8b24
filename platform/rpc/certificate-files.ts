import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { experimental } from "@grpc/grpc-js";
import type { TlsFiles } from "./tls.ts";

type CertificateProvider = experimental.CertificateProvider;
type OnAuthority = Parameters<CertificateProvider["addCaCertificateListener"]>[0];
type OnIdentity = Parameters<CertificateProvider["addIdentityCertificateListener"]>[0];

/** Certificates are replaced days before they end. */
export const usualRefreshMs = 10_000;

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
export function watchCertificates(files: TlsFiles, refreshMs: number): CertificateProvider {
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
