import { networkInterfaces } from "node:os";
import { Code, createContextKey, type Interceptor } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { ClickService } from "#gen/assent/click/v1/click_pb.ts";
import { DomainError } from "../../errors.ts";
import type { RpcRoutes } from "../routes.ts";
import { type ClickHandlers, clickClient, recordingLogger, useResources } from "./harness.ts";

const resources = useResources();

async function open(handlers: ClickHandlers, options: Parameters<typeof resources.serve>[1] = {}) {
  const { logger, lines } = recordingLogger();
  const server = await resources.serve(handlers, { logger, ...options });
  return { lines, client: clickClient(resources.transport(`127.0.0.1:${server.port}`)) };
}

const noting =
  (name: string, seen: string[]): Interceptor =>
  (next) =>
  async (request) => {
    seen.push(name);
    return next(request);
  };

describe("interceptors of a server", () => {
  test("run first to last, around those of the registration", async () => {
    const seen: string[] = [];
    const routes: RpcRoutes = (router) => {
      router.service(ClickService, { getReceipt: () => ({}) }, { interceptors: [noting("registration", seen)] });
    };
    const { client } = await open({}, { routes, interceptors: [noting("first", seen), noting("second", seen)] });

    await client.getReceipt({});

    expect(seen).toEqual(["first", "second", "registration"]);
  });

  test("can change what the handler sees and what the caller gets", async () => {
    const key = createContextKey("nothing");
    const changing: Interceptor = (next) => async (request) => {
      request.contextValues.set(key, "from the interceptor");
      const response = await next({ ...request, header: new Headers({ "x-name": "changed" }) } as typeof request);
      return { ...response, header: new Headers({ "x-added": "1" }) } as typeof response;
    };
    const { client } = await open(
      {
        getReceipt: (_, context) => ({
          receiptJson: `${context.requestHeader.get("x-name")} ${context.values.get(key)}`,
        }),
      },
      { interceptors: [changing] },
    );
    let added: string | null = null;
    const onHeader = (header: Headers) => {
      added = header.get("x-added");
    };

    const answer = await client.getReceipt({}, { onHeader });

    expect(answer.receiptJson).toBe("changed from the interceptor");
    expect(added).toBe("1");
  });
});

describe("a failure outside of the interceptors", () => {
  const untranslated: ClickHandlers = {
    getSession: () => {
      throw new DomainError("NOT_FOUND");
    },
  };
  const notAMessage: ClickHandlers = { getSession: () => ({ session: { revision: -1 } }) };
  const badHeader: ClickHandlers = {
    getSession: (_request, context) => {
      context.responseHeader.set("x-name", "Zoë");
      return {};
    },
  };

  test.each([
    ["an error that nobody translated", untranslated, "rpc failed outside of its handler"],
    ["an answer that is no message", notAMessage, "rpc failed outside of its handler"],
    ["a header that cannot be sent", badHeader, "the error of an rpc could not be sent"],
  ])("is answered with a bare internal error and logged: %s", async (_name, handlers, msg) => {
    const { client, lines } = await open(handlers);

    await expect(client.getSession({})).rejects.toMatchObject({ code: Code.Internal, rawMessage: "internal error" });

    expect(lines.at(-1)).toMatchObject({ level: "error", msg, rpc: "/assent.click.v1.ClickService/GetSession" });
  });
});

describe("startRpcServer", () => {
  test("listens on IPv6 where there is one", async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const [host, name] = addresses.some(({ address }) => address === "::1")
      ? ["::1", "[::1]"]
      : ["127.0.0.1", "127.0.0.1"];
    const server = await resources.serve({ getReceipt: () => ({}) }, { host });

    expect(await clickClient(resources.transport(`${name}:${server.port}`)).getReceipt({})).toBeDefined();
  });
});
