import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import { NumberTiles } from "../../ui/number-tiles.tsx";
import { useNumbers } from "../../ui/use-numbers.ts";
import type { Overview } from "./overview.ts";

/** Whether the organization's programs are told what happens, and where to look when they are not. */
export function WebhooksToday({ part }: { readonly part: NonNullable<Overview["webhooks"]> }) {
  const texts = useTexts("start");
  const { count } = useNumbers();
  const { endpoints, failing, disabled, undeliveredToday } = part;
  if (endpoints === 0) return <p className="quiet">{texts.noEndpoints}</p>;
  return (
    <>
      <NumberTiles
        tiles={[
          { name: texts.endpoints, value: count(endpoints) },
          { name: texts.undelivered, value: count(undeliveredToday) },
        ]}
      />
      <p className="badges">
        {failing > 0 && <Badge tone="warning">{texts.failing(failing)}</Badge>}
        {disabled > 0 && <Badge tone="danger">{texts.disabled(disabled)}</Badge>}
        {failing + disabled === 0 && <Badge tone="success">{texts.allWell}</Badge>}
      </p>
      {undeliveredToday > 0 && <Link to="/webhooks/deliveries">{texts.failedDeliveries}</Link>}
    </>
  );
}
