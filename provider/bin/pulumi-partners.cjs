#!/usr/bin/env node
// Not part of the build's output: npm links and marks it executable before there is any, in a clone.
require("../dist/cli/main.js");
