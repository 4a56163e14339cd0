#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
mkdir proj
cat >proj/abc_search.py <<'E'
import re
remove_non_notes = re.compile(r'(?xm)' + '|'.join([
    r'\[[A-Za-z]:[^\]]*\]',
    r'(?m)^[A-Za-z]:.*$',
    r'%.*$',
]))
def abc_matches_iter(text):
    return remove_non_notes.finditer(text)
E
echo 'from abc_search import abc_matches_iter' >proj/easy_abc.py
