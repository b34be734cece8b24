import { Link } from "../../app/router.tsx";
import { useTexts } from "../../texts/texts.tsx";
import "./webhooks.css";

/** Leads from the endpoints to the deliveries and back. */
export function WebhookTabs({ current }: { readonly current: "endpoints" | "deliveries" }) {
  const texts = useTexts("webhooks");
  const tabs = [
    ["endpoints", "/webhooks"],
    ["deliveries", "/webhooks/deliveries"],
  ] as const;
  return (
    <nav className="webhook-tabs" aria-label={texts.tabs}>
      {tabs.map(([name, to]) => (
        <Link key={name} to={to} aria-current={name === current ? "page" : undefined}>
          {texts[name]}
        </Link>
      ))}
    </nav>
  );
}
