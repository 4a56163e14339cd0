#!/usr/bin/env bash
# What action.yml runs: installs cudald unless it is there, checks, annotates, and writes the summary of the job. All
# that users state comes in variables, so that none of it is code.
set -euo pipefail

if ! command -v cudald > /dev/null; then
  python3 -m venv "${RUNNER_TEMP:-/tmp}/cudald"
  "${RUNNER_TEMP:-/tmp}/cudald/bin/pip" install --quiet "cudald${CUDALD_VERSION:+==$CUDALD_VERSION}"
  PATH=${RUNNER_TEMP:-/tmp}/cudald/bin:$PATH
fi

# Patterns are opened here, and words are split at blanks, as in a workflow's own command.
# shellcheck disable=SC2206
targets=($CUDALD_TARGETS) options=(${CUDALD_ARGS-})
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
outputs=(-o "markdown=${RUNNER_TEMP:-/tmp}/cudald-summary.md")
if [[ -n ${CUDALD_SARIF-} ]]; then outputs+=(-o "sarif=$CUDALD_SARIF"); fi
if [[ -n ${CUDALD_HTML-} ]]; then outputs+=(-o "html=$CUDALD_HTML"); fi

status=0
cudald check -f github "${options[@]}" "${outputs[@]}" "${targets[@]}" || status=$?
if [[ -e ${RUNNER_TEMP:-/tmp}/cudald-summary.md ]]; then
  cat "${RUNNER_TEMP:-/tmp}/cudald-summary.md" >> "$summary"
fi
{
  echo "status=$status"
  echo "sarif=${CUDALD_SARIF-}"
} >> "${GITHUB_OUTPUT:-/dev/null}"
exit "$status"
