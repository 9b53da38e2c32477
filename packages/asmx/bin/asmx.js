#!/usr/bin/env node
// The command came with this package until 0.2.0, and is in @ws01/asmx-tools now: scripts that call it here go on.
const AT = '../../asmx-tools/bin/asmx.js';

import(AT).catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write(
    'asmx: it is in @ws01/asmx-tools now; run npm install -D @ws01/asmx-tools.\n',
  );
  process.exitCode = 1;
});
