#!/bin/bash
: no file is asked about
