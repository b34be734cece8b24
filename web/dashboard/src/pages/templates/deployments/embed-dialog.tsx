import type { Deployment } from "#api/templates.ts";
import { useTexts } from "../../../texts/texts.tsx";
import { CopyLine } from "../../../ui/copy-line.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { createSessionLine, embedLines, pageAddress } from "./embed-lines.ts";

interface EmbedDialogProps {
  readonly deployment: Deployment;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** How the text comes onto a page of the organization. */
export function EmbedDialog({ deployment, isOpen, onClose }: EmbedDialogProps) {
  const texts = useTexts("templates");
  const isActive = deployment.status === "ACTIVE";
  return (
    <Dialog title={texts.embedTitle(deployment.name)} isOpen={isOpen} onClose={onClose}>
      {!isActive && <Notice tone="warning">{texts.embedInactive}</Notice>}
      <p>{texts.embedText}</p>
      <h3>{texts.embedPage}</h3>
      <CopyLine text={embedLines(deployment)} />
      <h3>{texts.embedSession}</h3>
      <CopyLine text={createSessionLine(deployment)} />
      {isActive && (
        <p>
          <a href={pageAddress(deployment)} target="_blank" rel="noreferrer">
            {texts.openPage} <span className="unseen">({texts.opensNewTab})</span>
          </a>
        </p>
      )}
    </Dialog>
  );
}
