#!/usr/bin/env bash
# Copies the sources SOURCE into the new folder COPY, as a repository of its own:
#
#     packaging/source-copy.sh SOURCE COPY
#
# Git may not trust a folder of somebody else's, and a mounted work tree has its .git elsewhere. What is committed makes
# the source archive; the time of the commit is SOURCE_DATE_EPOCH.
set -euo pipefail

export GIT_AUTHOR_DATE="@$SOURCE_DATE_EPOCH +0000" GIT_COMMITTER_DATE="@$SOURCE_DATE_EPOCH +0000"
mkdir "$2"
tar -C "$1" --exclude=./.git --exclude='./build*' --exclude='./subprojects/lief-*' -cf - . | tar -C "$2" -xf -
git -C "$2" init --quiet
git -C "$2" add --all
git -C "$2" -c user.name=cudald -c user.email=cudald@localhost commit --quiet --message "as it is"
