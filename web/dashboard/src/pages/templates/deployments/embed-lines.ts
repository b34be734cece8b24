import type { Deployment } from "#api/templates.ts";

const origin = (): string => window.location.origin;
const renderPath = ({ key }: Deployment): string => `/v1/click/render/${encodeURIComponent(key)}`;

/** Ready to be pasted into a page; the backend fills in where the rendering of its session is. */
export const embedLines = (deployment: Deployment): string =>
  [
    `<div id="agreement"></div>`,
    `<script src="${origin()}${renderPath(deployment)}/embed.js"`,
    `  data-url="RENDER_URL"`,
    `  data-target="#agreement"`,
    `  data-accept-url="/your-backend/accept"></script>`,
  ].join("\n");

/** Ready to be pasted into a shell that has an API key. */
export function createSessionLine({ id, templateId }: Deployment): string {
  const body = JSON.stringify({ templateId, deploymentId: id, userRef: "user-42" }, undefined, 2);
  return [
    `curl -X POST ${origin()}/v1/click/sessions \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join("\n");
}

/** What it serves, as a whole page for whoever is logged in here. */
export const pageAddress = (deployment: Deployment): string => `${renderPath(deployment)}?format=html`;
