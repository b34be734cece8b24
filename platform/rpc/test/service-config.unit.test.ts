import { describe, expect, test } from "@jest/globals";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { isIdempotent, serviceConfig } from "../client.ts";
import { afterChanges, collectRoutes } from "../routes.ts";

describe("service config", () => {
  test("retries exactly the RPCs whose proto says that they may be sent twice", () => {
    const [methodConfig] = serviceConfig([ClickService, TokenService]).methodConfig;
    const names = methodConfig?.name.map(({ service, method }) => `${service}/${method}`);

    expect(names).toContain("assent.click.v1.ClickService/AcceptBatch");
    expect(names).toContain("assent.click.v1.ClickService/GetReceipt");
    expect(names).toContain("assent.auth.v1.TokenService/IssueToken");
    expect(names).not.toContain("assent.click.v1.ClickService/CreateSession");
    expect(names).toHaveLength([...ClickService.methods, ...TokenService.methods].filter(isIdempotent).length);
    expect(methodConfig?.retryPolicy).toMatchObject({ maxAttempts: 4, retryableStatusCodes: ["UNAVAILABLE"] });
  });

  test("spreads calls over all addresses, also when nothing can be retried", () => {
    expect(serviceConfig([])).toEqual({ loadBalancingConfig: [{ round_robin: {} }], methodConfig: [] });
  });
});

describe("afterChanges", () => {
  test("tells of each RPC that may have changed something, also of one that failed, and of none that only reads", async () => {
    let told = 0;
    const refuse = () => Promise.reject(new Error("refused"));
    const routes = afterChanges(
      (router) => {
        router
          .service(TokenService, { issueToken: async () => ({}), getJwks: async () => ({}) })
          .service(ClickService, { createSession: refuse });
      },
      () => {
        told += 1;
      },
    );
    const { unary } = collectRoutes(routes);
    const call = async (name: string) => {
      const found = unary.find(({ method }) => method.name === name);
      await Promise.resolve(found?.impl({} as never, {} as never)).catch(() => undefined);
      return told;
    };
    expect([await call("GetJwks"), await call("IssueToken"), await call("CreateSession")]).toEqual([0, 1, 2]);
  });
});
