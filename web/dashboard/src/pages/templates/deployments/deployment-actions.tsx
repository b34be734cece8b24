import { useState } from "react";
import type { Deployment } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { useSession } from "../../../app/session.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/error-notice.tsx";
import { useAction } from "../../../ui/use-action.ts";
import { deploymentPath, useTemplateChanges } from "../queries.ts";
import { DeactivateDialog, EditDeploymentDialog, RemoveDeploymentDialog } from "./deployment-dialogs.tsx";
import { EmbedDialog } from "./embed-dialog.tsx";

type Asked = "embed" | "edit" | "deactivate" | "remove";

interface DeploymentActionsProps {
  readonly deployment: Deployment;
  readonly mayChange: boolean;
}

export function DeploymentActions({ deployment, mayChange }: DeploymentActionsProps) {
  const texts = useTexts("templates");
  const { can } = useSession();
  const [asked, setAsked] = useState<Asked>();
  const activate = useActivate(deployment);
  const isActive = deployment.status === "ACTIVE";
  const propsOf = (name: Asked) => ({ deployment, isOpen: asked === name, onClose: () => setAsked(undefined) });
  return (
    <div className="row-actions">
      {mayChange && !isActive && (
        <Button isBusy={activate.isBusy} onPress={() => void activate.run()}>
          {texts.activate}
        </Button>
      )}
      <Button onPress={() => setAsked("embed")}>{texts.embed}</Button>
      {mayChange && <Button onPress={() => setAsked("edit")}>{texts.edit}</Button>}
      {can("click:write") && isActive && <Button onPress={() => setAsked("deactivate")}>{texts.deactivate}</Button>}
      {can("click:admin") && !isActive && (
        <Button kind="danger" onPress={() => setAsked("remove")}>
          {texts.remove}
        </Button>
      )}
      {activate.error !== undefined && <ErrorNotice error={activate.error} />}
      <EmbedDialog {...propsOf("embed")} />
      <EditDeploymentDialog {...propsOf("edit")} />
      <DeactivateDialog {...propsOf("deactivate")} />
      <RemoveDeploymentDialog {...propsOf("remove")} />
    </div>
  );
}

function useActivate(deployment: Deployment) {
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  return useAction(async () => {
    await api.send("POST", `${deploymentPath(deployment)}/activate`);
    await templateChanged(deployment.templateId);
  });
}
