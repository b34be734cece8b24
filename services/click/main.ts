import { RendererService } from "#gen/assent/docgen/v1/docgen_pb.ts";
import { TemplatesService } from "#gen/assent/templates/v1/templates_pb.ts";
import { readSettings } from "#platform/config.ts";
import { runServiceProcess } from "#platform/run-process.ts";
import { configFromEnv, settings } from "./config.ts";
import { createClickService } from "./service.ts";

/** One answer holds a template's texts in all languages. */
const maxAnswerBytes = 32 * 1024 * 1024;

const { env } = process;
const values = readSettings(settings, env);
await runServiceProcess("click", { values, env }, ({ runtime, connect }) =>
  createClickService(configFromEnv(env), {
    runtime,
    templates: connect("templates", values.TEMPLATES_TARGET, [TemplatesService], maxAnswerBytes),
    docgen: connect("docgen", values.DOCGEN_TARGET, [RendererService], maxAnswerBytes),
  }),
);
