/// The keys of dictionaries in requests.
extension SupportRow {
    private static func save(
        _ names: String, _ answer: String, of place: String, _ record: String, _ expected: String...,
        absent: [String] = []
    ) -> SupportRow {
        SupportRow(
            kind: .requestKey, place: place, names: names.split(separator: ", ").map(String.init), answer: answer,
            request: "private/records/modify {'operations':[{'operationType':'forceUpdate','record':{\(record)}}]}",
            expected: expected, absent: absent)
    }

    private static func find(_ names: String, _ answer: String, _ query: String, _ expected: String...) -> SupportRow {
        SupportRow(
            kind: .requestKey, place: "query, filter, sort", names: names.split(separator: ", ").map(String.init),
            answer: answer,
            request: "public/records/query {'query':{'recordType':'Tree',\(query)},'desiredKeys':[]}",
            expected: expected, absent: expected.contains { $0.contains("'c'") } ? [] : ["'recordName':'c'"])
    }

    private static func subscription(
        _ names: String, _ answer: String, _ subscription: String, _ expected: String...
    ) -> SupportRow {
        SupportRow(
            kind: .requestKey, place: "subscription", names: names.split(separator: ", ").map(String.init),
            answer: answer,
            request: """
                private/subscriptions/modify {'operations':[{'operationType':'create',\
                'subscription':{\(subscription)}}]}
                """, expected: expected)
    }

    static let dictionaryKeys: [SupportRow] = [
        .request(
            "zone ID", "zoneName, ownerRecordName, ownerName",
            "yes; `__defaultOwner__` and `_defaultOwner` are the caller",
            """
            private/zones/lookup {'zones':[{'zoneName':'A','ownerRecordName':'{ann}'},\
            {'zoneName':'A','ownerName':'_defaultOwner'},{'zoneName':'A','ownerName':'none'}]}
            """,
            "'zoneName':'A'", "ZONE_NOT_FOUND"),
        .request(
            "zone ID", "zoneType", "accepted, has no effect",
            "private/zones/lookup {'zones':[{'zoneName':'A','zoneType':'x'}]}", "REGULAR_CUSTOM_ZONE"),

        save(
            "recordName, recordType, fields", "yes", of: "record",
            "'recordName':'n','recordType':'Bush','fields':{'count':{'value':1}}",
            "'recordName':'n','recordType':'Bush','fields':{'count':{'value':1,'type':'INT64'}}"),
        .request(
            "record", "recordChangeTag", "yes; `update` and `replace` need it",
            """
            public/records/modify {'operations':[{'operationType':'update','record':{'recordName':'a',\
            'recordChangeTag':'0','fields':{}}}]}
            """, "'CONFLICT'"),
        save(
            "zoneID", "yes, if the request has none", of: "record",
            "'recordName':'a','fields':{},'zoneID':{'zoneName':'A'}", "'zoneName':'A'"),
        save(
            "desiredKeys", "yes; also beside the record in its operation", of: "record",
            "'recordName':'a','zoneID':{'zoneName':'A'},'fields':{},'desiredKeys':['count']", "'count'",
            absent: ["Bramley"]),
        save(
            "createShortGUID", "yes, in custom zones", of: "record",
            "'recordName':'a','zoneID':{'zoneName':'A'},'fields':{},'createShortGUID':true", "'shortGUID':"),
        save(
            "parent", "yes, in custom zones", of: "record",
            "'recordName':'b','zoneID':{'zoneName':'A'},'fields':{},'parent':{'recordName':'a'}",
            "'parent':{'recordName':'a'}"),
        save(
            "forRecord, publicPermission, participants", "yes, in share records", of: "record",
            """
            'recordName':'s','recordType':'cloudkit.share','zoneID':{'zoneName':'A'},'fields':{},\
            'forRecord':{'recordName':'a'},'publicPermission':'READ_ONLY','participants':[{'type':'USER',\
            'permission':'READ_WRITE','acceptanceStatus':'INVITED',\
            'userIdentity':{'lookupInfo':{'userRecordName':'{bob}'}}}]
            """, "'publicPermission':'READ_ONLY'",
            "'forRecord':{'recordName':'a'}", "'userRecordName':'{bob}'"),
        save(
            "created, modified, deleted, pluginFields", "accepted, have no effect", of: "record",
            """
            'recordName':'n','recordType':'Tree','fields':{},'created':{'timestamp':1},'modified':{'timestamp':1},\
            'deleted':true,'pluginFields':{'x':1}
            """, "'deleted':false", "'pluginFields':{}",
            absent: ["'timestamp':1,"]),

        save(
            "value, type", "yes; `type` is optional", of: "field",
            "'recordName':'n','recordType':'Tree','fields':{'at':{'value':5},'new':{'value':5,'type':'DOUBLE'}}",
            "'at':{'value':5,'type':'TIMESTAMP'}", "'new':{'value':5.0,'type':'DOUBLE'}"),
        save(
            "isEncrypted", "no: the server has no encrypted fields", of: "field",
            "'recordName':'n','recordType':'Tree','fields':{'title':{'value':'x','isEncrypted':true}}",
            "'BAD_REQUEST'"),
        save(
            "recordName, action", "yes", of: "reference",
            """
            'recordName':'n','recordType':'Tree','fields':{'link':{'value':{'recordName':'x',\
            'action':'DELETE_SELF'}}}
            """, "{'recordName':'x','action':'DELETE_SELF'}"),
        save(
            "zoneID", "checked: a reference is to a record of its own zone", of: "reference",
            """
            'recordName':'n','recordType':'Tree','fields':{'link':{'value':{'recordName':'x',\
            'action':'NONE','zoneID':{'zoneName':'A'}}}}
            """, "'BAD_REQUEST'"),
        .request(
            "asset", "fileChecksum, receipt, size", "yes",
            """
            public/records/modify {'operations':[{'operationType':'create','record':{'recordName':'p',\
            'recordType':'Tree','fields':{'photo':{'value':{file}}}}}]}
            """, "'type':'ASSETID'", "'size':5"),
        .request(
            "asset", "wrappingKey, referenceChecksum",
            "accepted, have no effect: files are not encrypted",
            """
            public/records/modify {'operations':[{'operationType':'create','record':{'recordName':'p',\
            'recordType':'Tree','fields':{'photo':{'value':{file}}}}}]}
            """, "'size':5",
            absent: "wrappingKey", "referenceChecksum"),
        save(
            "latitude, longitude, horizontalAccuracy, verticalAccuracy, altitude, speed, course, timestamp", "yes",
            of: "location",
            """
            'recordName':'n','recordType':'Tree','fields':{'place':{'value':{'latitude':1.5,'longitude':2.5,\
            'horizontalAccuracy':3.5,'verticalAccuracy':4.5,'altitude':5.5,'speed':6.5,'course':7.5,\
            'timestamp':8}}}
            """, "'latitude':1.5", "'longitude':2.5", "'horizontalAccuracy':3.5",
            "'verticalAccuracy':4.5", "'altitude':5.5", "'speed':6.5", "'course':7.5", "'timestamp':8"),

        find("recordType", "yes", "'filterBy':[],'sortBy':[]", "'recordName':'c'"),
        find(
            "filterBy, comparator, fieldName, fieldValue", "yes",
            "'filterBy':[{'comparator':'EQUALS','fieldName':'title','fieldValue':{'value':'Cox','type':'STRING'}}]",
            "'recordName':'b'"),
        find(
            "fieldName", "optional in a filter with `CONTAINS_ANY_TOKENS` or `CONTAINS_ALL_TOKENS`",
            "'filterBy':[{'comparator':'CONTAINS_ANY_TOKENS','fieldValue':{'value':'cox'}}]",
            "'recordName':'b'"),
        find(
            "systemFieldName", "yes: all seven names, and their `___` names as `fieldName`",
            """
            'filterBy':[{'comparator':'EQUALS','systemFieldName':'createdUserRecordName','fieldValue':{'value':{\
            'recordName':'{ann}'}}},{'comparator':'EQUALS','systemFieldName':'modifiedUserRecordName',\
            'fieldValue':{'value':{'recordName':'{ann}'}}},{'comparator':'NOT_EQUALS','systemFieldName':'recordName',\
            'fieldValue':{'value':{'recordName':'c'}}},{'comparator':'GREATER_THAN','fieldName':'___createTime',\
            'fieldValue':{'value':1000}}],'sortBy':[{'systemFieldName':'modifiedTimestamp'}]
            """, "'recordName':'a'", "'recordName':'b'"),
        find(
            "distance", "yes, with `NEAR`",
            """
            'filterBy':[{'comparator':'NEAR','fieldName':'place','fieldValue':{'value':{'latitude':35.0,\
            'longitude':139.0},'type':'LOCATION'},'distance':1000}]
            """, "'recordName':'a'"),
        find(
            "sortBy, ascending", "yes", "'sortBy':[{'fieldName':'count','ascending':false}]",
            "'records':[{'recordName':'a'", "'recordName':'c'"),
        find(
            "relativeLocation", "yes, for a LOCATION",
            """
            'sortBy':[{'fieldName':'place','relativeLocation':{'value':{'latitude':48.0,'longitude':2.0},\
            'type':'LOCATION'}}]
            """, "'records':[{'recordName':'b'", "'recordName':'c'"),

        subscription(
            "subscriptionID, subscriptionType, query", "yes: `query`, `zone` and `database`",
            "'subscriptionID':'s','subscriptionType':'query','query':{'recordType':'Tree'}",
            "'subscriptionID':'s','subscriptionType':'query','query':{'recordType':'Tree'}"),
        subscription(
            "zoneID", "yes", "'subscriptionType':'zone','zoneID':{'zoneName':'A'}", "'zoneName':'A'"),
        subscription(
            "zoneWide, firesOn, firesOnce", "yes, for `query`",
            """
            'subscriptionType':'query','query':{'recordType':'Tree'},'zoneWide':false,'firesOn':['delete'],\
            'firesOnce':true
            """, "'zoneWide':false", "'firesOn':['delete']", "'firesOnce':true"),
        .request(
            "subscription", "notificationInfo", "yes; see notification info", "GET {poll}",
            "'loc-key':'K'", as: .nobody),
        .request(
            "notification info",
            """
            alertBody, alertLocalizationKey, alertLocalizationArgs, alertActionLocalizationKey, alertLaunchImage, \
            soundName, shouldBadge, shouldSendContentAvailable, additionalFields, category
            """, "yes",
            "GET {poll}", "'body':'New'", "'loc-key':'K'", "'loc-args':['Discovery']", "'action-loc-key':'L'",
            "'launch-image':'I'", "'sound':'S'", "'badge':1", "'content-available':1", "'af':{'title':'Discovery'}",
            "'category':'C'", as: .nobody),
    ]
}
