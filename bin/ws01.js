#!/usr/bin/env node
// The command of a working copy. The service is a package of its own; this file is where scripts and units look for it.
import '../apps/ws01/bin/ws01.js';
