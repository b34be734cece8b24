import { Code, createClient } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from "#gen/grpc/health/v1/health_pb.ts";
import { createHealthState } from "../../admin-port.ts";
import { useResources } from "./harness.ts";

const resources = useResources();

async function open() {
  const health = createHealthState();
  const interceptors = [
    () => () => {
      throw new Error("health checks pass the interceptors by");
    },
  ];
  const server = await resources.serve({}, { health, interceptors });
  return { health, client: createClient(Health, resources.transport(`127.0.0.1:${server.port}`)) };
}

describe("health check", () => {
  test.each(["", "assent.click.v1.ClickService"])("answers for %j with the state of the process", async (service) => {
    const { health, client } = await open();

    expect((await client.check({ service })).status).toBe(ServingStatus.NOT_SERVING);
    health.setServing(true);
    expect((await client.check({ service })).status).toBe(ServingStatus.SERVING);
    health.setServing(false);
    expect((await client.check({ service })).status).toBe(ServingStatus.NOT_SERVING);
  });

  test("does not know other services", async () => {
    const { client } = await open();

    await expect(client.check({ service: "assent.sign.v1.SignService" })).rejects.toMatchObject({
      code: Code.NotFound,
    });
  });

  test("cannot be watched, because streams are not carried", async () => {
    const { client } = await open();

    const firstOfWatch = async () => {
      for await (const update of client.watch({ service: "" })) return update;
    };

    await expect(firstOfWatch()).rejects.toMatchObject({ code: Code.Unimplemented });
  });
});
