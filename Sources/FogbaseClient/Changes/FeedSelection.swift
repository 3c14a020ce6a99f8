internal import RecordWire

/// The changes that a feed requests.
struct FeedSelection: Sendable {
    /// The record types; `nil` for all.
    var types: [String]?
    /// The fields of each record; `nil` for all.
    var fields: [String]?
    /// The predicate that records must match, and the values of its placeholders. Only streams can have one.
    var condition: (text: String, arguments: [JSONValue])?

    /// Returns the call for the changes after a token; `nil` is the beginning.
    ///
    /// - Parameter streams: Whether the call is for a stream. A page does not take the condition into account.
    func call(since token: ChangeToken?, streams: Bool) -> Call {
        var call = Call("GET", "changes")
        // A token from a database that was never written has an empty text. The client does not send such a token.
        if let token, !token.text.isEmpty { call.query.append(("since", token.text)) }
        if let fields { call.query.append(("fields", fields.joined(separator: ","))) }
        for type in types ?? [] { call.query.append(("type", type)) }
        if let condition, streams {
            call.query.append(("where", condition.text))
            for argument in condition.arguments {
                call.query.append(("arg", String(decoding: argument.bytes, as: UTF8.self)))
            }
        }
        return call
    }
}

extension ChangeToken {
    /// The position after the newest change, as the start of a feed.
    static let now = ChangeToken("now")
}

/// The parameters of a change feed.
struct FeedRequest: Sendable {
    let connection: Connection
    let selection: FeedSelection
    /// The start position; `nil` is the beginning.
    let token: ChangeToken?
    /// The polling interval right after a change.
    let interval: Duration
    /// The longest polling interval.
    let longestInterval: Duration
}
