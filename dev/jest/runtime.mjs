// Jest's own runtime. The one difference: what a test file loads is compiled once per worker, not once per test file.
// V8 finds nothing of that by itself, because each test file has a global object of its own.
import vm from "node:vm";
import Runtime from "jest-runtime";

/** What V8 made of a source, by the file's name and its text. */
const compiled = new Map();

const OriginalModule = vm.SourceTextModule;
const originalFunction = vm.compileFunction;

vm.SourceTextModule = class SourceTextModule extends OriginalModule {
  constructor(source, options) {
    const known = find(options?.identifier, source);
    super(source, known === undefined ? options : { ...options, cachedData: known });
    if (known === undefined) keep(options?.identifier, source, this.createCachedData());
  }
};

vm.compileFunction = (source, parameters, options) => {
  const known = find(options?.filename, source);
  if (known !== undefined) return originalFunction(source, parameters, { ...options, cachedData: known });
  const made = originalFunction(source, parameters, { ...options, produceCachedData: true });
  if (made.cachedDataProduced) keep(options?.filename, source, made.cachedData);
  return made;
};

function find(name, source) {
  const entry = compiled.get(name);
  return entry?.source === source ? entry.data : undefined;
}

function keep(name, source, data) {
  if (name !== undefined) compiled.set(name, { source, data });
}

export { Runtime as "module.exports" };
