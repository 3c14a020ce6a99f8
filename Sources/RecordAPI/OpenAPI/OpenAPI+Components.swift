internal import RecordWire

extension OpenAPI {
    /// The schemas of bodies in the order of the document. Each schema is defined next to its routes.
    private static let schemas: [StaticString] = [
        OperationRoutes.schemas, RecordRoutes.schemas, QueryRoutes.schemas, AssetRoutes.schemas,
        QueryRoutes.setSchemas, JobRoutes.schemas, ScheduleRoutes.schemas, SchemaRoutes.adviceSchemas,
        ChangeRoutes.schemas,
        WebhookRoutes.schemas, GrantRoutes.schemas,
        SchemaRoutes.schemas, RoleRoutes.schemas, ExplainRoutes.schemas, AccountRoutes.schemas, SessionRoutes.schemas,
        InvitationRoutes.schemas, AccountRoutes.userSchemas, KeyRoutes.schemas, AdministratorRoutes.schemas,
        BackupRoutes.schemas, AuditRoutes.schemas, AccountRoutes.sessionSchemas,
    ]

    /// Appends the components that operations refer to.
    static func appendComponents(to text: inout [UInt8]) {
        text.appendLiteral("{")
        text.appendLiteral(common)
        text.appendLiteral(",\n\"schemas\":{")
        for (index, schemas) in schemas.enumerated() {
            text.appendLiteral(index == 0 ? "\n" : ",\n")
            text.appendLiteral(schemas)
        }
        text.appendLiteral("}}")
    }

    /// The security scheme, the error response, and the parameters that routes share.
    private static let common: StaticString = #"""
        "securitySchemes":{"bearer":{"type":"http","scheme":"bearer",
        "description":"The token of a session, or the administrator's"}},
        "responses":{"Error":{"description":"An error; the status shows its kind, the reason says what to do",
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}}},
        "parameters":{
        "fields":{"name":"fields","in":"query","schema":{"type":"string"},
        "description":"The fields to show, separated by commas; all if absent"},
        "limit":{"name":"limit","in":"query","schema":{"type":"integer","minimum":1},
        "description":"The length of a page, up to pageSize of /limits"},
        "cursor":{"name":"cursor","in":"query","schema":{"type":"string"},
        "description":"Where the previous page of the same caller ended"},
        "name":{"name":"name","in":"query","schema":{"type":"string"},
        "description":"The account that signs in by this name, alone"},
        "since":{"name":"since","in":"query","schema":{"type":"string"},
        "description":"The token of the previous call, absent for the beginning, now for the end; of the audit log, a moment in milliseconds; of a webhook, the token of a message, beginning or now"},
        "type":{"name":"type","in":"query","explode":true,"schema":{"type":"array","maxItems":100,
        "items":{"type":"string"}},"description":"A record type whose changes are wanted; may be repeated"},
        "ticket":{"name":"ticket","in":"query","schema":{"type":"string"},
        "description":"A ticket of POST /changes/tickets. It stands for the other parameters and the caller"},
        "until":{"name":"until","in":"query","schema":{"type":"integer"},
        "description":"The last moment, in milliseconds since 1970"},
        "actor":{"name":"actor","in":"query","schema":{"type":"string"},
        "description":"Whose entries: a user's record name, a key's or an administrator's name"},
        "action":{"name":"action","in":"query","schema":{"type":"string"},
        "description":"Entries of one action, such as key.create"},
        "scope":{"name":"scope","in":"query","schema":{"type":"string","enum":["database","server"],
        "default":"database"},"description":"The log of the database, or of the server as a whole"},
        "where":{"name":"where","in":"query","schema":{"type":"string","maxLength":16384},
        "description":"A condition, such as: threadname == %@ AND good > 3"},
        "arg":{"name":"arg","in":"query","explode":true,"schema":{"type":"array","maxItems":100,
        "items":{"type":"string"}},"description":"A JSON value for the next placeholder of where; may be repeated"},
        "sort":{"name":"sort","in":"query","schema":{"type":"string"},
        "description":"Fields, separated by commas; a minus in front means descending"},
        "count":{"name":"count","in":"query","schema":{"type":"boolean","default":false},
        "description":"Counts all records that match, under the caller's rights"},
        "explain":{"name":"explain","in":"query","schema":{"type":"boolean","default":false},
        "description":"Shows how the records were found"},
        "all":{"name":"all","in":"query","schema":{"type":"boolean","default":false},
        "description":"Every record of the type; without where"},
        "dryRun":{"name":"dryRun","in":"query","schema":{"type":"boolean","default":false},
        "description":"Tells what would be concerned, and changes nothing"},
        "preserve":{"name":"preserve","in":"query","schema":{"type":"string"},
        "description":"created, modified: what a new record keeps of its body; right changeRights"},
        "rights":{"name":"rights","in":"query","schema":{"type":"string","enum":["replace","keep"],"default":"replace"},
        "description":"keep: types and fields that are there keep grants, roles and default lists, whatever the document says"},
        "others":{"name":"others","in":"query","schema":{"type":"boolean","default":false},
        "description":"All but the session of the request"},
        "unfinished":{"name":"unfinished","in":"query","schema":{"type":"boolean","default":false},
        "description":"Leaves out the jobs that have ended"},
        "filename":{"name":"filename","in":"query","schema":{"type":"string","maxLength":255}},
        "index":{"name":"index","in":"query","schema":{"type":"integer","minimum":0,"default":0},
        "description":"Which member of a list of assets"},
        "download":{"name":"download","in":"query","schema":{"type":"boolean","default":false},
        "description":"Offers the file for saving instead of showing it"},
        "width":{"name":"width","in":"query","schema":{"type":"integer","minimum":1},
        "description":"A smaller picture, at most as wide"},
        "height":{"name":"height","in":"query","schema":{"type":"integer","minimum":1},
        "description":"A smaller picture, at most as high"},
        "fit":{"name":"fit","in":"query","schema":{"type":"string","enum":["contain","cover"],"default":"contain"},
        "description":"Inside the box, or filling it"},
        "format":{"name":"format","in":"query","schema":{"type":"string","enum":["jpeg","png","webp"]}},
        "maxAffected":{"name":"maxAffected","in":"query","schema":{"type":"integer","minimum":0},
        "description":"Rejects a request that concerns more records than this"},
        "container":{"name":"container","in":"query","schema":{"type":"string"}},
        "environment":{"name":"environment","in":"query",
        "schema":{"type":"string","enum":["development","production"]}},
        "database":{"name":"database","in":"query",
        "schema":{"type":"string","enum":["public","private"],"default":"public"}},
        "zone":{"name":"zone","in":"query","schema":{"type":"string","default":"_defaultZone"}},
        "owner":{"name":"owner","in":"query","schema":{"type":"string","pattern":"^_[0-9a-f]{32}$"},
        "description":"Whose private database it is; for administrators"},
        "lastEventID":{"name":"Last-Event-ID","in":"header","schema":{"type":"string"},
        "description":"The id of the last event that a stream's client has received. Comes before since"},
        "ifMatch":{"name":"If-Match","in":"header","schema":{"type":"string"},
        "description":"The tag that the record must have, in double quotes, or *"},
        "ifNoneMatch":{"name":"If-None-Match","in":"header","schema":{"type":"string"},
        "description":"Of a read: tags that the client has; of a write: * demands a new record"},
        "range":{"name":"Range","in":"header","schema":{"type":"string"}},
        "ifRange":{"name":"If-Range","in":"header","schema":{"type":"string"}},
        "contentDigest":{"name":"Content-Digest","in":"header","schema":{"type":"string"},
        "description":"sha-256=:base64: (RFC 9530); what came is compared with it"},
        "tusResumable":{"name":"Tus-Resumable","in":"header","required":true,"schema":{"const":"1.0.0"},
        "description":"The version of tus. X-HTTP-Method-Override is not honoured"},
        "newUploadLength":{"name":"Upload-Length","in":"header","schema":{"type":"integer","minimum":0},
        "description":"In bytes; required without Upload-Defer-Length"},
        "uploadLength":{"name":"Upload-Length","in":"header","schema":{"type":"integer","minimum":0},
        "description":"In bytes, where it was deferred"},
        "uploadDeferLength":{"name":"Upload-Defer-Length","in":"header","schema":{"const":1},
        "description":"A later part will say the length"},
        "uploadOffset":{"name":"Upload-Offset","in":"header","required":true,"schema":{"type":"integer","minimum":0},
        "description":"Where the part goes on"},
        "uploadMetadata":{"name":"Upload-Metadata","in":"header","schema":{"type":"string","maxLength":4096},
        "description":"Keys, each with its value in base64, separated by commas; filename and filetype are understood"},
        "uploadChecksum":{"name":"Upload-Checksum","in":"header","schema":{"type":"string"},
        "description":"sha1, sha256 or md5, a blank and the digest in base64; the part counts as a whole or not at all"},
        "idempotencyKey":{"name":"Idempotency-Key","in":"header","schema":{"type":"string","maxLength":255},
        "description":"The same key and request within 24 hours get the first response again"},
        "prefer":{"name":"Prefer","in":"header","schema":{"type":"string"},
        "description":"return=minimal leaves the record out of the response; respond-async lets a job do the work"}}
        """#
}
