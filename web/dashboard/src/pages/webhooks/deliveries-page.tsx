import { useMemo } from "react";
import type { Delivery } from "#api/webhooks.ts";
import { useNavigate, useSearch } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { type Option, Select } from "../../ui/text-field.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { WebhookTabs } from "./parts.tsx";
import { type DeliveryFilter, useEndpoints, useEventTypes } from "./queries.ts";
import "./webhooks.css";

const statuses = ["PENDING", "DELIVERED", "FAILED", "DEAD"] as const satisfies readonly Delivery["status"][];

const pageSize = 25;
const names = ["endpointId", "status", "eventType"] as const;

/** The filters are in the address of the page, so that it can be kept and sent to somebody. */
export function DeliveriesPage() {
  const texts = useTexts("webhooks");
  const search = useSearch();
  const filter = useMemo(() => filterIn(search), [search]);
  const isNarrowed = Object.values(filter).some(Boolean);
  return (
    <Page title={texts.deliveries} intro={texts.deliveriesIntro}>
      <WebhookTabs current="deliveries" />
      <Filters filter={filter} isNarrowed={isNarrowed} />
      <DeliveryList filter={filter} pageSize={pageSize} isNarrowed={isNarrowed} />
    </Page>
  );
}

const filterIn = (search: URLSearchParams): DeliveryFilter =>
  Object.fromEntries(names.map((name) => [name, search.get(name) ?? undefined]));

function Filters({ filter, isNarrowed }: { readonly filter: DeliveryFilter; readonly isNarrowed: boolean }) {
  const texts = useTexts("webhooks");
  const navigate = useNavigate();
  const { data: endpoints = [] } = useEndpoints();
  const { data: types = [] } = useEventTypes();
  const show = (wanted: DeliveryFilter) => {
    const search = new URLSearchParams();
    for (const name of names) if (wanted[name]) search.set(name, wanted[name]);
    navigate(`/webhooks/deliveries${search.size === 0 ? "" : `?${search}`}`, { replace: true });
  };
  const choice = (name: keyof DeliveryFilter, label: string, any: string, options: readonly Option[]) => (
    <Select
      label={label}
      options={[{ id: anything, label: any }, ...options]}
      value={filter[name] ?? anything}
      onChange={(key) => show({ ...filter, [name]: key === anything ? undefined : String(key) })}
    />
  );
  return (
    <div className="webhook-filters">
      {choice(
        "endpointId",
        texts.filterEndpoint,
        texts.anyEndpoint,
        endpoints.map(({ id, url }) => ({ id, label: url })),
      )}
      {choice(
        "status",
        texts.filterStatus,
        texts.anyStatus,
        statuses.map((id) => ({ id, label: texts.deliveryStatus[id] })),
      )}
      {choice(
        "eventType",
        texts.filterType,
        texts.anyType,
        types.map(({ type }) => ({ id: type, label: type })),
      )}
      {isNarrowed && <Button onPress={() => show({})}>{texts.clearFilters}</Button>}
    </div>
  );
}

const anything = "*";
