#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py pydantic/__init__.py <<<'VERSION = "2.6.4"'
py pydantic/fields.py <<<'class FieldInfo: pass'
dist pydantic 2.6.4 py3-none-any pydantic
py formbase/__init__.py <<<'VERSION = "3.1.0"'
dist formbase 3.1.0 py3-none-any formbase
py pyfa_converter/__init__.py </dev/null
py pyfa_converter/main.py <<<'from pydantic.fields import ModelField'
py pyfa_converter/depends.py <<<'from pyfa_converter.main import ModelField'
py pyfa_converter/form.py <<<'from formbase import OldForm'
dist pyfa-converter 1.0.5.0 py3-none-any pyfa_converter -- 'Requires-Dist: pydantic (>=1.6)' \
  'Requires-Dist: formbase (>=2.2)'
