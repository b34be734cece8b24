import { useTexts } from "../../texts/texts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyLine, Secret } from "../../ui/copy-line.tsx";
import { Revealed } from "../access/revealed.tsx";
import type { ClientWithSecret } from "./client.ts";

interface ClientSecretProps {
  readonly client: ClientWithSecret;
  readonly lead: string;
  readonly onClose: () => void;
}

/** The secret of a client this once, and how a token is fetched with it. */
export function ClientSecret({ client, lead, onClose }: ClientSecretProps) {
  const texts = useTexts("clients");
  const { done } = useTexts("common");
  const login = `-u '${client.id}:${client.clientSecret}'`;
  return (
    <Revealed>
      <p>{lead}</p>
      <strong>{texts.idLabel}</strong>
      <CopyLine text={client.id} />
      <Secret label={texts.secretLabel} value={client.clientSecret} />
      <strong>{texts.tryIt}</strong>
      <CopyLine text={`curl -s ${window.location.origin}/oauth/token ${login} -d grant_type=client_credentials`} />
      <div className="form-buttons">
        <Button kind="primary" onPress={onClose}>
          {done}
        </Button>
      </div>
    </Revealed>
  );
}
