/// The keys of requests, by operation. A key of a dictionary that several operations use is in `dictionaryKeys`.
extension SupportRow {
    private static let modify = """
        public/records/modify {'operations':[{'operationType':'forceUpdate','record':{'recordName':'a',\
        'fields':{'count':{'value':5}}}}]
        """

    static let requestKeys: [SupportRow] = [
        // Every request.
        .request("every request", "ckAPIToken", "yes", "GET public/zones/list", "_defaultZone", as: .token),
        .request("every request", "ckWebAuthToken", "yes", "GET private/users/current", "'userRecordName':'{ann}'"),
        .request(
            "every request",
            """
            X-Apple-CloudKit-Request-KeyID, X-Apple-CloudKit-Request-ISO8601Date, \
            X-Apple-CloudKit-Request-SignatureV1
            """, "yes", "GET public/users/caller", "'userRecordName'", as: .key),
        .request(
            "every request", "clientId, ckjsVersion, ckjsBuildVersion, remapEnums, dsid, clientBuildNumber",
            "accepted, has no effect",
            """
            GET public/zones/list?clientId=1&ckjsVersion=2.6.1&ckjsBuildVersion=x&remapEnums=true&dsid=1\
            &clientBuildNumber=1
            """, "_defaultZone"),
        .request(
            "every request", "unknown keys", "accepted, has no effect",
            "public/records/lookup {'records':[{'recordName':'a','other':[{}]}],'other':{}}", "'recordName':'a'"),

        // Records.
        .request(
            "records/modify", "operations, operationType, record", "yes",
            """
            public/records/modify {'operations':[
            {'operationType':'create','record':{'recordName':'n','recordType':'Tree','fields':{'count':{'value':1}}}},
            {'operationType':'update','record':{'recordName':'a','recordChangeTag':'{tagA}',
            'fields':{'count':{'value':2}}}},
            {'operationType':'replace','record':{'recordName':'b','recordChangeTag':'{tagB}','fields':{}}},
            {'operationType':'forceUpdate','record':{'recordName':'m','recordType':'Tree','fields':{}}},
            {'operationType':'forceReplace','record':{'recordName':'o','recordType':'Tree','fields':{}}},
            {'operationType':'delete','record':{'recordName':'c'}},
            {'operationType':'forceDelete','record':{'recordName':'x'}}]}
            """, "'recordName':'n'", "'count':{'value':2,", "'recordName':'b','recordType':'Tree','fields':{}",
            "'recordName':'m'", "'recordName':'o'", "{'recordName':'c','deleted':true}",
            "{'recordName':'x','deleted':true}", absent: "serverErrorCode"),
        .request(
            "records/modify", "zoneID", "yes",
            """
            private/records/modify {'zoneID':{'zoneName':'A'},'operations':[{'operationType':'forceUpdate',\
            'record':{'recordName':'a','fields':{}}}]}
            """, "'zoneName':'A'"),
        .request(
            "records/modify", "atomic", "yes, in custom zones, where `true` is the default; no effect elsewhere",
            """
            private/records/modify {'zoneID':{'zoneName':'A'},'atomic':true,'operations':[{'operationType':\
            'forceUpdate','record':{'recordName':'a','fields':{}}},{'operationType':'update',\
            'record':{'recordName':'b','recordChangeTag':'0','fields':{}}}]}
            """, "'ATOMIC_ERROR'", "'CONFLICT'"),
        .request(
            "records/modify", "desiredKeys", "yes", "\(modify),'desiredKeys':['count']}", "'count':{'value':5",
            absent: "Bramley"),
        .request("records/modify", "numbersAsStrings", "yes", "\(modify),'numbersAsStrings':true}", "'value':'5'"),
        .request(
            "records/query", "query", "yes", "public/records/query {'query':{'recordType':'Tree'}}",
            "'recordName':'a'"),
        .request(
            "records/query", "zoneID", "yes",
            "private/records/query {'query':{'recordType':'Tree'},'zoneID':{'zoneName':'A'}}", "'zoneName':'A'"),
        .request(
            "records/query", "zoneWide", "yes, in the private database",
            "private/records/query {'query':{'recordType':'Tree'},'zoneWide':true}", "'zoneName':'A'"),
        .request(
            "records/query", "resultsLimit", "yes, at most 200",
            "public/records/query {'query':{'recordType':'Tree'},'resultsLimit':1}", "'continuationMarker'"),
        .request(
            "records/query", "continuationMarker", "yes, with the same query",
            """
            public/records/query {'query':{'recordType':'Tree','sortBy':[{'fieldName':'count'}]},'resultsLimit':1,\
            'continuationMarker':'{marker}'}
            """, "'recordName':'b'", absent: "'recordName':'c'"),
        .request(
            "records/query", "desiredKeys", "yes",
            "public/records/query {'query':{'recordType':'Tree'},'desiredKeys':['title']}", "'Cox'",
            absent: "'count'"),
        .request(
            "records/query", "numbersAsStrings", "yes",
            "public/records/query {'query':{'recordType':'Tree'},'numbersAsStrings':true}", "'value':'14'"),
        .request(
            "records/query", "getCurrentSyncToken", "yes, in the URL",
            """
            private/records/query?getCurrentSyncToken=true {'query':{'recordType':'Tree'},\
            'zoneID':{'zoneName':'A'}}
            """, "'syncToken'"),
        .request(
            "records/lookup", "records, recordName, zoneID", "yes",
            "private/records/lookup {'records':[{'recordName':'b'}],'zoneID':{'zoneName':'A'}}", "'Cox'"),
        .request(
            "records/lookup", "desiredKeys", "yes; also in each record",
            """
            public/records/lookup {'records':[{'recordName':'a','desiredKeys':['at']},{'recordName':'b'}],\
            'desiredKeys':['count']}
            """, "'fields':{'at':", "'fields':{'count':", absent: "Cox"),
        .request(
            "records/lookup", "numbersAsStrings", "yes",
            "public/records/lookup {'records':[{'recordName':'a'}],'numbersAsStrings':true}", "'value':'14'"),
        .request(
            "records/lookup", "recordType", "accepted, has no effect",
            "public/records/lookup {'records':[{'recordName':'a','recordType':'Other'}]}", "'recordType':'Tree'"),
        .request(
            "records/resolve, records/accept", "shortGUIDs, value", "yes",
            "public/records/resolve {'shortGUIDs':[{'value':'{guid}'}]}", "'shortGUID':'{guid}'"),
        .request(
            "records/resolve, records/accept", "shouldFetchRootRecord, rootRecordDesiredKeys",
            "yes, for participants",
            """
            public/records/accept {'shortGUIDs':[{'value':'{guid}','shouldFetchRootRecord':true,\
            'rootRecordDesiredKeys':['title']}]}
            """, "'rootRecord':", "'Bramley apple'", absent: "'count':",
            as: .bob),

        // Assets.
        .request(
            "assets/upload", "tokens, recordType, fieldName, recordName, zoneID", "yes",
            """
            private/assets/upload {'zoneID':{'zoneName':'A'},'tokens':[{'recordType':'Tree','fieldName':'photo',\
            'recordName':'n'}]}
            """, "'recordName':'n'", "'fieldName':'photo'"),
        .request(
            "assets/rereference", "assets, recordName, fieldName, zoneID", "yes",
            """
            public/assets/rereference {'assets':[{'recordName':'{photo}','fieldName':'photo'}],\
            'zoneID':{'zoneName':'_defaultZone'}}
            """, "'receipt'"),
        .request(
            "assets/rereference", "recordType", "accepted, has no effect",
            """
            public/assets/rereference {'assets':[{'recordName':'{photo}','fieldName':'photo',\
            'recordType':'Other'}]}
            """, "'receipt'"),

        // Zones and changes.
        .request(
            "zones/lookup", "zones", "yes; each member is a zone ID, or an object with one as `zoneID`",
            "private/zones/lookup {'zones':[{'zoneName':'A'},{'zoneID':{'zoneName':'_defaultZone'}}]}",
            "'zoneName':'A'", "'zoneName':'_defaultZone'"),
        .request(
            "zones/modify", "operations, operationType, zone, zoneID", "yes, with `create` and `delete`",
            """
            private/zones/modify {'operations':[{'operationType':'create','zone':{'zoneID':{'zoneName':'B'}}},\
            {'operationType':'delete','zone':{'zoneID':{'zoneName':'A'}}}]}
            """, "'zoneName':'B'",
            "{'zoneID':{'zoneName':'A'},'deleted':true}"),
        .request(
            "changes/database", "syncToken", "yes",
            "private/changes/database {'syncToken':'{databaseToken}'}", "'zones':[]"),
        .request(
            "changes/database", "resultsLimit", "yes, at most 200",
            "private/changes/database {'resultsLimit':1}", "'moreComing'"),
        .request(
            "zones/changes", "metaSyncToken", "yes; also as `syncToken`",
            "private/zones/changes {'metaSyncToken':'{databaseToken}'}", "'zones':[]"),
        .request(
            "zones/changes", "resultsLimit", "yes, at most 200", "private/zones/changes {'resultsLimit':1}", "'A'"),
        .request(
            "changes/zone, records/changes", "zones, zoneID", "yes; `zones` in `changes/zone`, at most 50",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'}}]}", "'recordName':'a'"),
        .request(
            "changes/zone, records/changes", "syncToken", "yes",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'},'syncToken':'{zoneToken}'}]}", "'records':[]"),
        .request(
            "changes/zone, records/changes", "resultsLimit", "yes, at most 200",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'},'resultsLimit':1}]}", "'moreComing':true"),
        .request(
            "changes/zone, records/changes", "desiredKeys", "yes",
            "private/records/changes {'zoneID':{'zoneName':'A'},'desiredKeys':['title']}", "'Cox'", absent: "'count'"),
        .request(
            "changes/zone, records/changes", "desiredRecordTypes", "yes",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'}}],'desiredRecordTypes':['Other']}",
            "'records':[]"),
        .request(
            "changes/zone, records/changes", "reverse", "yes, within each page",
            "private/records/changes {'zoneID':{'zoneName':'A'},'reverse':true,'desiredKeys':[]}", "'reverse':true",
            "'records':[{'recordName':'c'"),
        .request(
            "changes/zone, records/changes", "numbersAsStrings, numberAsStrings", "yes",
            "private/records/changes {'zoneID':{'zoneName':'A'},'numberAsStrings':true}", "'value':'14'"),

        // Subscriptions and tokens.
        .request(
            "subscriptions/lookup", "subscriptions, subscriptionID", "yes",
            "public/subscriptions/lookup {'subscriptions':[{'subscriptionID':'s','poll':'{poll}'}]}",
            "'subscriptionID':'s','subscriptionType':'query'"),
        .request(
            "subscriptions/modify", "operations, operationType, subscription",
            "yes, with `create`, `update` and `delete`",
            """
            private/subscriptions/modify {'operations':[
            {'operationType':'create','subscription':{'subscriptionID':'d','subscriptionType':'database'}},
            {'operationType':'update','subscription':{'subscriptionID':'d','subscriptionType':'database',\
            'notificationInfo':{'alertBody':'New'}}},
            {'operationType':'delete','subscription':{'subscriptionID':'d'}}]}
            """, "'alertBody':'New'", "{'subscriptionID':'d','deleted':true}"),
        .request(
            "tokens/create, tokens/register", "apnsEnvironment, apnsToken", "yes",
            "/device/1/Forum/development/tokens/register {'apnsEnvironment':'production','apnsToken':'{apns}'}",
            "'apnsEnvironment':'production'", "'apnsToken':'{apns}'"),
        .request(
            "tokens/create, tokens/register", "clientId", "accepted, has no effect",
            "/device/1/Forum/development/tokens/create {'apnsEnvironment':'development','clientId':'x'}", "apnsToken"),
        .request(
            "notifications", "since", "an addition: continues behind a push with this `token`", "GET {poll}?since=",
            "'qry'", as: .nobody),

        // Users.
        .request(
            "users/discover", "lookupInfos, userRecordName", "yes, for users whose record the caller may read",
            "public/users/discover {'lookupInfos':[{'userRecordName':'{ann}'}]}", "'userRecordName':'{ann}'"),
        .request(
            "users/discover", "emailAddress, phoneNumber",
            "accepted, find no user: accounts have no e-mail address and no telephone number",
            "public/users/discover {'lookupInfos':[{'emailAddress':'ann'},{'phoneNumber':'1'}]}", "'users':[]"),
        .request(
            "users/lookup/id", "users, userRecordName", "yes",
            "public/users/lookup/id {'users':[{'userRecordName':'{ann}'}]}", "'userRecordName':'{ann}'"),
        .request(
            "users/lookup/email", "users, emailAddress", "accepted, find no user",
            "public/users/lookup/email {'users':[{'emailAddress':'ann'}]}", "'users':[]"),
    ]
}
