// House rules for the stage's modules that no linter of ours would notice.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path/posix";
import test from "node:test";

const ASSETS = new URL("../../assets/", import.meta.url), STAGE = "stage/stage.js", ACT = "act/act.js", MONITOR = "monitor/monitor.js", USAGE = "usage/usage.js", ATTENTION = "attention/attention.js", LECTURE = "lecture/lecture.js", SHAPE = "stage/shape.js";
const read = (name) => readFileSync(new URL(name, ASSETS), "utf8");
const filesIn = (folder) => readdirSync(new URL(folder, ASSETS), { recursive: true }).map((name) => folder + "/" + name.replaceAll("\\", "/"));
const names = ["stage", "act", "monitor", "usage", "attention", "lecture"].flatMap(filesIn).filter((name) => name.endsWith(".js"));
const source = Object.fromEntries(names.map((name) => [name, read(name)]));
const target = (name, path) => join(name, "..", path);
const importsOf = (name) => [...source[name].matchAll(/^import .* from "(\..*\.js)";$/gm)].map((found) => target(name, found[1]));

test("imports form no circle: a loader that links module by module would never end", () => {
  const done = new Set();
  const visit = (name, path) => {
    assert.ok(!path.includes(name), [...path, name].join(" -> "));
    if (done.has(name)) return;
    for (const next of importsOf(name)) visit(next, [...path, name]);
    done.add(name);
  };
  names.forEach((name) => visit(name, []));
});

test("every import is one line, without renaming, of something that is exported there", () => {
  for (const name of names) {
    for (const line of source[name].match(/^import .*$/gm) ?? []) {
      const found = /^import \{ ([\w, ]+) \} from "(\.{1,2}\/[\w./-]+\.js)";$/.exec(line);
      assert.ok(found, name + ": " + line);
      assert.ok(!/\bas\b/.test(found[1]), name + ": " + line);
      for (const word of found[1].split(", ")) {
        assert.match(source[target(name, found[2])], new RegExp(`^export (async )?(function|const|let) ${word}\\b`, "m"), name + " imports " + word);
        assert.ok(source[name].replace(line, "").match(new RegExp(`\\b${word}\\b`)), name + " does not use " + word);
      }
    }
  }
});

test("top-level names are unique across modules, so that they can be joined into one script", () => {
  const home = new Map();
  for (const name of names) {
    for (const [, word] of source[name].matchAll(/^(?:export )?(?:async )?(?:function|const|let|class) (\w+)/gm)) {
      assert.ok(!home.has(word), `${word} in ${home.get(word)} and ${name}`);
      home.set(word, name);
    }
  }
});

test("every icon that is asked for by name is drawn", () => {
  const drawn = new Set([...source["stage/draw/dom.js"].matchAll(/(\w+): "f?M/g)].map((found) => found[1]));
  for (const name of names) {
    const wishes = [...source[name].matchAll(/\bicon\("(\w+)"|swapIcon\([^,]+, (.*?)\);/g)].flatMap(([, word, rest]) => (word ? [word] : (rest.match(/"(\w+)"/g) ?? []).map((one) => one.slice(1, -1))));
    for (const wish of wishes) assert.ok(drawn.has(wish), name + " asks for " + wish);
  }
});

test("no text reaches the page as markup", () => {
  for (const name of names) assert.doesNotMatch(source[name], /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/, name);
});

/** A module and everything it imports. */
function reach(entry, found = new Set()) {
  if (!found.has(entry)) importsOf(found.add(entry) && entry).forEach((name) => reach(name, found));
  return found;
}

test("files stay small", () => {
  for (const name of names) assert.ok(source[name].split("\n").length <= 250, name);
  const size = (list) => [...list].reduce((sum, name) => sum + Buffer.byteLength(read(name)), 0);
  const stage = size([...reach(STAGE), "stage/stage.css"]);
  assert.ok(stage < 370_000, "stage: " + stage + " bytes");
  const act = size([...[...reach(ACT)].filter((name) => name.startsWith("act/")), "act/act.css"]);
  assert.ok(act < 46_000, "act: " + act + " bytes");
  const monitor = size([...[...reach(MONITOR)].filter((name) => !reach(STAGE).has(name)), "monitor/monitor.css"]);
  assert.ok(monitor < 45_000, "monitor: " + monitor + " bytes");
  const usage = size([...[...reach(USAGE)].filter((name) => name.startsWith("usage/")), "usage/usage.css"]);
  assert.ok(usage < 46_000, "usage: " + usage + " bytes");
  const attention = size([...[...reach(ATTENTION)].filter((name) => name.startsWith("attention/")), "attention/attention.css"]);
  assert.ok(attention < 30_000, "attention: " + attention + " bytes");
  const lecture = size([...[...reach(LECTURE)].filter((name) => name.startsWith("lecture/")), "lecture/lecture.css"]);
  assert.ok(lecture < 86_500, "lecture: " + lecture + " bytes");
  const unused = names.filter((name) => ![STAGE, ACT, MONITOR, USAGE, ATTENTION, LECTURE].some((entry) => reach(entry).has(name)));
  assert.deepEqual(unused, [SHAPE]);
});

test("the stage that modules hand round has one shape: each field they use is in it, and each in it is used", () => {
  const told = [...source[SHAPE].split("@typedef {{").at(-1).replace(/\/\/.*/g, "").matchAll(/(\w+): /g)].map((found) => found[1]);
  assert.equal(new Set(told).size, told.length);
  const text = names.filter((name) => name.startsWith("stage/") && name !== SHAPE).map((name) => source[name].replace(/\/\*\*.*?\*\/|\/\/.*/g, "")).join("\n");
  const used = new Set([...text.matchAll(/(?<!["'\w.-])stage\.(\w+)/g)].map((found) => found[1]));
  assert.deepEqual([...used].filter((field) => !told.includes(field)), []);
  const taken = [...text.matchAll(/function \w+\(\{ (.*?) \}[,)]|const \{ (.*?) \} = stage\b/g)].flatMap((found) => (found[1] ?? found[2]).match(/\w+/g));
  assert.deepEqual(told.filter((field) => !used.has(field) && !taken.includes(field)), []);
});
