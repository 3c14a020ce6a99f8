package import RecordModel

/// Writes the groups of an aggregate as JSON:
///
/// ```
/// {"groups":[{"key":{name:value,…},"values":{name:value,…}},…]   and ,"moreGroups":true if groups were left out
/// ```
///
/// Values are bare: numbers, texts, milliseconds since 1970 for times and starts of buckets, record names for
/// references and accounts, and `null`.
package struct AggregateDocument {
    /// The document without its last brace.
    package private(set) var json = Array(#"{"groups":["#.utf8)
    private let aggregation: Aggregation
    private let userName: (UserID) throws(RecordError) -> String
    private var isFirst = true

    /// Creates a document without groups.
    ///
    /// - Parameter userName: Returns the record name of an account.
    package init(_ aggregation: Aggregation, userName: @escaping (UserID) throws(RecordError) -> String) {
        self.aggregation = aggregation
        self.userName = userName
    }

    /// Appends a group.
    ///
    /// - Throws: The errors of `userName`.
    package mutating func append(_ group: AggregateGroup) throws(RecordError) {
        json.appendLiteral(isFirst ? #"{"key":{"# : #",{"key":{"#)
        isFirst = false
        for (number, key) in aggregation.keys.enumerated() {
            let isUser =
                key.field == .system(.createdUserRecordName) || key.field == .system(.modifiedUserRecordName)
            try append(group.keys[number], named: key.name, isFirst: number == 0, isUser: isUser)
        }
        json.appendLiteral(#"},"values":{"#)
        for (number, value) in aggregation.values.enumerated() {
            try append(group.values[number], named: value.name, isFirst: number == 0, isUser: false)
        }
        json.appendLiteral("}}")
    }

    /// Ends the list of groups.
    package mutating func finish(hasMore: Bool) {
        json.appendLiteral(hasMore ? #"],"moreGroups":true"# : "]")
    }

    private mutating func append(
        _ value: QueryValue?, named name: String, isFirst: Bool, isUser: Bool
    ) throws(RecordError) {
        if !isFirst { json.append(UInt8(ascii: ",")) }
        json.appendString(name)
        json.append(UInt8(ascii: ":"))
        switch value {
        case nil: json.appendLiteral("null")
        case .integer(let number)? where isUser: json.appendString(try userName(UserID(rawValue: number)))
        case .integer(let number)?: json.appendInteger(number)
        case .double(let number)?: JSONValue.double(number).write(to: &json)
        case .text(let bytes)?: json.appendString(String(decoding: bytes, as: UTF8.self))
        }
    }
}
