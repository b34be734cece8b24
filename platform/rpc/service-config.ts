import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { RetryPolicy, ServiceConfig } from "@grpc/grpc-js";

/** True when the proto says that the RPC may be sent twice. */
export const isIdempotent = (method: DescMethod): boolean =>
  method.idempotency !== IdempotencyLevel.IDEMPOTENCY_UNKNOWN;

/**
 * How a channel treats these services: every resolved address gets its share of the calls, and an idempotent RPC that
 * fails with UNAVAILABLE is sent again, at most three times, after 0.1, 0.2 and 0.4 s (give or take a fifth).
 * Calls that never reached a handler are sent again by grpc-js itself, whatever the RPC.
 */
export function serviceConfig(services: readonly DescService[]): ServiceConfig {
  const name = services
    .flatMap((service) => service.methods.filter(isIdempotent))
    .map((method) => ({ service: method.parent.typeName, method: method.name }));
  const retryPolicy: RetryPolicy = {
    maxAttempts: 4,
    initialBackoff: "0.1s",
    maxBackoff: "1s",
    backoffMultiplier: 2,
    retryableStatusCodes: ["UNAVAILABLE"],
  };
  return {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: name.length === 0 ? [] : [{ name, retryPolicy }],
  };
}
