import type { Deployment } from "#api/templates.ts";
import { useApi } from "../../../api/client.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { ConfirmDialog, Dialog } from "../../../ui/dialog.tsx";
import { deploymentPath, templatePath, useTemplateChanges } from "../queries.ts";
import { DeploymentForm, type DeploymentValues } from "./deployment-form.tsx";

interface Opened {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateDeploymentDialog({
  templateId,
  isOpen,
  onClose,
}: Opened & {
  readonly templateId: string;
}) {
  const texts = useTexts("templates");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const create = async (values: DeploymentValues) => {
    await api.send("POST", `${templatePath(templateId)}/deployments`, values);
    await templateChanged(templateId);
    onClose();
  };
  return (
    <Dialog title={texts.createDeploymentTitle} isOpen={isOpen} onClose={onClose}>
      <DeploymentForm templateId={templateId} submit={texts.createDeployment} onSubmit={create} onCancel={onClose} />
    </Dialog>
  );
}

type DeploymentDialogProps = Opened & { readonly deployment: Deployment };

/** Of an active one the change holds at once, which the form says. */
export function EditDeploymentDialog({ deployment, isOpen, onClose }: DeploymentDialogProps) {
  const texts = useTexts("templates");
  const { save } = useTexts("common");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const send = async (values: DeploymentValues) => {
    await api.send("PATCH", deploymentPath(deployment), { ...values, force: true });
    await templateChanged(deployment.templateId);
    onClose();
  };
  return (
    <Dialog title={texts.editDeploymentTitle} isOpen={isOpen} onClose={onClose}>
      <DeploymentForm
        templateId={deployment.templateId}
        deployment={deployment}
        submit={save}
        onSubmit={send}
        onCancel={onClose}
      />
    </Dialog>
  );
}

export function DeactivateDialog({ deployment, isOpen, onClose }: DeploymentDialogProps) {
  const texts = useTexts("templates");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const deactivate = async () => {
    await api.send("POST", `${deploymentPath(deployment)}/deactivate`);
    await templateChanged(deployment.templateId);
  };
  return (
    <ConfirmDialog
      title={texts.deactivateTitle}
      text={texts.deactivateText(deployment.name)}
      action={texts.deactivate}
      isOpen={isOpen}
      onConfirm={deactivate}
      onClose={onClose}
    />
  );
}

export function RemoveDeploymentDialog({ deployment, isOpen, onClose }: DeploymentDialogProps) {
  const texts = useTexts("templates");
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const remove = async () => {
    await api.send("DELETE", deploymentPath(deployment));
    await templateChanged(deployment.templateId);
  };
  return (
    <ConfirmDialog
      title={texts.removeDeploymentTitle}
      text={texts.removeDeploymentText(deployment.name)}
      action={texts.remove}
      isOpen={isOpen}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
