import { useTexts } from "../../texts/texts.tsx";
import { LinkTabs } from "../../ui/link-tabs.tsx";
import "./webhooks.css";

/** Leads from the endpoints to the deliveries and back. */
export function WebhookTabs({ current }: { readonly current: "endpoints" | "deliveries" }) {
  const texts = useTexts("webhooks");
  return (
    <LinkTabs
      label={texts.tabs}
      tabs={[
        { to: "/webhooks", text: texts.endpoints, isCurrent: current === "endpoints" },
        { to: "/webhooks/deliveries", text: texts.deliveries, isCurrent: current === "deliveries" },
      ]}
    />
  );
}
