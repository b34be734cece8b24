import { DocgenService, RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { cancelBatch } from "./cancel-batch.ts";
import { createAsset } from "./create-asset.ts";
import { createBatch } from "./create-batch.ts";
import { createDocument } from "./create-document.ts";
import { createTemplate } from "./create-template.ts";
import { deleteAsset } from "./delete-asset.ts";
import { deleteDocument } from "./delete-document.ts";
import { deleteTemplate } from "./delete-template.ts";
import type { DocgenDeps } from "./deps.ts";
import { getAsset } from "./get-asset.ts";
import { getBatch } from "./get-batch.ts";
import { getDocument } from "./get-document.ts";
import { getDocumentContent } from "./get-document-content.ts";
import { getTemplate } from "./get-template.ts";
import { getTemplateSchema } from "./get-template-schema.ts";
import { getUsage } from "./get-usage.ts";
import { listAssets } from "./list-assets.ts";
import { listBatchItems } from "./list-batch-items.ts";
import { listBatches } from "./list-batches.ts";
import { listDocuments } from "./list-documents.ts";
import { listTemplates } from "./list-templates.ts";
import { publishTemplate } from "./publish-template.ts";
import { renderHtml } from "./render-html.ts";
import { updateTemplate } from "./update-template.ts";
import { validateTemplate } from "./validate-template.ts";

export const docgenRoutes =
  (deps: DocgenDeps): RpcRoutes =>
  (router) => {
    router.service(DocgenService, {
      ...createTemplate(deps),
      ...getTemplate(deps),
      ...listTemplates(deps),
      ...updateTemplate(deps),
      ...deleteTemplate(deps),
      ...publishTemplate(deps),
      ...getTemplateSchema(deps),
      ...validateTemplate(deps),
      ...createAsset(deps),
      ...listAssets(deps),
      ...getAsset(deps),
      ...deleteAsset(deps),
      ...createDocument(deps),
      ...getDocument(deps),
      ...getDocumentContent(deps),
      ...listDocuments(deps),
      ...deleteDocument(deps),
      ...createBatch(deps),
      ...getBatch(deps),
      ...listBatches(deps),
      ...listBatchItems(deps),
      ...cancelBatch(deps),
      ...getUsage(deps),
    });
    router.service(RendererService, renderHtml(deps));
  };
