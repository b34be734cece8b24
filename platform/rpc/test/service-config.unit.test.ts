import { describe, expect, test } from "@jest/globals";
import { TokenService } from "#gen/assent/auth/v1/auth_pb.ts";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { isIdempotent, serviceConfig } from "../client.ts";

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
