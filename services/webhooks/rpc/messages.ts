import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Connect as ConnectMessage,
  ConnectSchema,
  type ConnectSecret as ConnectSecretMessage,
  ConnectSecretSchema,
  DisabledReason as DisabledReasonCode,
  type Endpoint as EndpointMessage,
  EndpointSchema,
} from "#gen/assent/webhooks/v1/webhooks_pb.ts";
import type { DisabledReason, Endpoint } from "../domain/endpoint.ts";
import type { SealedConnectSecret } from "../store/connect-secret-store.ts";

export function endpointMessage(endpoint: Endpoint, now: Date): EndpointMessage {
  const { id, url, description, eventTypes, isEnabled, disabledReason, previousSecretUntil } = endpoint;
  const overlap = previousSecretUntil !== undefined && previousSecretUntil > now ? previousSecretUntil : undefined;
  return create(EndpointSchema, {
    ...{ id, url, description, eventTypes: [...eventTypes], enabled: isEnabled },
    disabledReason: disabledReason === undefined ? DisabledReasonCode.UNSPECIFIED : disabledReasons[disabledReason],
    ...timestamp("disabledAt", endpoint.disabledAt),
    ...timestamp("failingSince", endpoint.failingSince),
    ...timestamp("previousSecretUntil", overlap),
    createdAt: timestampFromDate(endpoint.createdAt),
    updatedAt: timestampFromDate(endpoint.updatedAt),
  });
}

export const connectMessage = ({ connectId = 0, settings = {}, createdAt }: Endpoint): ConnectMessage =>
  create(ConnectSchema, {
    id: BigInt(connectId),
    settingsJson: JSON.stringify(settings),
    createdAt: timestampFromDate(createdAt),
  });

export const connectSecretMessage = ({ id, createdAt }: Omit<SealedConnectSecret, "sealed">): ConnectSecretMessage =>
  create(ConnectSecretSchema, { id, createdAt: timestampFromDate(createdAt) });

const disabledReasons: Readonly<Record<DisabledReason, DisabledReasonCode>> = {
  "by-request": DisabledReasonCode.BY_REQUEST,
  gone: DisabledReasonCode.GONE,
  failing: DisabledReasonCode.FAILING,
};

/** No member when there is none. */
const timestamp = <Name extends string>(name: Name, date: Date | undefined) =>
  (date === undefined ? {} : { [name]: timestampFromDate(date) }) as {
    readonly [N in Name]?: ReturnType<typeof timestampFromDate>;
  };
