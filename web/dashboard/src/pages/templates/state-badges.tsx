import type { Deployment } from "#api/templates.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Badge } from "../../ui/badge.tsx";
import type { TemplateStatus } from "./configuration.ts";

const templateTones = { DRAFT: "info", PUBLISHED: "success", ARCHIVED: "warning" } as const;
const deploymentTones = { DRAFT: "info", ACTIVE: "success", INACTIVE: "warning" } as const;

/** Of a template or of one of its versions: both are drafts, published or archived. */
export function TemplateState({ status }: { readonly status: TemplateStatus }) {
  const { states } = useTexts("templates");
  return <Badge tone={templateTones[status]}>{states[status]}</Badge>;
}

export function DeploymentState({ status }: Pick<Deployment, "status">) {
  const { deploymentStates } = useTexts("templates");
  return <Badge tone={deploymentTones[status]}>{deploymentStates[status]}</Badge>;
}
