#!/bin/bash
# Starts the task on every node. The claim holds this file beside the run's other files.
set -evx

export PYTHONUNBUFFERED=1
export TORCHX_MAX_RETRIES=0
${exports}

ln -sfn "${codeDir}" /nemo_run

echo "nemo-run: starting the task"
set +e

${command}

status=$?
echo "nemo-run: the task ended with status $status"
exit "$status"
