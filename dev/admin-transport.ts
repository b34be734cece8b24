import type { Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";

/** Speaks to the RPCs that a process serves as JSON on its admin port. */
export const createAdminTransport = (adminUrl: string, adminToken: string): Transport =>
  createConnectTransport({
    baseUrl: adminUrl,
    httpVersion: "1.1",
    useBinaryFormat: false,
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${adminToken}`);
        return next(request);
      },
    ],
  });
