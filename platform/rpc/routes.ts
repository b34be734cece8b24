import type { DescMethodUnary, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Idempotency } from "@bufbuild/protobuf/wkt";
import {
  type ConnectRouter,
  createMethodImplSpec,
  createServiceImplSpec,
  type Interceptor,
  type MethodImplSpec,
  type ServiceImpl,
} from "@connectrpc/connect";

/** Registers the RPC handlers of a service; the same routes serve gRPC, the admin port and the single process. */
export type RpcRoutes = (router: ConnectRouter) => void;

/** The same routes; calls `done` after each RPC that may have changed something, whether it succeeded or failed. */
export const afterChanges =
  (routes: RpcRoutes, done: () => void): RpcRoutes =>
  (router) => {
    const told: ConnectRouter = {
      ...router,
      service: (service, implementation, options) => {
        router.service(service, tellingOfChanges(service, implementation, done), options);
        return told;
      },
    };
    routes(told);
  };

/** In the handlers: interceptors of a registration would take the place of those of the server. */
function tellingOfChanges<T extends DescService>(
  service: T,
  implementation: Partial<ServiceImpl<T>>,
  done: () => void,
): Partial<ServiceImpl<T>> {
  const told = Object.entries(implementation).map(([name, handler]) => {
    if (service.method[name]?.idempotency === Idempotency.NO_SIDE_EFFECTS) return [name, handler];
    const change = handler as (...args: readonly unknown[]) => unknown;
    const changeAndTell = async (...args: readonly unknown[]): Promise<unknown> => {
      try {
        return await change.apply(implementation, [...args]);
      } finally {
        done();
      }
    };
    return [name, changeAndTell];
  });
  return Object.fromEntries(told) as Partial<ServiceImpl<T>>;
}

/** One unary RPC with its handler. */
export interface UnaryRoute {
  /** `/package.Service/Method`, the path on the wire. */
  readonly path: string;
  readonly method: DescMethodUnary;
  readonly impl: Extract<MethodImplSpec, { kind: "unary" }>["impl"];
  /** Interceptors that were given with the registration; they run inside those of the server. */
  readonly interceptors: readonly Interceptor[];
}

export interface CollectedRoutes {
  readonly services: readonly DescService[];
  readonly unary: readonly UnaryRoute[];
}

/**
 * Lists what routes register. An RPC of a registered service without a handler is listed with one that throws
 * `unimplemented`; streaming RPCs are left out because no wire of ours carries them.
 */
export function collectRoutes(routes: RpcRoutes): CollectedRoutes {
  const services: DescService[] = [];
  const unary: UnaryRoute[] = [];
  const add = (spec: MethodImplSpec, interceptors: readonly Interceptor[] = []) => {
    if (spec.kind !== "unary") return;
    const path = `/${spec.method.parent.typeName}/${spec.method.name}`;
    unary.push({ path, method: spec.method, impl: spec.impl, interceptors });
  };
  const router: ConnectRouter = {
    handlers: [],
    service: (service, implementation, options) => {
      services.push(service);
      for (const spec of Object.values(createServiceImplSpec(service, implementation).methods)) {
        add(spec, options?.interceptors);
      }
      return router;
    },
    rpc: (method, impl, options) => {
      if (!services.includes(method.parent)) services.push(method.parent);
      add(createMethodImplSpec(method, impl), options?.interceptors);
      return router;
    },
  };
  routes(router);
  return { services, unary };
}
