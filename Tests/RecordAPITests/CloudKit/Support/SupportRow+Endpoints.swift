/// All rows of the table.
extension SupportRow {
    static let all = [
        endpoints, requestKeys, dictionaryKeys, responseKeys, comparators, types, codes, reasons,
    ].flatMap(\.self)

    static let endpoints = withDatabase + devices

    private static let withDatabase: [SupportRow] = [
        .endpoint(
            "POST", "records/modify", "public private shared", "yes",
            "{'operations':[{'operationType':'forceDelete','record':{'recordName':'none'}}]}", "'deleted':true"),
        .endpoint(
            "POST", "records/query", "public private shared", "yes", "{'query':{'recordType':'Tree'}}",
            "'recordName':'a'"),
        .endpoint(
            "POST", "records/lookup", "public private shared", "yes", "{'records':[{'recordName':'a'}]}",
            "'recordName':'a'"),
        .endpoint(
            "POST", "records/changes", "private shared", "yes", "{'zoneID':{'zoneName':'A'}}", "'moreComing':false"),
        .endpoint(
            "POST", "records/resolve", "public", "yes", "{'shortGUIDs':[{'value':'{guid}'}]}",
            "'participantType':'OWNER'"),
        .endpoint(
            "POST", "records/accept", "public", "yes", "{'shortGUIDs':[{'value':'{guid}'}]}",
            "'participantStatus':'ACCEPTED'", as: .bob),
        .endpoint(
            "POST", "assets/upload", "public private shared", "yes",
            "{'tokens':[{'recordType':'Tree','fieldName':'photo'}]}", "'url':'http://"),
        .endpoint(
            "POST", "assets/upload/{permission}", "", "yes; the bytes, or a form with a file", "hello", "'size':5",
            path: "{url}", as: .nobody),
        .endpoint(
            "PUT", "assets/upload/{permission}", "", "yes; the bytes, or a form with a file", "hello", "'size':5",
            path: "{url}", as: .nobody),
        .endpoint(
            "POST", "assets/rereference", "public private shared", "yes",
            "{'assets':[{'recordName':'{photo}','fieldName':'photo'}]}", "'receipt'"),
        .endpoint("GET", "zones/list", "public private shared", "yes", "", "'zoneName':'_defaultZone'"),
        .endpoint("POST", "zones/list", "public private shared", "yes", "{}", "'zoneName':'_defaultZone'"),
        .endpoint(
            "POST", "zones/lookup", "public private shared", "yes", "{'zones':[{'zoneName':'_defaultZone'}]}",
            "'zoneType':'DEFAULT_ZONE'"),
        .endpoint(
            "POST", "zones/modify", "private", "yes; the public database has its default zone only",
            "{'operations':[{'operationType':'create','zone':{'zoneID':{'zoneName':'B'}}}]}", "'zoneName':'B'"),
        .endpoint("POST", "zones/changes", "private shared", "yes", "{}", "'metaSyncToken'"),
        .endpoint("POST", "changes/database", "private shared", "yes", "", "'zoneName':'A'"),
        .endpoint(
            "POST", "changes/zone", "private shared", "yes", "{'zones':[{'zoneID':{'zoneName':'A'}}]}",
            "'recordName':'a'"),
        .endpoint("GET", "subscriptions/list", "public private shared", "yes", "", "'subscriptions':[]"),
        .endpoint("POST", "subscriptions/list", "public private shared", "yes", "", "'subscriptions':[]"),
        .endpoint(
            "POST", "subscriptions/lookup", "public private shared", "yes",
            "{'subscriptions':[{'subscriptionID':'s'}]}",
            "'NOT_FOUND'"),
        .endpoint(
            "POST", "subscriptions/modify", "public private shared", "yes",
            """
            {'operations':[{'operationType':'create','subscription':{'subscriptionID':'s',\
            'subscriptionType':'query','query':{'recordType':'Tree'}}}]}
            """, "'subscriptionID':'s'"),
        .endpoint("GET", "users/caller", "public private shared", "yes; keys too", "", "'lookupInfo'"),
        .endpoint("POST", "users/caller", "public private shared", "yes; keys too", "", "'lookupInfo'"),
        .endpoint("GET", "users/current", "public private shared", "yes; keys too", "", "'firstName':null"),
        .endpoint("POST", "users/current", "public private shared", "yes; keys too", "", "'firstName':null"),
        .endpoint(
            "GET", "users/discover", "public", "yes; always empty, because the server knows no contacts", "",
            "'users':[]"),
        .endpoint(
            "POST", "users/discover", "public", "yes", "{'lookupInfos':[{'userRecordName':'{ann}'}]}",
            "'userRecordName':'{ann}'"),
        .endpoint(
            "POST", "users/lookup/id", "public", "yes", "{'users':[{'userRecordName':'{ann}'}]}",
            "'userRecordName':'{ann}'"),
        .endpoint(
            "POST", "users/lookup/email", "public", "yes; always empty, because accounts have no e-mail address",
            "{'users':[{'emailAddress':'ann@example.org'}]}", "'users':[]"),
        .endpoint(
            "GET", "users/lookup/contacts", "", "no: Apple has deprecated it, and the server knows no contacts", "",
            "'NOT_FOUND'", path: "public/users/lookup/contacts", status: 404),
        .endpoint(
            "POST", "users/lookup/contacts", "", "no: Apple has deprecated it, and the server knows no contacts", "{}",
            "'NOT_FOUND'", path: "public/users/lookup/contacts", status: 404),
    ]

    /// The routes without a database. Apple's guide has the second path, and a client library the third.
    private static let devices: [SupportRow] = [
        "/device/1/{container}/{environment}/", "/database/1/{container}/{environment}/",
        "/database/1/{container}/{environment}/{database}/",
    ].flatMap(tokens)

    private static func tokens(_ prefix: String) -> [SupportRow] {
        let path = prefix.replacing("{container}", with: "Forum").replacing("{environment}", with: "development")
            .replacing("{database}", with: "public")
        var rows: [SupportRow] = [
            .endpoint(
                "POST", "\(prefix)tokens/create", "", "yes; for the server's own notifications",
                "{'apnsEnvironment':'development'}", "'webcourierURL'", path: "\(path)tokens/create"),
            .endpoint(
                "POST", "\(prefix)tokens/register", "", "yes; not for device tokens of APNs",
                "{'apnsEnvironment':'development','apnsToken':'{apns}'}", "'apnsToken':'{apns}'",
                path: "\(path)tokens/register"),
        ]
        if prefix.hasPrefix("/device") {
            rows.append(
                .endpoint(
                    "GET", "\(prefix)notifications/{token}", "", "yes; the path of `webcourierURL`", "", "'qry'",
                    path: "{poll}", as: .nobody))
        }
        return rows
    }
}
