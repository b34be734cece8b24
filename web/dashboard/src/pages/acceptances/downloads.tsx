import { useState } from "react";
import { useApi } from "../../api/client.ts";
import { useFile } from "../../api/use-file.ts";
import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Section } from "../../ui/page.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Switch } from "../../ui/switch.tsx";
import { useAction } from "../../ui/use-action.ts";
import type { Evidence } from "./evidence.ts";
import { evidencePath } from "./queries.ts";

interface DownloadsProps {
  readonly evidence: Evidence;
  readonly isOpened: boolean;
}

/** The evidence as files. The JSON is the very bundle that was checked on the page. */
export function Downloads({ evidence, isOpened }: DownloadsProps) {
  const texts = useTexts("acceptances");
  const api = useApi();
  const file = useFile();
  const [isBare, setIsBare] = useState(false);
  const path = evidencePath(evidence.sessionId);
  const name = (ending: string) => `evidence-${evidence.sessionId}.${ending}`;
  const json = useAction(async () => {
    const bundle = isBare ? await api.get<Evidence>(path, { disclose: "none" }) : evidence;
    saveFile(new Blob([JSON.stringify(bundle)], { type: "application/json" }), name("json"));
  });
  const disclose = isBare ? "&disclose=none" : "";
  const pdf = useAction(async () => saveFile(await file(`${path}?format=pdf${disclose}`), name("pdf")));
  const zip = useAction(async () => saveFile(await file(`${path}?format=zip${disclose}`), name("zip")));
  const failed = [json, pdf, zip].find(({ error }) => error !== undefined);
  return (
    <Section title={texts.downloadTitle} intro={texts.downloadIntro}>
      <Switch isSelected={isBare} onChange={setIsBare}>
        {texts.withoutPersonal}
      </Switch>
      <div className="acceptance-buttons">
        <Button isBusy={pdf.isBusy} onPress={() => void pdf.run()}>
          {texts.asPdf}
        </Button>
        <Button isBusy={zip.isBusy} onPress={() => void zip.run()}>
          {texts.asZip}
        </Button>
        <Button isBusy={json.isBusy} onPress={() => void json.run()}>
          {texts.asJson}
        </Button>
        <a href="/verify/verify-bundle.mjs" download>
          {texts.verifier}
        </a>
      </div>
      {isOpened && <p className="acceptance-aside">{texts.openedDownload}</p>}
      {failed !== undefined && <ErrorNotice error={failed.error} />}
    </Section>
  );
}
