/// The keys of responses, by operation and dictionary.
extension SupportRow {
    private static let tree = "public/records/lookup {'records':[{'recordName':'a'}]}"
    private static let share = """
        private/records/lookup {'zoneID':{'zoneName':'A'},'records':[{'recordName':'share','guid':'{guid}'}]}
        """

    static let responseKeys: [SupportRow] = [
        SupportRow(
            kind: .responseKey, place: "every response", names: ["X-Apple-CloudKit-Web-Auth-Token"],
            answer: "yes, a header field of a user's responses", request: "GET public/users/current",
            expected: ["X-Apple-CloudKit-Web-Auth-Token: "]),
        .response("records/modify, records/lookup", "records", "yes", tree),
        .response(
            "records/modify, records/lookup", "syncToken", "no: `records/query` has it with `getCurrentSyncToken`",
            tree),
        .response(
            "records/query", "records, continuationMarker", "yes",
            "public/records/query {'query':{'recordType':'Tree'},'resultsLimit':1}"),
        .response(
            "records/query", "syncToken", "yes, with `getCurrentSyncToken`",
            """
            private/records/query?getCurrentSyncToken=true {'query':{'recordType':'Tree'},\
            'zoneID':{'zoneName':'A'}}
            """),
        .response(
            "records/changes", "records, syncToken, moreComing, zoneID, reverse", "yes; `reverse` if it is true",
            "private/records/changes {'zoneID':{'zoneName':'A'},'reverse':true}"),
        .response(
            "changes/zone", "zones, zoneID, records, syncToken, moreComing", "yes",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'}}]}"),
        .response("changes/database", "zones, syncToken, moreComing", "yes", "private/changes/database"),
        .response(
            "zones/changes", "zones, metaSyncToken, syncToken, moreComing", "yes", "private/zones/changes {}"),
        .response("zones/list, zones/lookup, zones/modify", "zones", "yes", "GET private/zones/list"),
        .response(
            "assets/upload", "tokens, recordName, fieldName, url", "yes",
            "public/assets/upload {'tokens':[{'recordType':'Tree','fieldName':'photo'}]}"),
        .response(
            "upload", "singleFile, fileChecksum, receipt, size, wrappingKey, referenceChecksum",
            "yes; `wrappingKey` and `referenceChecksum` have no meaning", "{url} hello", as: .nobody),
        .response(
            "assets/rereference", "assets", "yes",
            "public/assets/rereference {'assets':[{'recordName':'{photo}','fieldName':'photo'}]}"),
        .response(
            "records/resolve, records/accept",
            """
            results, shortGUID, containerIdentifier, environment, databaseScope, zoneID, rootRecordName, \
            ownerIdentity, \
            participantPermission, participantStatus, participantType, potentialMatchList
            """, "yes",
            "public/records/resolve {'shortGUIDs':[{'value':'{guid}'}]}", "'potentialMatchList':[]", as: .bob),
        .response(
            "records/resolve, records/accept", "rootRecord, share", "yes, once the caller has joined",
            "public/records/accept {'shortGUIDs':[{'value':'{guid}','shouldFetchRootRecord':true}]}", as: .bob),
        .response(
            "records/resolve, records/accept", "webpageURL", "no: the server has no pages for links",
            "public/records/resolve {'shortGUIDs':[{'value':'{guid}'}]}"),
        .response(
            "subscriptions/list, subscriptions/lookup, subscriptions/modify", "subscriptions", "yes",
            "public/subscriptions/list"),
        .response(
            "tokens/create, tokens/register", "apnsEnvironment, apnsToken, webcourierURL", "yes",
            "/device/1/Forum/development/tokens/create"),
        .response(
            "users/caller, users/discover", "users, userRecordName, nameComponents, lookupInfo", "yes",
            "public/users/caller"),
        .response(
            "users/current, users/lookup/id", "userRecordName, firstName, lastName", "yes",
            "GET public/users/current?x={names}", "'firstName':'Ann'", "'lastName':'Lee'"),
        .response(
            "users/current, users/lookup/id", "emailAddress", "no: accounts have no e-mail address",
            "GET public/users/current"),
        .response(
            "user identity", "givenName, familyName",
            "yes: the fields `firstName` and `lastName` of the user's record", "GET public/users/caller?x={names}",
            "'givenName':'Ann'"),
        .response(
            "user identity",
            "namePrefix, middleName, nameSuffix, nickname, phoneticRepresentation, emailAddress, phoneNumber",
            "no: accounts do not have them", "GET public/users/caller?x={names}"),

        .response(
            "record", "recordName, recordType, fields, recordChangeTag, created, modified, deleted", "yes", tree),
        .response("record", "pluginFields", "yes; always empty", tree, "'pluginFields':{}"),
        .response(
            "record", "timestamp, userRecordName, deviceID", "yes, in `created` and `modified`; `deviceID` is `2`",
            tree, "'deviceID':'2'"),
        .response(
            "record", "zoneID", "yes, in custom zones",
            "private/records/lookup {'zoneID':{'zoneName':'A'},'records':[{'recordName':'a'}]}"),
        .response(
            "record", "share, shortGUID, parent", "yes, of shared records and of records with a parent",
            """
            private/records/modify {'zoneID':{'zoneName':'A'},'operations':[{'operationType':'forceUpdate',\
            'record':{'recordName':'b','fields':{},'parent':{'recordName':'a'}}},{'operationType':\
            'forceUpdate','record':{'recordName':'a','fields':{},'desiredKeys':['{guid}']}}]}
            """),
        .response(
            "record", "publicPermission, participants, owner, currentUserParticipant, forRecord",
            "yes, of share records", share),
        .response("record", "stableUrl", "no: the server has no pages for links", share),
        .response(
            "tombstone", "recordName, recordType, recordChangeTag, deleted",
            "yes, with a null `recordType`; `records/modify` has `recordName` and `deleted` only",
            """
            private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'},'syncToken':'{zoneToken}','gone':'{gone}'}]}
            """, "'recordType':null", "'deleted':true"),
        .response("field", "value, type", "yes", tree, "{'value':14,'type':'INT64'}"),
        .response("field", "isEncrypted", "no: the server has no encrypted fields", tree),
        .response(
            "asset", "fileChecksum, size, downloadURL", "yes",
            "public/records/lookup {'records':[{'recordName':'{photo}'}]}"),
        .response(
            "asset", "wrappingKey, referenceChecksum, receipt",
            "no: an upload and `assets/rereference` return them",
            "public/records/lookup {'records':[{'recordName':'{photo}'}]}"),
        .response(
            "zone", "zoneID, zoneName, ownerRecordName, zoneType, syncToken, atomic", "yes",
            "GET private/zones/list", "'atomic':false", "'atomic':true"),
        .response(
            "zone", "deleted", "yes, of a zone that is gone",
            "private/zones/modify {'operations':[{'operationType':'delete','zone':{'zoneID':{'zoneName':'A'}}}]}"),
        .response(
            "subscription", "subscriptionID, subscriptionType, query, zoneWide, firesOn, firesOnce, notificationInfo",
            "yes", "public/subscriptions/lookup {'subscriptions':[{'subscriptionID':'s','poll':'{poll}'}]}"),
        .response(
            "subscription", "zoneID", "yes, of a zone",
            """
            private/subscriptions/modify {'operations':[{'operationType':'create','subscription':\
            {'subscriptionType':'zone','zoneID':{'zoneName':'A'}}}]}
            """),
        .response(
            "push", "aps, ck, cid, nid, qry, sid, dbs, zid, zoid, rid, fo, af", "yes; `fet` and `met` likewise",
            "GET {poll}", as: .nobody),
        .response("push", "p", "no: no key is left out of a push", "GET {poll}", as: .nobody),
        .response(
            "error", "uuid, serverErrorCode, reason", "yes; in a list also the name of the item",
            "public/records/lookup {'records':[{'recordName':'none'}]}", "{'recordName':'none'"),
        .response(
            "error", "redirectURL", "yes, with `AUTHENTICATION_REQUIRED`", "GET private/zones/list",
            status: 421, as: .token),
        limited(
            .response(
                "error", "retryAfter", "yes, with `THROTTLED` and `TRY_AGAIN_LATER`",
                "public/assets/upload {'tokens':[],'first':'{url}'}", "Retry-After: ", status: 429)),
    ]

    private static func limited(_ row: SupportRow) -> SupportRow {
        var row = row
        row.trouble = .limited
        return row
    }
}
