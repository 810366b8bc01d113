// node asyncapi.mjs FOLDER: checks the AsyncAPI document on standard input with the @asyncapi/parser below FOLDER.
// Prints each finding; fails where one is an error.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.argv[2]}/package.json`);
const { Parser } = require("@asyncapi/parser");
const { document, diagnostics } = await new Parser().parse(readFileSync(0, "utf8"));
const levels = ["error", "warning", "information", "hint"];
for (const each of diagnostics) console.log(`${levels[each.severity]}: ${each.path.join("/")}: ${each.message} (${each.code})`);
const count = document ? document.messages().length : 0;
console.log(`${count} messages, ${diagnostics.filter((each) => each.severity === 0).length} errors`);
process.exitCode = document ? 0 : 1;
