/// Comparators and types.
extension SupportRow {
    private static let place = "{'latitude':35.0,'longitude':139.0},'type':'LOCATION'"

    static let comparators: [SupportRow] = [
        .comparator("EQUALS", "yes; of texts exactly", "title", "'Cox'", "b"),
        .comparator("NOT_EQUALS", "yes; also for a record that lacks the field", "weight", "1.5", "b, c"),
        .comparator("LESS_THAN", "yes", "count", "3", "c"),
        .comparator("LESS_THAN_OR_EQUALS", "yes", "count", "3", "b, c"),
        .comparator("GREATER_THAN", "yes", "count", "3", "a"),
        .comparator("GREATER_THAN_OR_EQUALS", "yes", "count", "3", "a, b"),
        .comparator("NEAR", "yes, with `distance` in meters", "place", place, "a", distance: 1_000),
        .comparator("IN", "yes", "count", "[1,14]", "a, c"),
        .comparator("NOT_IN", "yes; also for a record that lacks the field", "weight", "[1.5,9]", "b, c"),
        .comparator("CONTAINS_ALL_TOKENS", "yes", "title", "'apple bramley'", "a"),
        .comparator("CONTAINS_ANY_TOKENS", "yes", "title", "'apple plum'", "a, c"),
        .comparator("BEGINS_WITH", "yes", "title", "'Co'", "b"),
        .comparator("NOT_BEGINS_WITH", "yes", "title", "'Co'", "a, c"),
        .comparator("LIST_CONTAINS", "yes", "tags", "'red'", "a, b"),
        .comparator("NOT_LIST_CONTAINS", "yes", "tags", "'red'", "c"),
        .comparator("LIST_CONTAINS_ANY", "yes", "tags", "['green','blue']", "a, b"),
        .comparator("NOT_LIST_CONTAINS_ANY", "yes", "tags", "['green','blue']", "c"),
        .comparator("LIST_CONTAINS_ALL", "yes", "tags", "['green','red']", "a"),
        .comparator("NOT_LIST_CONTAINS_ALL", "yes", "tags", "['green','red']", "b, c"),
        .comparator("LIST_MEMBER_BEGINS_WITH", "yes; any member", "tags", "'re'", "a, b"),
        .comparator("NOT_LIST_MEMBER_BEGINS_WITH", "yes", "tags", "'re'", "c"),
        .comparator(
            "NOT_NEAR", "an addition; also for a record that lacks the field", "place", place, "b, c",
            distance: 1_000),
        .comparator("LIST_NOT_CONTAINS", "another spelling, of a code generator", "tags", "'red'", "c"),
        .comparator("LIST_NOT_CONTAINS_ANY", "another spelling, of a code generator", "tags", "['green','blue']", "c"),
        .comparator(
            "LIST_NOT_CONTAINS_ALL", "another spelling, of a code generator", "tags", "['green','red']", "b, c"),
        .comparator(
            "LIST_MEMBER_NOT_BEGINS_WITH", "another spelling, of a code generator", "tags", "'re'", "c"),
    ]

    static let types = plainTypes + encryptedTypes

    private static let plainTypes: [SupportRow] = [
        .type("STRING", "yes", "'x'"), .type("INT64", "yes", "9007199254740993"), .type("DOUBLE", "yes", "1.5"),
        .type("TIMESTAMP", "yes", "1775034000000"), .type("BYTES", "yes", "'AQI='"),
        .type("REFERENCE", "yes", "{'recordName':'a','action':'NONE'}"),
        .type("LOCATION", "yes", "{'latitude':1.5,'longitude':2.5}"),
        .type("ASSETID", "yes", "{file}", "'type':'ASSETID'}"),
        .type("ASSET", "accepted for `ASSETID`", "{file}", "'type':'ASSETID'}"),
        .type("STRING_LIST", "yes", "[]"), .type("INT64_LIST", "yes", "[1,2]"),
        .type("DOUBLE_LIST", "yes", "[1.5,2.5]"),
        .type("TIMESTAMP_LIST", "yes", "[5]"), .type("BYTES_LIST", "yes", "['AQI=']"),
        .type("REFERENCE_LIST", "yes", "[{'recordName':'a','action':'NONE'}]"),
        .type("LOCATION_LIST", "yes", "[{'latitude':1.5,'longitude':2.5}]"),
        .type("ASSETID_LIST", "yes", "[{file}]", "'type':'ASSETID_LIST'}"),
        .type("ASSET_LIST", "accepted for `ASSETID_LIST`", "[{file}]", "'type':'ASSETID_LIST'}"),
        .type(
            "LIST", "accepted; the first member decides about the type", "['x']",
            "'photo':{'value':['x'],'type':'STRING_LIST'}"),
        .type("BYTE", "accepted for `BYTES`", "'AQI='", "'type':'BYTES'"),
        .type("INT", "accepted for `INT64`", "7", "'type':'INT64'"),
        .type("DATETIME", "accepted for `TIMESTAMP`", "7", "'type':'TIMESTAMP'"),
        SupportRow(
            kind: .type, place: "", names: ["no type, and true or false"], answer: "accepted, as the INT64 1 or 0",
            request: """
                public/records/modify {'operations':[{'operationType':'create','record':{'recordName':'p',\
                'recordType':'Tree','fields':{'flag':{'value':true}}}}]}
                """, expected: ["'flag':{'value':1,'type':'INT64'}"]),
    ]

    private static let encryptedTypes = ["STRING", "BYTES", "DOUBLE", "INT64", "LOCATION", "TIMESTAMP"].map { type in
        SupportRow.type("ENCRYPTED_\(type)", "no: the server has no encrypted fields", "1", "'BAD_REQUEST'")
    }
}
