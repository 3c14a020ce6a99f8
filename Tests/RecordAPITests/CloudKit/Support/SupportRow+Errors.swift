/// Codes and reasons of errors.
extension SupportRow {
    private static func modify(_ kind: String, _ record: String, in database: String = "public") -> String {
        "\(database)/records/modify {'operations':[{'operationType':'\(kind)','record':{\(record)}}]}"
    }

    private static func field(_ field: String) -> String {
        modify("create", "'recordName':'n','recordType':'Tree','fields':{\(field)}")
    }

    private static func share(_ rest: String) -> String {
        modify(
            "create", "'recordType':'cloudkit.share','zoneID':{'zoneName':'A'},'fields':{},\(rest)", in: "private")
    }

    private static func inProduction(_ query: String) -> String {
        """
        /database/1/Forum/production/public/records/query?ckAPIToken={production} \
        {'query':{'recordType':'Tree',\(query)}}
        """
    }

    private static let lookup = "public/records/lookup {'records':[{'recordName':'a'}]}"
    private static let atomic =
        """
        private/records/modify {'zoneID':{'zoneName':'A'},'operations':[{'operationType':'forceUpdate',\
        'record':{'recordName':'a','fields':{}}},{'operationType':'delete','record':{'recordName':'x'}}]}
        """

    static let codes: [SupportRow] = [
        .code("ACCESS_DENIED", "yes", modify("forceUpdate", "'recordName':'a','fields':{}"), as: .bob),
        .code("ATOMIC_ERROR", "yes; in the list of results, with status 200", atomic),
        .code("AUTHENTICATION_FAILED", "yes", "GET public/users/caller", status: 401, as: .nobody),
        .code("AUTHENTICATION_REQUIRED", "yes", "GET public/users/caller", status: 421, as: .token),
        .code("BAD_REQUEST", "yes", "public/records/lookup {}", status: 400),
        .code(
            "CONFLICT", "yes", modify("update", "'recordName':'a','recordChangeTag':'0','fields':{}")),
        .code(
            "EXISTS", "yes, for a duplicate in a unique index; `create` of a record that exists is `CONFLICT`",
            field("'title':{'value':'{unique}'}")),
        .code("INTERNAL_ERROR", "yes", lookup, status: 500, in: .broken),
        .code("NOT_FOUND", "yes", "public/records/lookup {'records':[{'recordName':'none'}]}"),
        .code("QUOTA_EXCEEDED", "yes", "public/records/lookup {'x':'{long}'}", status: 413, in: .limited),
        .code("THROTTLED", "yes", "public/assets/upload {'tokens':[],'first':'{url}'}", status: 429, in: .limited),
        .code("TRY_AGAIN_LATER", "yes", lookup, status: 503, in: .late),
        .code(
            "VALIDATING_REFERENCE_ERROR", "yes",
            field("'link':{'value':{'recordName':'none','action':'VALIDATE'}}")),
        .code(
            "ZONE_NOT_FOUND", "yes", "private/records/query {'query':{'recordType':'Tree'},'zoneID':{'zoneName':'Z'}}",
            status: 404),
        .code(
            "UNIQUE_FIELD_ERROR", "no: a duplicate in a unique index is `EXISTS`",
            field("'title':{'value':'{unique}'}")),
        .code(
            "CHANGE_TOKEN_EXPIRED", "no: such a token is `BAD_REQUEST`",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'},'syncToken':'AAAA'}]}"),
    ]

    static let reasons: [SupportRow] = [
        .reason(
            "userNeeded", "request needs authorization", "AUTHENTICATION_REQUIRED", "yes", "GET private/zones/list",
            status: 421, as: .token),
        .reason(
            "unexpectedInput", "BadRequestException: Unexpected input", "BAD_REQUEST",
            "yes; further words may follow", "public/records/lookup {", status: 400),
        .reason(
            "", "Record not found", "NOT_FOUND", "yes",
            "public/records/lookup {'records':[{'recordName':'none'}]}"),
        .reason(
            "recordExists", "record to insert already exists", "CONFLICT", "yes",
            modify("create", "'recordName':'a','recordType':'Tree','fields':{}")),
        .reason(
            "recordChanged", "record to update already exists with a different change tag", "CONFLICT", "yes",
            modify("update", "'recordName':'a','recordChangeTag':'0','fields':{}")),
        .reason(
            "", "client oplock error updating record", "CONFLICT", "no: it is the text of the native SDK",
            modify("update", "'recordName':'a','recordChangeTag':'0','fields':{}")),
        .reason(
            "taggedRecordMissing", "recordChangeTag specified, but record not found", "NOT_FOUND", "yes",
            modify("update", "'recordName':'x','recordChangeTag':'0','fields':{}")),
        .reason("batchFailed", "batch failed", "ATOMIC_ERROR", "yes", atomic),
        .reason(
            "notPermitted", "CREATE operation not permitted", "ACCESS_DENIED", "yes",
            modify("create", "'recordName':'n{secret}','recordType':'Secret','fields':{}")),
        .reason(
            "notPermitted", "WRITE operation not permitted", "ACCESS_DENIED", "yes",
            modify("forceUpdate", "'recordName':'a','fields':{}"), as: .bob),
        .reason(
            "notPermitted", "READ operation not permitted", "ACCESS_DENIED", "yes",
            "public/records/lookup {'records':[{'recordName':'{drop}'}]}"),
        .reason(
            "invalidValue", "Invalid value, expected type INT64.", "BAD_REQUEST", "yes, with each type",
            field("'count':{'value':'x'}")),
        .reason(
            "", "invalid attempt to set value type STRING for field `count` for type `Tree`, defined to be: INT64",
            "BAD_REQUEST", "yes, with each type", field("'count':{'value':'x','type':'STRING'}")),
        .reason(
            "", "Field none not found in Tree", "BAD_REQUEST", "yes",
            """
            public/records/query {'query':{'recordType':'Tree','filterBy':[{'comparator':'EQUALS',\
            'fieldName':'none','fieldValue':{'value':1}}]}}
            """, status: 400),
        .reason(
            "encryptedInPublic", "encrypted fields are not supported in the public database", "BAD_REQUEST", "yes",
            field("'title':{'value':'x','isEncrypted':true}")),
        .reason(
            "encryptedIntoPlain", "Attempt to save encrypted data in non encrypted field type", "BAD_REQUEST", "yes",
            modify(
                "create", "'recordType':'Tree','fields':{'title':{'value':'x','isEncrypted':true}}", in: "private")),
        .reason(
            "", "Field `title` is not marked queryable", "BAD_REQUEST", "yes, in production",
            inProduction("'filterBy':[{'comparator':'EQUALS','fieldName':'title','fieldValue':{'value':'x'}}]"),
            status: 400, as: .nobody),
        .reason(
            "", "Field `title` is not marked sortable", "BAD_REQUEST", "yes, in production",
            inProduction("'sortBy':[{'fieldName':'title'}]"), status: 400, as: .nobody),
        .reason(
            "", "Field `title` is not marked searchable", "BAD_REQUEST", "yes, in production",
            inProduction(
                "'filterBy':[{'comparator':'CONTAINS_ANY_TOKENS','fieldName':'title','fieldValue':{'value':'x'}}]"),
            status: 400, as: .nobody),
        .reason(
            "zoneNotFound", "Zone not found", "ZONE_NOT_FOUND", "yes",
            "private/zones/lookup {'zones':[{'zoneName':'Z'}]}"),
        .reason(
            "changesInDefaultZone", "cannot get changes in default zone", "BAD_REQUEST", "yes",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'_defaultZone'}}]}"),
        .reason(
            "unknownContinuation", "Unknown sync continuation type", "BAD_REQUEST", "yes",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'},'syncToken':'AAAA'}]}"),
        .reason(
            "", "Invalid continuation format", "BAD_REQUEST",
            "no: every token that is not valid is `Unknown sync continuation type`",
            "private/changes/zone {'zones':[{'zoneID':{'zoneName':'A'},'syncToken':'A'}]}"),
        .reason(
            "shareMissing", "Cannot share - no such record exists to share", "BAD_REQUEST", "yes",
            share("'forRecord':{'recordName':'none'}")),
        .reason(
            "", "Field=link, recordID=none, title=Reference target does not exist, rejecting update",
            "VALIDATING_REFERENCE_ERROR", "yes, for a reference",
            field("'link':{'value':{'recordName':'none','action':'VALIDATE'}}")),
        .reason(
            "notApplicable", "endpoint not applicable in the database type `privatedb`", "BAD_REQUEST",
            "yes, with each database", "private/users/discover {}", status: 400),
        .reason(
            "", "could not find subscription we just created", "INTERNAL_ERROR",
            "no: a second subscription with the same content is created",
            """
            public/subscriptions/modify {'operations':[{'operationType':'create','subscription':{'subscriptionID':\
            't','subscriptionType':'query','query':{'recordType':'Tree'},'firesOn':['create']}}],'x':'{poll}'}
            """),

        // This server's.
        .reason(
            "noContainer", "There is no container with the name in the URL", "NOT_FOUND", "this server's",
            "GET /database/1/%2F/development/public/zones/list", status: 404, as: .nobody),
        .reason(
            "noHandler", "There is no handler for this endpoint…", "NOT_FOUND", "this server's",
            "GET public/zones/none",
            status: 404),
        .reason(
            "noCredential", "The request has no credential…", "AUTHENTICATION_FAILED", "this server's",
            "GET public/zones/list", status: 401, as: .nobody),
        .reason(
            "twoCredentials", "The request has an API token and a signature…", "AUTHENTICATION_FAILED",
            "this server's", "GET public/zones/list?ckAPIToken={token}", status: 401, as: .key),
        .reason(
            "tokenRejected", "The API token is not valid…", "AUTHENTICATION_FAILED", "this server's",
            "GET public/zones/list?ckAPIToken=x", status: 401, as: .nobody),
        .reason(
            "signatureRejected", "The signature of the request is not valid…", "AUTHENTICATION_FAILED",
            "this server's", "GET public/zones/list", status: 401, as: .forger),
        .reason(
            "originRejected", "The API token may not be used by pages of this origin", "AUTHENTICATION_FAILED",
            "this server's", "GET public/zones/list", status: 401, as: .foreignPage),
        .reason(
            "keyElsewhere", "A server-to-server key works in the public database only", "AUTHENTICATION_FAILED",
            "this server's", "GET private/zones/list", status: 401, as: .key),
        .reason(
            "keyIsNoUser", "A server-to-server key is no user, and this operation needs one…", "AUTHENTICATION_FAILED",
            "this server's", "GET public/users/discover", status: 401, as: .key),
    ]
}
