import type { Pool } from "pg";
import { DocgenService, RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { PersonalDataService } from "#gen/assent/privacy/v1/personal_data_pb.ts";
import { RetentionService } from "#gen/assent/privacy/v1/retention_pb.ts";
import { destruction, retentionOf } from "#platform/destroy-tables.ts";
import type { RpcRoutes } from "#platform/rpc/routes.ts";
import { exportOrganization, exportPerson } from "../export/exports.ts";
import { createAsset, deleteAsset, getAsset, listAssets } from "./assets.ts";
import { cancelBatch, getBatch, listBatches, listBatchItems } from "./batches.ts";
import { createBatch } from "./create-batch.ts";
import { createDocument } from "./create-document.ts";
import type { DocgenDeps } from "./deps.ts";
import { getUsage } from "./deps.ts";
import { deleteDocument, getDocument, getDocumentContent, listDocuments } from "./documents.ts";
import { oldDocuments, personalData } from "./personal-data.ts";
import { renderHtml } from "./render-html.ts";
import { createWaitingBytes, wordFiles } from "./renderings.ts";
import { getTemplateSchema, publishTemplate, validateTemplate } from "./template-versions.ts";
import { createTemplate, deleteTemplate, getTemplate, listTemplates, updateTemplate } from "./templates.ts";

export const docgenRoutes =
  (deps: DocgenDeps): RpcRoutes =>
  (router) => {
    const waiting = createWaitingBytes();
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
    router.service(RendererService, { ...renderHtml(deps, waiting), ...wordFiles(deps, waiting) });
  };

/** What the auth service asks every service, and what the sign service asks those that keep records. */
export const personalDataRoutes =
  (deps: DocgenDeps & { readonly destroyerPool: Pool }): RpcRoutes =>
  (router) => {
    router.service(PersonalDataService, {
      ...personalData(deps),
      ...exportPerson(deps),
      ...exportOrganization(deps),
      ...destruction({ pool: deps.destroyerPool, schema: "docgen" }),
    });
    router.service(RetentionService, retentionOf(deps.pool, "docgen", oldDocuments(deps)));
  };
