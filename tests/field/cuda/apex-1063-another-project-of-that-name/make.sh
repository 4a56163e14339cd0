#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py pyramid/__init__.py </dev/null
py pyramid/session.py <<'E'
def SignedCookieSessionFactory(secret, cookie_name='session'):
    return secret
E
dist pyramid 2.0.2 py3-none-any pyramid
py apex/__init__.py <<'E'
import logging
from pyramid.session import UnencryptedCookieSessionFactoryConfig
logger = logging.getLogger(__name__)
E
dist apex 0.9.10.dev0 py3-none-any apex -- 'Requires-Dist: pyramid' 'Requires-Dist: cryptacular' \
  'Home-page: http://thesoftwarestudio.com/apex/' \
  'Summary: Pyramid toolkit to add Velruse, Flash Messages,CSRF, ReCaptcha and Sessions'
py run/__init__.py <<<'from apex import amp'
dist vit-trainer 0.1 py3-none-any run
