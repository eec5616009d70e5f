#!/bin/sh
# Makes the namespace and the search attributes that Leadgate needs. Safe to run again: what is there is left alone.
set -eu

temporal operator namespace describe -n "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  temporal operator namespace create -n "$TEMPORAL_NAMESPACE" --retention "${RETENTION_H}h"

# A new namespace is known everywhere a moment later.
tries=0
until known=$(temporal operator search-attribute list -n "$TEMPORAL_NAMESPACE"); do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || exit 1
  sleep 1
done

for attribute in LeadFlow:Keyword LeadState:Keyword LeadStep:Keyword LeadCode:Keyword LeadUpstream:Keyword LeadSite:Keyword LeadProtocol:Keyword LeadStudy:Keyword LeadEmails:KeywordList LeadPhones:KeywordList LeadImports:KeywordList LeadPatientHash:Keyword LeadKeyId:Keyword LeadSender:Int LeadRepeatS:Int LeadUpdatedAt:Datetime; do
  name=${attribute%:*}
  echo "$known" | grep -qw "$name" || temporal operator search-attribute create -n "$TEMPORAL_NAMESPACE" --name "$name" --type "${attribute#*:}"
done
