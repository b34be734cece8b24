// Builds what processes run: scripts with everything that they load, which start in a third to half of the time. Without
// a mode into gen/programs, child processes and threads, which may read nothing else; with `--mode processes` into
// gen/processes, the others.
import { globSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const root = fileURLToPath(new URL("..", import.meta.url));

const programs = globSync("{gateway,services}/**/*-{process,thread}.ts", { cwd: root, exclude: ["**/test/**"] });

const processes = ["gateway", ...readdirSync(join(root, "services")).map((name) => `services/${name}`)];

const outputs = {
  production: {
    folder: join(root, "gen/programs"),
    input: Object.fromEntries(programs.map((program) => [scriptName(program), program])),
  },
  processes: {
    folder: join(root, "gen/processes"),
    input: {
      ...Object.fromEntries(processes.map((path) => [basename(path), `${path}/main.ts`])),
      start: "dev/start.ts",
    },
  },
};

/** The name by which platform/built-scripts.ts finds it. */
function scriptName(source) {
  return source.replace(/\.ts$/, "").replaceAll("/", "-");
}

const isOurs = (id) => id.startsWith(root) && !id.includes("/node_modules/");

/** Files beside a source are found from its own place. The threads that it starts become scripts as well. */
const places = ({ folder }) => ({
  name: "places",
  transform(code, id) {
    if (!isOurs(id) || !code.includes("import.meta.url")) return null;
    const place = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`;
    return code.replaceAll(/new URL\("(\.[^"]+\.ts)", import\.meta\.url\)|import\.meta\.url/g, (found, named) => {
      const started = named === undefined ? undefined : relative(root, join(dirname(id), named));
      // Whoever starts a process knows where its script is.
      if (started === undefined || started.endsWith("-process.ts")) return found.replace("import.meta.url", place);
      const fileName = `${scriptName(started)}.mjs`;
      this.emitFile({ type: "chunk", id: join(root, started), fileName });
      return `new URL("./${fileName}", import.meta.url)`;
    });
  },
});

/** Tells the bootstrap what the scripts are made of, and dev/pack.ts which files they are: others are of earlier builds. */
const listOfSources = ({ folder }) => ({
  name: "list-of-sources",
  writeBundle(_, bundle) {
    const sources = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds.filter(isOurs));
    writeFileSync(join(folder, ".sources"), JSON.stringify(sources.map((id) => relative(root, id)).sort()));
    writeFileSync(join(folder, ".files"), JSON.stringify(Object.keys(bundle).sort()));
  },
});

export default defineConfig(({ mode }) => ({
  root,
  publicDir: false,
  logLevel: "warn",
  plugins: [places(outputs[mode]), listOfSources(outputs[mode])],
  // The typesetter loads its native part from beside it; pg has none here.
  ssr: { noExternal: true, external: ["@myriaddreamin/typst-ts-node-compiler", "pg-native"] },
  build: {
    ssr: true,
    outDir: outputs[mode].folder,
    emptyOutDir: false,
    target: "node24",
    reportCompressedSize: false,
    rolldownOptions: {
      input: outputs[mode].input,
      // Each part begins with the name of its source, for the log.
      experimental: { attachDebugInfo: "simple" },
      output: {
        // Without hashes, and with the names of the sources: a process may still load a part after the next build.
        ...{ entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs", minifyInternalExports: false },
        // Errors and entities go by the names of their classes.
        keepNames: true,
      },
    },
  },
}));
