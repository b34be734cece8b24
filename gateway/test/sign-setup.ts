import type { Interceptor } from "@connectrpc/connect";
import { type Agreement, AgreementStatus } from "#gen/assent/sign/v1/agreement_pb.ts";
import { createTestDatabase } from "#platform/testing/database.ts";
import { createBodyBudget, documentBudgetLimits } from "../http/body-budget.ts";
import { createUploadTurns } from "../http/upload-turns.ts";
import { orgA } from "./fake-auth.ts";
import { type Answer, startTestGateway, type TestGateway } from "./test-gateway.ts";

export interface SignSetup {
  readonly gateway: TestGateway;
  readonly token: string;
  /** With a token that may do everything in signing. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  draft(): Agreement;
  stop(): Promise<void>;
}

/** A gateway that cuts bodies which pause for a second. */
export async function startSignSetup(interceptors: readonly Interceptor[] = []): Promise<SignSetup> {
  const database = await createTestDatabase();
  const documentBudget = createBodyBudget({ ...documentBudgetLimits, stallMs: 1_000 }, createUploadTurns());
  const gateway = await startTestGateway(database.url, { documentBudget, interceptors: [...interceptors] });
  const token = await gateway.auth.token("sign:read sign:write sign:send sign:admin");
  return {
    gateway,
    token,
    send: (method, path, body, headers = {}) =>
      gateway.call(method, path, { token, headers, ...(body === undefined ? {} : { body }) }),
    draft: () => gateway.sign.add(orgA, { status: AgreementStatus.CREATED }),
    stop: async () => {
      await gateway.stop();
      await database.drop();
    },
  };
}
