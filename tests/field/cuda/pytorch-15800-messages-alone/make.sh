#!/bin/bash
mkdir -p "$1/none"
