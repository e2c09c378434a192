// What a new script may begin with: one for each language, which reads what the scheduler passes and
// says how a run fails.

export const templates: Record<string, string> = {
	GLUE_SHELL: `#!/bin/bash
# $1 is the parameter, $2 the number of this shard, counted from 0, and $3 the number of shards.
set -euo pipefail

echo "parameter: \${1:-}"
echo "shard: \${2:-0} of \${3:-1}"

# Everything printed is the log of the run. A run fails with any exit code but 0.
exit 0
`,
	GLUE_PYTHON: `#!/usr/bin/env python3
"""The arguments are the parameter, the number of this shard from 0, and the number of shards."""
import sys


def main(param: str, shard: int, shards: int) -> int:
    # Everything printed is the log of the run. A run fails with any exit code but 0.
    print(f"parameter: {param}", flush=True)
    print(f"shard: {shard} of {shards}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
`,
	GLUE_PYTHON2: `#!/usr/bin/env python2
# -*- coding: utf-8 -*-
# The arguments are the parameter, the number of this shard from 0, and the number of shards.
import sys

param, shard, shards = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

# Everything printed is the log of the run. A run fails with any exit code but 0.
print "parameter: %s" % param
print "shard: %d of %d" % (shard, shards)
sys.exit(0)
`,
	GLUE_NODEJS: `#!/usr/bin/env node
// The arguments are the parameter, the number of this shard from 0, and the number of shards.
const [param, shard, shards] = process.argv.slice(2);

// Everything printed is the log of the run. A run fails with any exit code but 0.
console.log("parameter:", param);
console.log("shard:", shard, "of", shards);
process.exitCode = 0;
`,
	GLUE_PHP: `<?php
// The arguments are the parameter, the number of this shard from 0, and the number of shards.
$param = $argv[1] ?? '';
$shard = (int) ($argv[2] ?? 0);
$shards = (int) ($argv[3] ?? 1);

// Everything printed is the log of the run. A run fails with any exit code but 0.
echo "parameter: $param\\n";
echo "shard: $shard of $shards\\n";
exit(0);
`,
	GLUE_POWERSHELL: `# The arguments are the parameter, the number of this shard from 0, and the number of shards.
param([string] $Param, [int] $Shard, [int] $Shards)
$ErrorActionPreference = 'Stop'

# Everything printed is the log of the run. A run fails with any exit code but 0.
Write-Output "parameter: $Param"
Write-Output "shard: $Shard of $Shards"
exit 0
`,
	GLUE_GROOVY: `import com.xxl.job.core.context.XxlJobHelper
import com.xxl.job.core.handler.IJobHandler

// Runs inside a Java executor.
class Task extends IJobHandler {
    @Override
    void execute() throws Exception {
        XxlJobHelper.log("parameter: {}", XxlJobHelper.getJobParam())
        XxlJobHelper.log("shard: {} of {}", XxlJobHelper.getShardIndex(), XxlJobHelper.getShardTotal())
    }
}
`,
};
