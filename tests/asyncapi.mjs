// Checks the AsyncAPI document on standard input with @asyncapi/parser; prints each finding, and fails on errors.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.env.ASYNCAPI_PACKAGES ?? process.cwd()}/package.json`);
const { Parser } = require("@asyncapi/parser");
const { document, diagnostics } = await new Parser().parse(readFileSync(0, "utf8"));
const levels = ["error", "warning", "information", "hint"];
for (const each of diagnostics) console.log(`${levels[each.severity]}: ${each.path.join("/")}: ${each.message} (${each.code})`);
const count = document ? document.messages().length : 0;
console.log(`${count} messages, ${diagnostics.filter((each) => each.severity === 0).length} errors`);
process.exitCode = document ? 0 : 1;
