extension OpenAPI {
    /// What the operations refer to: schemas, parameters, the shape of refusals, the credential.
    static let components: StaticString = #"""
        {"securitySchemes":{"bearer":{"type":"http","scheme":"bearer",
        "description":"The token of a session, or the administrator's"}},
        "responses":{"Refusal":{"description":"A refusal; the status tells its kind, the reason what to do",
        "content":{"application/json":{"schema":{"$ref":"#/components/schemas/Error"}}}}},
        "parameters":{
        "fields":{"name":"fields","in":"query","schema":{"type":"string"},
        "description":"The fields to show, separated by commas; all if absent"},
        "limit":{"name":"limit","in":"query","schema":{"type":"integer","minimum":1},
        "description":"The length of a page, up to pageSize of /limits"},
        "cursor":{"name":"cursor","in":"query","schema":{"type":"string"},
        "description":"Where the previous page of the same caller ended"},
        "since":{"name":"since","in":"query","schema":{"type":"string"},
        "description":"The token of the previous call; absent for the beginning"},
        "container":{"name":"container","in":"query","schema":{"type":"string"}},
        "environment":{"name":"environment","in":"query",
        "schema":{"type":"string","enum":["development","production"]}},
        "database":{"name":"database","in":"query",
        "schema":{"type":"string","enum":["public","private"],"default":"public"}},
        "zone":{"name":"zone","in":"query","schema":{"type":"string","default":"_defaultZone"}},
        "owner":{"name":"owner","in":"query","schema":{"type":"string","pattern":"^_[0-9a-f]{32}$"},
        "description":"Whose private database it is; for administrators"},
        "ifMatch":{"name":"If-Match","in":"header","schema":{"type":"string"},
        "description":"The tag that the record must have, in double quotes, or *"},
        "ifNoneMatch":{"name":"If-None-Match","in":"header","schema":{"type":"string"},
        "description":"Of a read: tags that the client has; of a write: * demands a new record"},
        "range":{"name":"Range","in":"header","schema":{"type":"string"}},
        "idempotencyKey":{"name":"Idempotency-Key","in":"header","schema":{"type":"string","maxLength":255},
        "description":"The same key and request within 24 hours gets the first answer again"},
        "prefer":{"name":"Prefer","in":"header","schema":{"type":"string"},
        "description":"return=minimal leaves the record out of the answer"}},
        "schemas":{
        "Status":{"type":"object","properties":{"status":{"const":"ok"}},"required":["status"]},
        "Document":{"type":"object"},
        "Limits":{"type":"object","additionalProperties":{"type":"integer"}},
        "Error":{"type":"object","required":["uuid","serverErrorCode","reason"],"properties":{
        "uuid":{"type":"string"},"serverErrorCode":{"$ref":"#/components/schemas/Code"},
        "reason":{"type":"string"},"details":{"type":"object","properties":{"cause":{"type":"string"}}},
        "retryAfter":{"type":"integer","description":"Seconds"},
        "serverRecord":{"$ref":"#/components/schemas/Record"}}},
        "Code":{"type":"string","enum":["ACCESS_DENIED","ATOMIC_ERROR","AUTHENTICATION_FAILED",
        "AUTHENTICATION_REQUIRED","BAD_REQUEST","CONFLICT","EXISTS","INTERNAL_ERROR","NOT_FOUND","QUOTA_EXCEEDED",
        "THROTTLED","TRY_AGAIN_LATER","VALIDATING_REFERENCE_ERROR","ZONE_NOT_FOUND"]},
        "FieldType":{"type":"string","enum":["STRING","INT64","DOUBLE","TIMESTAMP","BYTES","REFERENCE","ASSET",
        "ASSETID","LOCATION","STRING_LIST","INT64_LIST","DOUBLE_LIST","TIMESTAMP_LIST","BYTES_LIST",
        "REFERENCE_LIST","ASSET_LIST","ASSETID_LIST","LOCATION_LIST"]},
        "Value":{"type":"object","required":["value","type"],"properties":{
        "value":{},"type":{"$ref":"#/components/schemas/FieldType"}}},
        "Moment":{"type":"object","required":["timestamp","userRecordName"],"properties":{
        "timestamp":{"type":"integer","description":"Milliseconds since 1970"},
        "userRecordName":{"type":"string"},"deviceID":{"type":"string"}}},
        "Record":{"type":"object","required":["recordName","recordType"],"properties":{
        "recordName":{"type":"string"},"recordType":{"type":"string"},
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Value"}},
        "pluginFields":{"type":"object"},"recordChangeTag":{"type":"string"},
        "created":{"$ref":"#/components/schemas/Moment"},"modified":{"$ref":"#/components/schemas/Moment"},
        "deleted":{"type":"boolean"}}},
        "RecordInput":{"type":"object","additionalProperties":false,"properties":{
        "recordName":{"type":"string"},"recordType":{"type":"string"},
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/FieldInput"}}}},
        "FieldInput":{"description":"A bare JSON value; {value, type}; or one of the field operations",
        "anyOf":[{"type":["string","number","boolean","array","null"]},
        {"type":"object","properties":{"value":{},"type":{"$ref":"#/components/schemas/FieldType"},
        "increment":{"type":"number"},"append":{"type":"array"},"appendUnique":{"type":"array"},
        "remove":{"type":"array"},"setIfAbsent":{},"serverTime":{"const":true}}}]},
        "Batch":{"type":"object","required":["operations"],"properties":{
        "operations":{"type":"array","items":{"type":"object","required":["operationType","record"],"properties":{
        "operationType":{"type":"string","enum":["create","update","forceUpdate","replace","forceReplace","delete",
        "forceDelete"]},
        "record":{"type":"object","properties":{"recordName":{"type":"string"},"recordType":{"type":"string"},
        "recordChangeTag":{"type":"string"},
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/FieldInput"}}}}}}},
        "atomic":{"type":"boolean","default":true},
        "desiredKeys":{"type":"array","items":{"type":"string"}}}},
        "Deletion":{"type":"object","required":["recordName","deleted"],"properties":{
        "recordName":{"type":"string"},"recordType":{"type":"string"},"deleted":{"const":true}}},
        "ItemError":{"type":"object","required":["serverErrorCode","reason"],"properties":{
        "recordName":{"type":"string"},"serverErrorCode":{"$ref":"#/components/schemas/Code"},
        "reason":{"type":"string"},"details":{"type":"object"},
        "serverRecord":{"$ref":"#/components/schemas/Record"}}},
        "BatchAnswer":{"type":"object","required":["records"],"properties":{"records":{"type":"array","items":{
        "anyOf":[{"$ref":"#/components/schemas/Record"},{"$ref":"#/components/schemas/Deletion"},
        {"$ref":"#/components/schemas/ItemError"}]}}}},
        "Page":{"type":"object","required":["records"],"properties":{
        "records":{"type":"array","items":{"$ref":"#/components/schemas/Record"}},
        "cursor":{"type":"string","description":"Absent at the end"}}},
        "Changes":{"type":"object","required":["changes","token","moreComing"],"properties":{
        "changes":{"type":"array","items":{"anyOf":[{"$ref":"#/components/schemas/Record"},
        {"$ref":"#/components/schemas/Deletion"}]}},
        "token":{"type":"string"},"moreComing":{"type":"boolean"}}},
        "Rights":{"type":"object","additionalProperties":{"type":"array",
        "items":{"type":"string","enum":["CREATE","READ","WRITE"]}}},
        "Grants":{"type":"object","required":["grants"],"properties":{
        "grants":{"$ref":"#/components/schemas/Rights"}}},
        "AllGrants":{"type":"object","required":["grants"],"properties":{
        "grants":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Rights"}}}},
        "RecordType":{"type":"object","properties":{
        "fields":{"type":"object","additionalProperties":{"type":"object","required":["type"],
        "properties":{"type":{"$ref":"#/components/schemas/FieldType"}}}},
        "grants":{"$ref":"#/components/schemas/Rights"}}},
        "Schema":{"type":"object","required":["types"],"properties":{
        "types":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/RecordType"}}}},
        "Role":{"type":"object","required":["members"],"properties":{"name":{"type":"string"},
        "members":{"type":"array","items":{"type":"string"}}}},
        "Roles":{"type":"object","required":["roles"],"properties":{
        "roles":{"type":"array","items":{"$ref":"#/components/schemas/Role"}}}},
        "Credentials":{"type":"object","required":["name","password"],"properties":{
        "name":{"type":"string"},"password":{"type":"string","minLength":8}}},
        "User":{"type":"object","required":["userRecordName","name"],"properties":{
        "userRecordName":{"type":"string"},"name":{"type":"string"},
        "createdTimestamp":{"type":"integer"},"roles":{"type":"array","items":{"type":"string"}},
        "isAdministrator":{"type":"boolean"}}},
        "Session":{"type":"object","required":["token","expiresAt","user"],"properties":{
        "token":{"type":"string"},"expiresAt":{"type":"integer","description":"Milliseconds since 1970"},
        "user":{"$ref":"#/components/schemas/User"}}}}}
        """#
}
