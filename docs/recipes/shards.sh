#!/bin/bash
#SBATCH --job-name=longctx --array=1-8 --cpus-per-task=2 --time=4:00:00 --requeue
set -e
clone=${SCRATCH:-$PWD/reports/clones}/longctx-$SLURM_ARRAY_JOB_ID/$SLURM_ARRAY_TASK_ID
[ -d "$clone" ] || git clone --quiet "$PWD" "$clone"
cd "$clone"
rm -rf reports/shard
pytest tests_longctx --ctx-profile P --ctx-record once \
  --ctx-shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --ctx-report reports/shard
