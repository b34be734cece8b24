import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FileTrigger } from "react-aria-components";
import type { Deployment, Screenshot } from "#api/templates.ts";
import { base64Of, useApi } from "../../../api/client.ts";
import { asApiError, wrongInput } from "../../../api/errors.ts";
import { useSession } from "../../../app/session.tsx";
import { useTexts } from "../../../texts/texts.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorNotice, ErrorState, Loading } from "../../../ui/states.tsx";
import { Time } from "../../../ui/time.tsx";
import { useAction } from "../../../ui/use-action.ts";
import { deploymentPath, useTemplateChanges } from "../queries.ts";

interface ScreenshotsDialogProps {
  readonly deployment: Deployment;
  readonly mayChange: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What the page of a deployment looks like, and which of the pictures is evidence from now on. */
export function ScreenshotsDialog({ deployment, mayChange, isOpen, onClose }: ScreenshotsDialogProps) {
  const texts = useTexts("templates");
  return (
    <Dialog title={texts.screenshotsTitle(deployment.name)} isOpen={isOpen} onClose={onClose}>
      <p>{texts.screenshotsText}</p>
      <ScreenshotList deployment={deployment} mayChange={mayChange} />
    </Dialog>
  );
}

/** As the API takes it; of what is much larger it would not even read the request. */
const maxBytes = 5_242_880;

const screenshotsPath = (deployment: Deployment): string => `${deploymentPath(deployment)}/screenshots`;

function ScreenshotList({ deployment, mayChange }: Pick<ScreenshotsDialogProps, "deployment" | "mayChange">) {
  const texts = useTexts("templates");
  const api = useApi();
  const queries = useQueryClient();
  const queryKey = ["screenshots", deployment.id];
  const path = screenshotsPath(deployment);
  const { data: screenshots, error, refetch } = useQuery({ queryKey, queryFn: () => api.get<Screenshot[]>(path) });
  const upload = useAction(async (file: File) => {
    if (file.size > maxBytes) throw wrongInput(texts.screenshotTooLarge(file.name));
    const content = await base64Of(file);
    await api.send("POST", path, { content }).catch((error: unknown) => {
      const { details } = asApiError(error);
      const fault = details.find(({ field }) => field === "content");
      throw fault === undefined ? error : wrongInput(texts.screenshotUnusable(file.name, fault.message));
    });
    await queries.invalidateQueries({ queryKey });
  });
  if (screenshots === undefined) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading />;
  }
  return (
    <>
      {screenshots.length === 0 ? (
        <p>{texts.noScreenshots}</p>
      ) : (
        <ul className="screenshots">
          {screenshots.map((screenshot) => (
            <ScreenshotRow
              key={screenshot.id}
              screenshot={screenshot}
              deployment={deployment}
              mayChange={mayChange}
              onDeleted={() => queries.invalidateQueries({ queryKey })}
            />
          ))}
        </ul>
      )}
      {mayChange && (
        <FileTrigger
          acceptedFileTypes={["image/png", "image/jpeg"]}
          onSelect={(files) => files?.[0] && void upload.run(files[0])}
        >
          <Button isBusy={upload.isBusy}>{texts.uploadScreenshot}</Button>
        </FileTrigger>
      )}
      {upload.error !== undefined && <ErrorNotice error={upload.error} />}
    </>
  );
}

interface ScreenshotRowProps extends Pick<ScreenshotsDialogProps, "deployment" | "mayChange"> {
  readonly screenshot: Screenshot;
  readonly onDeleted: () => Promise<void>;
}

function ScreenshotRow({ screenshot, deployment, mayChange, onDeleted }: ScreenshotRowProps) {
  const texts = useTexts("templates");
  const { can } = useSession();
  const api = useApi();
  const { templateChanged } = useTemplateChanges();
  const { id, contentUrl, width, height, createdAt } = screenshot;
  const isUsed = deployment.screenshotId === id;
  const use = useAction(async () => {
    await api.send("PATCH", deploymentPath(deployment), { screenshotId: id });
    await templateChanged(deployment.templateId);
  });
  const remove = useAction(async () => {
    await api.send("DELETE", `${screenshotsPath(deployment)}/${encodeURIComponent(id)}`);
    await onDeleted();
  });
  const failure = use.error ?? remove.error;
  return (
    <li>
      <a href={contentUrl} target="_blank" rel="noreferrer">
        <img src={contentUrl} alt={texts.screenshotAlt(deployment.name)} loading="lazy" />
        <span className="unseen">({texts.opensNewTab})</span>
      </a>
      <div className="template-aside">
        <Time value={createdAt} /> · {width} × {height}
        {isUsed && <strong> · {texts.screenshotUsed}</strong>}
        <br />
        <code>{id}</code>
      </div>
      {!isUsed && (
        <div className="bulk-buttons">
          {mayChange && (
            <Button isBusy={use.isBusy} onPress={() => void use.run()}>
              {texts.useScreenshot}
            </Button>
          )}
          {can("click:write") && (
            <Button kind="danger" isBusy={remove.isBusy} onPress={() => void remove.run()}>
              {texts.remove}
            </Button>
          )}
        </div>
      )}
      {failure !== undefined && <ErrorNotice error={failure} />}
    </li>
  );
}
